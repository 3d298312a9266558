import type { Caller } from "../../src/accounts/caller.ts";
import type { Nanos } from "../../src/base/money.ts";
import type { Queryable } from "../../src/storage/database.ts";

/** A charge beyond all that an account had, as programs posted it that did not let a hold grow first. */
export async function bear(
  db: Queryable,
  { accountId }: Pick<Caller, "accountId">,
  nanos: Nanos,
): Promise<void> {
  const ledger = `account:${accountId}`;
  await db.execute(
    `insert into transfers (key, kind, ledger, from_side, to_side, amount, reference)
     values ($1, 'post', $2, 'loss', 'revenue', $3, 'flush:older:1')`,
    [`borne:${ledger}`, ledger, nanos],
  );
}
