import { type AccountRecord, findAccount, readAccounts } from "../accounts/accounts-store.ts";
import { closestMatch } from "../base/text.ts";
import type { Queryable } from "../storage/database.ts";
import { CommandFailure } from "./command.ts";

/** The account of a name that somebody typed; the failure names those that there are, or the one that was meant. */
export async function namedAccount(db: Queryable, name: string): Promise<AccountRecord> {
  const account = await findAccount(db, name);
  if (account !== undefined) return account;
  const names = (await readAccounts(db)).map((each) => each.name);
  const near = closestMatch(name, names);
  const hint = near === undefined ? `there are: ${names.join(", ") || "none"}` : `did you mean "${near}"?`;
  throw new CommandFailure(`there is no account "${name}"; ${hint}`);
}
