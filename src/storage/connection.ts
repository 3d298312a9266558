import pg from "pg";

// A longer wait for a connection means an overload or an outage, and 5 s is also the age at which balances count as
// stale.
const CONNECT_LIMIT_MS = 5_000;

/**
 * Settings that a server, a database or a role may have changed for others: the spelling of dates, which statements and
 * their readers rely on, and limits, which are the gateway's to choose. A statement sets them, since poolers between
 * the gateway and the server refuse them in the first packet.
 */
export const SESSION = `set datestyle = 'ISO'; set timezone = 'UTC'; set default_transaction_isolation = 'read committed';
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

/** The settings that all connections of the gateway share. */
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
