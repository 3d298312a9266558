import pg from "pg";
import { connectionConfig, SESSION } from "./connection.ts";
import type { Queryable, TransactionOptions } from "./database.ts";
import { isConnectionLoss } from "./failures.ts";
import { isResponse, openPulse } from "./pulse.ts";
import { type SilenceWatch, watchSilence } from "./silence.ts";

export interface PoolOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly maxConnections?: number | undefined;
  /** A server that answers nothing for this long is taken for silent; see watchSilence. */
  readonly timeoutMs?: number | undefined;
}

/** A bounded set of connections; see Database for what its functions promise. */
export interface Pool extends Queryable {
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>;
  close(): Promise<void>;
}

/** Callers are promised 503 within a second of an outage: this leaves some room. */
export const DEFAULT_TIMEOUT_MS = 600;
// Throughput is flat from about 16 sessions on (9,000 durable transactions a second on two cores), and
// several processes share a server's connections.
const MAX_CONNECTIONS = 16;
// Our statements take milliseconds; what takes longer holds locks that others wait for.
const STATEMENT_LIMIT_MS = 30_000;
// The server's limit is no use when the server is unreachable and the network says nothing.
const RESPONSE_LIMIT_MS = STATEMENT_LIMIT_MS + 5_000;
// A process that pauses inside a transaction must not hold its locks over everybody else.
const IDLE_IN_TRANSACTION_LIMIT_MS = 5_000;

export function openPool(options: PoolOptions): Pool {
  let pool = newPool(options);
  const pulse = openPulse(options);
  const watch = watchSilence({
    ask: pulse.ask,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    onSilent() {
      // Connections in use are cut, and idle ones may be dead as well: none of them is used again.
      const old = pool;
      pool = newPool(options);
      void old.end().catch(() => undefined);
    },
  });
  const lend = createWatchedConnect(() => pool, watch);
  return {
    ...queryable(async (text, values) => {
      const client = await lend();
      try {
        const result = await client.run(text, values);
        client.release();
        return result;
      } catch (error) {
        client.release(error instanceof Error ? error : true);
        throw error;
      }
    }),
    transaction: async (work, transactionOptions) => transaction(await lend(), work, transactionOptions),
    async close() {
      watch.close();
      await Promise.all([pool.end(), pulse.close()]);
    },
  };
}

function newPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    ...connectionConfig(options.url, options.applicationName),
    max: options.maxConnections ?? MAX_CONNECTIONS,
    idleTimeoutMillis: 60_000,
    query_timeout: RESPONSE_LIMIT_MS,
    onConnect: async (client) => {
      await client.query(`${SESSION}; set statement_timeout = ${STATEMENT_LIMIT_MS};
        set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_LIMIT_MS}`);
    },
  });
  // An idle connection that breaks leaves the pool by itself; the next statement opens another or says
  // what is wrong. Without a listener the event would end the program.
  pool.on("error", () => undefined);
  return pool;
}

/** A connection on loan; what runs on it is cut where the server falls silent. */
interface BorrowedConnection {
  readonly run: Run;
  /** Gives it back; with an error it is closed. */
  release(broken?: Error | boolean): void;
}

function createWatchedConnect(pool: () => pg.Pool, watch: SilenceWatch): () => Promise<BorrowedConnection> {
  return async () => {
    const client = await connectWatched(pool(), watch);
    // While it is lent out the pool does not listen; the statement under way reports the loss.
    const ignore = (): void => undefined;
    client.on("error", ignore);
    return {
      async run(text, values) {
        const end = watch.begin(() => client.connection.stream.destroy());
        try {
          const result = await runOn(client, text, values);
          end(true);
          return result;
        } catch (error) {
          end(isResponse(error));
          throw error;
        }
      },
      release(broken) {
        client.off("error", ignore);
        client.release(broken);
      },
    };
  };
}

/** Waits for a connection, and no longer once the server is silent. */
function connectWatched(pool: pg.Pool, watch: SilenceWatch): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    let rejected = false;
    const end = watch.begin((error) => {
      rejected = true;
      reject(error);
    });
    pool.connect().then(
      (client) => {
        // An idle one tells nothing of the server.
        end(false);
        if (rejected) client.release();
        else resolve(client);
      },
      (error: unknown) => {
        end(isResponse(error));
        reject(error);
      },
    );
  });
}

/** One statement at the driver. */
export type Run = (text: string, values?: readonly unknown[]) => Promise<pg.QueryResult>;

/** Statements on one connection, each when the one before is done; the driver asks for that. */
export function inSequence(run: Run): Run {
  let last: Promise<unknown> = Promise.resolve();
  return (text, values) => {
    const result = last.then(() => run(text, values));
    last = result.catch(() => undefined);
    return result;
  };
}

/** Runs one statement on a connection. */
export function runOn(
  source: Pick<pg.ClientBase, "query">,
  text: string,
  values?: readonly unknown[],
): Promise<pg.QueryResult> {
  // Without values the statement goes as plain text, which may then hold several.
  return values ? source.query(text, [...values]) : source.query(text);
}

/** The four ways to run a statement. */
function queryable(run: Run): Queryable {
  const query = async <Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> =>
    (await run(text, values)).rows as Row[];
  const maybeOne = async <Row extends object>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row | undefined> => {
    const rows = await query<Row>(text, values);
    if (rows.length > 1) throw new Error(`expected at most one row, got ${rows.length}: ${firstLine(text)}`);
    return rows[0];
  };
  return {
    query,
    maybeOne,
    one: async <Row extends object>(text: string, values?: readonly unknown[]): Promise<Row> => {
      const row = await maybeOne<Row>(text, values);
      if (!row) throw new Error(`expected one row, got none: ${firstLine(text)}`);
      return row;
    },
    execute: async (text, values) => (await run(text, values)).rowCount ?? 0,
  };
}

async function transaction<T>(
  client: BorrowedConnection,
  work: (tx: Queryable) => Promise<T>,
  { isolation = "read committed", readOnly = false }: TransactionOptions = {},
): Promise<T> {
  // Begin, work and end take turns, so that nothing started inside can run after the end, outside.
  const run = inSequence(client.run);
  let over = false;
  const runInside: Run = async (text, values) => {
    if (over) throw new Error("the transaction is over; a statement came too late");
    return run(text, values);
  };
  let broken: Error | undefined;
  try {
    await run(`begin isolation level ${isolation}${readOnly ? " read only" : ""}`);
    const result = await work(queryable(runInside));
    over = true;
    const { command } = await run("commit");
    // PostgreSQL answers the commit of a transaction in which a statement failed with a silent rollback.
    if (command !== "COMMIT")
      throw new Error("the transaction was rolled back: a failed statement in it was ignored");
    return result;
  } catch (error) {
    over = true;
    // A server that became read-only still answers; whoever connects anew may be led to the one that took its place.
    if (error instanceof Error && isConnectionLoss(error)) broken = error;
    await run("rollback").catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
