import { formatUsd } from "../../base/money.ts";
import type { Queryable } from "../../storage/database.ts";
import { csvLine } from "../csv.ts";
import type { StatementEntry } from "./contract.ts";
import { readStatementPage, type StatementWish } from "./pages.ts";

/** Rows read at once: some 500 KB in memory, whatever the length of the statement. */
const PAGE = 1_000;

/** The statement as CSV (RFC 4180), in dollars with every digit. */
export async function* statementCsv(
  db: Queryable,
  wish: Omit<StatementWish, "limit" | "after">,
): AsyncGenerator<string> {
  yield csvLine([
    ...["entry", "at", "kind", "amount_usd", "change_usd", "balance_after_usd"],
    ...["reference", "requests", "reason"],
  ]);
  let after: string | undefined;
  do {
    const { data, next } = await readStatementPage(db, { ...wish, limit: PAGE, after });
    yield data.map((entry) => csvLine(cells(entry))).join("");
    after = next ?? undefined;
  } while (after !== undefined);
}

function cells(entry: StatementEntry): string[] {
  const usd = (nanos: string | null): string => (nanos === null ? "" : formatUsd(BigInt(nanos)));
  return [
    ...[entry.id, entry.at, entry.kind],
    ...[usd(entry.amount_nanos), usd(entry.change_nanos), usd(entry.balance_after_nanos)],
    `${entry.reference.type}:${entry.reference.id}`,
    ...[String(entry.requests ?? ""), entry.reason ?? ""],
  ];
}
