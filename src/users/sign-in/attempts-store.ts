import type { Database, Queryable } from "../../storage/database.ts";

/** Ten failures in a quarter of an hour are a user who forgot the password; more are a program. */
const MAX_OF_COUNTER = 10;

/** A whole office may share one network address. */
const MAX_OF_ADDRESS = 100;

const WINDOW = "15 minutes";
const WINDOW_SECONDS = 900;

export interface Attempt {
  /** Identifies what is counted: an e-mail address, a known browser, or a password that the gateway generated. */
  readonly counter: Buffer;
  readonly address: string;
  /**
   * True if the attempt counts for the network address without being limited by it, so that strangers on the same
   * network cannot lock the user out.
   */
  readonly known: boolean;
}

/**
 * Counts an attempt as a failure before it is checked, so that many simultaneous ones cannot all pass as the tenth. A
 * success takes it back. Returns undefined, or the seconds until the next attempt is allowed; then nothing was counted.
 */
export function beginAttempt(database: Database, attempt: Attempt): Promise<number | undefined> {
  return database.transaction(async (tx) => {
    // Serialises attempts of one counter, also those in other processes.
    await tx.execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
      `sign-in ${attempt.counter.toString("hex")}`,
    ]);
    const wait = await waitOf(tx, attempt);
    if (wait !== undefined) return wait;
    // Skips rows that another process is about to delete: waiting for each other could deadlock.
    await tx.execute(
      `delete from sign_in_failures where id in (
         select id from sign_in_failures where at < now() - interval '${WINDOW}' limit 1000 for update skip locked)`,
    );
    await tx.execute("insert into sign_in_failures (email_hash, address) values ($1, $2)", [
      attempt.counter,
      attempt.address,
    ]);
    return undefined;
  });
}

/** Forgets the counted failures after a success, also those of the network address. */
export async function forgiveAttempts(tx: Queryable, counter: Buffer): Promise<void> {
  await tx.execute("delete from sign_in_failures where email_hash = $1", [counter]);
}

async function waitOf(tx: Queryable, { counter, address, known }: Attempt): Promise<number | undefined> {
  const { wait } = await tx.one<{ wait: number | null }>(
    `select ceil(extract(epoch from max(at) + interval '${WINDOW}' - now()))::int4 as wait from (
       (select at from sign_in_failures where email_hash = $1 and at > now() - interval '${WINDOW}'
         order by at desc offset ${MAX_OF_COUNTER - 1} limit 1)
       union all
       (select at from sign_in_failures where not $3 and address = $2 and at > now() - interval '${WINDOW}'
         order by at desc offset ${MAX_OF_ADDRESS - 1} limit 1)
     ) as tenth`,
    [counter, address, known],
  );
  return wait === null ? undefined : Math.min(Math.max(wait, 1), WINDOW_SECONDS);
}
