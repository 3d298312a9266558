/**
 * What a store sees of PostgreSQL; stores depend on this interface alone, so they do not know whether
 * the server is the embedded one or one behind DATABASE_URL.
 *
 * Values read: `int8` is a bigint, `int2` and `int4` a number, `numeric` a string with every digit,
 * `timestamptz` and `timestamp` a Date (milliseconds; read as UTC), `date` a string `YYYY-MM-DD`,
 * `json` and `jsonb` the parsed value, `bytea` a Buffer, arrays of these an array. Beware that
 * `count(*)` and `sum(int4)` are int8, and `sum(int8)` is numeric: cast (`sum(x)::int8`) what must be
 * a bigint.
 *
 * Values given: bigint, number, string, boolean, Date, Buffer, null, arrays of these (a `text[]` or
 * `int8[]` parameter). A json parameter is passed as text made by JSON.stringify, since pg would take
 * an array for a PostgreSQL array.
 */
export interface Queryable {
  /** Runs one statement and gives its rows. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The single row of a statement; throws unless there is exactly one. */
  one<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row>;
  /** The row of a statement that yields at most one; throws on more. */
  maybeOne<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row | undefined>;
  /** Runs a statement and gives the number of rows it touched. */
  execute(text: string, values?: readonly unknown[]): Promise<number>;
}

export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction on one connection: committed when it resolves, rolled back when it
   * rejects, and the error is passed on. Never repeated by itself. A connection lost during the commit
   * rejects although the server may have committed (`isConnectionLoss`): whoever must know asks again.
   * Do nothing slow inside: PostgreSQL ends a transaction that idles for 5 s.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Hears NOTIFY on a channel; resolves once the server listens, or after a few seconds without one (it
   * then goes on trying). See Subscription for what is called when. The function it gives ends it.
   */
  listen(subscription: Subscription): Promise<() => Promise<void>>;
  /** No response within this time counts as an outage: what waits is cut, and callers get 503. */
  readonly timeoutMs: number;
  /** Rejects with a clear sentence unless the server answers within a second, or `timeoutMs` where that is longer. */
  ping(): Promise<void>;
  /**
   * A DATABASE_URL by which other processes of this machine reach the same database. It holds the password: never log
   * it.
   */
  readonly url: string;
  /** Waits for running statements, closes every connection, and stops the embedded server if nobody else uses it. */
  close(): Promise<void>;
}

export interface TransactionOptions {
  /** Default "read committed". */
  readonly isolation?: "read committed" | "repeatable read" | "serializable";
  readonly readOnly?: boolean;
}

/**
 * A listener that stays true even where a message is lost. `onMessage` is only the fast path;
 * `refresh` must by itself bring the subscriber up to date.
 */
export interface Subscription {
  /** An SQL identifier in lower case, such as `keys_changed`. */
  readonly channel: string;
  /** Called with the payload ("" where none) of each NOTIFY that arrived. */
  onMessage(payload: string): void;
  /**
   * Called after every (re)connect, as something may have been missed, and at least every 5 s even
   * while the listening connection is down. One call at a time; an error it throws is logged.
   */
  refresh?(): void | Promise<void>;
}

/** The two words storage needs of a logger; pino's fits. */
export interface DatabaseLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The wall clock of the database's machine, in milliseconds since 1970. */
export async function databaseNowMs(db: Queryable): Promise<number> {
  const { ms } = await db.one<{ ms: number }>("select (extract(epoch from now()) * 1000)::float8 as ms");
  return ms;
}
