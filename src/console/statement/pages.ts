import type { Queryable } from "../../storage/database.ts";
import { wrongMark } from "../input.ts";
import type { Statement, StatementEntry, StatementView } from "./contract.ts";
import { changeOf, statementEntry } from "./entries.ts";
import { type EntryWish, readEntries } from "./statement-store.ts";

export interface StatementWish extends Omit<EntryWish, "before"> {
  readonly after?: string | undefined;
}

/**
 * A page of the statement. The balance after each entry is counted back from today's, and the mark of a page carries it
 * on to the next: entries of one ledger are numbered in the order in which they were made, so this is exact, as
 * long as no entry that changes the balance is left out.
 */
export async function readStatementPage(db: Queryable, wish: StatementWish): Promise<Statement> {
  const mark = wish.after === undefined ? undefined : readMark(wish.after);
  const page = await readEntries(db, { ...wish, before: mark?.id ?? null, limit: wish.limit + 1 });
  let balance = mark === undefined ? startOf(wish, page.balanceNanos) : mark.balanceNanos;
  const data: StatementEntry[] = [];
  for (const entry of page.entries.slice(0, wish.limit)) {
    data.push(statementEntry(entry, balance));
    if (balance !== null) balance -= changeOf(entry);
  }
  const last = data.at(-1);
  const isLast = page.entries.length <= wish.limit || last === undefined;
  return { data, next: isLast ? null : writeMark(last.id, balance) };
}

const COMPLETE: ReadonlySet<StatementView> = new Set(["changes", "everything"]);

function startOf({ view, to }: StatementWish, balanceNanos: bigint): bigint | null {
  return COMPLETE.has(view) && to === undefined ? balanceNanos : null;
}

function writeMark(id: string, balanceNanos: bigint | null): string {
  return Buffer.from(`${id} ${balanceNanos ?? ""}`).toString("base64url");
}

function readMark(after: string): { readonly id: bigint; readonly balanceNanos: bigint | null } {
  const text = Buffer.from(after, "base64url").toString();
  const [, id = "", balance = ""] = /^(\d{1,18}) (-?\d{0,19})$/.exec(text) ?? [];
  if (id === "") throw wrongMark();
  return { id: BigInt(id), balanceNanos: /\d/.test(balance) ? BigInt(balance) : null };
}
