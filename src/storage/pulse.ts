import pg from "pg";
import { connect, connectionConfig } from "./connection.ts";

/** A connection of its own that only asks the server whether it is there. */
export interface Pulse {
  /** Resolves when the server has answered anything, if only that it takes nobody now. */
  ask(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The connection is made at the first question and kept: the later ones shall not wait for a handshake. One without
 * a response is given up, and the next question tries another, since a line may be dead whose server lives.
 */
export function openPulse(options: { readonly url: string; readonly applicationName: string }): Pulse {
  let kept: pg.Client | undefined;
  let running: Promise<void> = Promise.resolve();

  const open = async (): Promise<pg.Client> => {
    const config = connectionConfig(options.url, `${options.applicationName} pulse`);
    const client = new pg.Client({ ...config, connectionTimeoutMillis: LIMIT_MS, query_timeout: LIMIT_MS });
    client.on("error", () => undefined); // the question under way says so itself
    client.on("end", () => {
      if (kept === client) kept = undefined;
    });
    await connect(client);
    kept = client;
    return client;
  };

  const ask = async (): Promise<void> => {
    const client = kept ?? (await open().catch(ignoreRefusal));
    try {
      await client?.query("select");
    } catch (error) {
      client?.connection.stream.destroy();
      if (!isResponse(error)) throw error;
    }
  };

  return {
    ask() {
      const asked = ask();
      running = asked.catch(() => undefined);
      return asked;
    },
    async close() {
      await running;
      await kept?.end().catch(() => undefined);
    },
  };
}

/** A hung server is asked anew this often; each question waits in its queue until it goes on. */
const LIMIT_MS = 2_000;

/** True if an error is the server's own word, so that it lives. */
export function isResponse(error: unknown): boolean {
  return error instanceof pg.DatabaseError;
}

function ignoreRefusal(error: unknown): undefined {
  if (!isResponse(error)) throw error;
}
