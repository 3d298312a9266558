import { parentPort } from "node:worker_threads";
import { openPool } from "../storage/pool.ts";
import { ExportFormatError, type ExportProblem } from "./export-row.ts";
import { type ReconcileOptions, type ReconcileReport, reconcile } from "./reconcile.ts";

/** An export as uploaded, and the database whose usage log it is compared with. */
export interface ReconcileMessage {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly databaseUrl: string;
  readonly timeoutMs: number;
  readonly options: ReconcileOptions;
}

export type ReconcileReply =
  | { readonly report: ReconcileReport }
  | { readonly problems: readonly ExportProblem[] }
  | { readonly thrown: Error };

parentPort?.on("message", (message: ReconcileMessage) => {
  void replyTo(message).then((reply) => parentPort?.postMessage(reply));
});

async function replyTo({ body, databaseUrl, timeoutMs, options }: ReconcileMessage): Promise<ReconcileReply> {
  const database = openPool({
    url: databaseUrl,
    applicationName: "faregate reconcile",
    maxConnections: 1,
    timeoutMs,
  });
  try {
    return { report: await reconcile(database, textOf(body), options) };
  } catch (error) {
    if (error instanceof ExportFormatError) return { problems: error.problems };
    return { thrown: error instanceof Error ? error : new Error(String(error)) };
  } finally {
    await database.close();
  }
}

function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw new ExportFormatError("is not UTF-8 text; save it as UTF-8");
  }
}
