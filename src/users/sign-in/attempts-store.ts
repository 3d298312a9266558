import type { Database, Queryable } from "../../storage/database.ts";

/** Ten in a quarter of an hour is a user who forgot, more is a program. */
const MAX_OF_COUNTER = 10;

/** A whole office may share an address. */
const MAX_OF_ADDRESS = 100;

const WINDOW = "15 minutes";
const WINDOW_SECONDS = 900;

export interface Attempt {
  /** What is counted: an address that strangers try, a browser that is known, a password that the gateway made. */
  readonly counter: Buffer;
  readonly address: string;
  /** It counts for the network's address and is not limited by it: strangers of the same network have no say in it. */
  readonly known: boolean;
}

/**
 * Counts an attempt as a failure before it is judged, so that many at once cannot all be the tenth; whoever
 * succeeds takes it back. Gives undefined, or in how many seconds to try again: then nothing was counted.
 */
export function beginAttempt(database: Database, attempt: Attempt): Promise<number | undefined> {
  return database.transaction(async (tx) => {
    // Attempts of one counter take turns, here and in other processes.
    await tx.execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
      `sign-in ${attempt.counter.toString("hex")}`,
    ]);
    const wait = await waitOf(tx, attempt);
    if (wait !== undefined) return wait;
    // Those that another process is about to take away are left to it: waiting for each other could lock both.
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

/** It was who they said: what was counted there is forgotten, also of the network's address. */
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
