import pg from "pg";
import type { Queryable, TransactionOptions } from "./database.ts";
import { isConnectionLoss } from "./failures.ts";

export interface PoolOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly maxConnections?: number;
}

/** A bounded set of connections; see Database for what its functions promise. */
export interface Pool extends Queryable {
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>;
  close(): Promise<void>;
}

// Throughput is flat from about 16 sessions on (9,000 durable transactions a second on two cores), and
// several processes share a server's connections.
const MAX_CONNECTIONS = 16;
// Whoever waits this long for a connection meets an overload or an outage, and 5 s is also the age at
// which balances count as stale.
const CONNECT_LIMIT_MS = 5_000;
// Our statements take milliseconds; what takes longer holds locks that others wait for.
const STATEMENT_LIMIT_MS = 30_000;
// The server's limit is no use when the server is unreachable and the network says nothing.
const ANSWER_LIMIT_MS = STATEMENT_LIMIT_MS + 5_000;
// A process that pauses inside a transaction must not hold its locks over everybody else.
const IDLE_IN_TRANSACTION_LIMIT_MS = 5_000;

/**
 * What a server, a database or a role may have set to suit others: how dates are spelt, which statements and
 * their readers rely on, and limits, which are ours to choose. Said by a statement, since poolers between us
 * and the server refuse it in the first packet.
 */
const SESSION = `set datestyle = 'ISO'; set timezone = 'UTC'; set default_transaction_isolation = 'read committed';
  set statement_timeout = 0; set lock_timeout = 0; set idle_session_timeout = 0`;

/** Connects a client made with `connectionConfig`. */
export async function connect(client: pg.Client): Promise<void> {
  await client.connect();
  try {
    await client.query(SESSION);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

/** What all our connections have in common. */
export function connectionConfig(url: string, applicationName: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName,
    types: { getTypeParser },
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

export function openPool(options: PoolOptions): Pool {
  const pool = new pg.Pool({
    ...connectionConfig(options.url, options.applicationName),
    max: options.maxConnections ?? MAX_CONNECTIONS,
    idleTimeoutMillis: 60_000,
    query_timeout: ANSWER_LIMIT_MS,
    onConnect: async (client) => {
      await client.query(`${SESSION}; set statement_timeout = ${STATEMENT_LIMIT_MS};
        set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_LIMIT_MS}`);
    },
  });
  // An idle connection that breaks leaves the pool by itself; the next statement opens another or says
  // what is wrong. Without a listener the event would end the program.
  pool.on("error", () => undefined);
  return {
    ...queryable((text, values) => runOn(pool, text, values)),
    transaction: (work, transactionOptions) => transaction(pool, work, transactionOptions),
    close: () => pool.end(),
  };
}

/** One statement at the driver. */
export type Run = (text: string, values?: readonly unknown[]) => Promise<pg.QueryResult>;

/** Statements on one connection, each when the one before is done; the driver asks for that. */
export function inTurn(client: pg.ClientBase): Run {
  let last: Promise<unknown> = Promise.resolve();
  return (text, values) => {
    const result = last.then(() => runOn(client, text, values));
    last = result.catch(() => undefined);
    return result;
  };
}

function runOn(
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
  pool: pg.Pool,
  work: (tx: Queryable) => Promise<T>,
  { isolation = "read committed", readOnly = false }: TransactionOptions = {},
): Promise<T> {
  const client = await pool.connect();
  // While it is lent out the pool does not listen; the statement under way reports the loss.
  const ignore = (): void => undefined;
  client.on("error", ignore);
  // Begin, work and end take turns, so that nothing started inside can run after the end, outside.
  const run = inTurn(client);
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
    client.off("error", ignore);
    client.release(broken);
  }
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

// Types by their fixed numbers in pg_type; `Database` documents the result.
const INT8 = 20;
const INT8_ARRAY: number = 1016;
const DATE = 1082;
const TIMESTAMP = 1114;

function getTypeParser(oid: number, format?: "text" | "binary"): (text: string) => unknown {
  if (format !== "binary") {
    if (oid === INT8) return BigInt;
    if (oid === INT8_ARRAY) return (text) => bigints(pg.types.getTypeParser(INT8_ARRAY, "text")(text));
    if (oid === DATE) return (text) => text;
    // The driver would read it as local time.
    if (oid === TIMESTAMP) return (text) => new Date(`${text.replace(" ", "T")}Z`);
  }
  return pg.types.getTypeParser(oid, format as "text");
}

function bigints(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bigints);
  return value === null ? null : BigInt(String(value));
}
