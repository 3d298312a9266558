import { createWorkerPool, joined } from "../base/async/worker-pool.ts";
import type { Database } from "../storage/database.ts";
import { ExportFormatError } from "./export-row.ts";
import type { ReconcileOptions, ReconcileReport } from "./reconcile.ts";
import type { ReconcileMessage, ReconcileReply } from "./reconcile-worker.ts";

/** The largest export that can be compared. */
export const MAX_EXPORT_BYTES = 64 * 1024 * 1024;

/** Limits of a comparison. */
export interface ReconcileLimits {
  /** An export of 64 MB and 250,000 rows takes more than 1.5 GB. */
  readonly memoryMb: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `reconcile` in a thread with a connection of its own, because parsing a large export takes seconds, during which
 * this thread serves other requests. The thread ends with the comparison or when `signal` is aborted. Rejects with
 * WorkerLost when aborted or if the memory does not suffice.
 */
export async function reconcileInThread(
  { url, timeoutMs }: Pick<Database, "url" | "timeoutMs">,
  chunks: readonly Uint8Array[],
  options: ReconcileOptions,
  { memoryMb, signal }: ReconcileLimits,
): Promise<ReconcileReport> {
  const pool = createWorkerPool<ReconcileReply>({
    entry: new URL("./reconcile-worker.ts", import.meta.url),
    workers: 1,
    waiting: 1,
    limits: { maxOldGenerationSizeMb: memoryMb },
  });
  const end = (): void => void pool.close();
  signal?.addEventListener("abort", end, { once: true });
  if (signal?.aborted) end();
  try {
    const reply = await pool.run(async () => {
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      const body = await joined(chunks, bytes);
      const message: ReconcileMessage = { body, databaseUrl: url, timeoutMs, options };
      return { message, moved: [body.buffer] };
    });
    if ("thrown" in reply) throw reply.thrown;
    if ("problems" in reply) throw new ExportFormatError(reply.problems);
    return reply.report;
  } finally {
    signal?.removeEventListener("abort", end);
    await pool.close();
  }
}
