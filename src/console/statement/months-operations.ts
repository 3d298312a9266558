import { readBillingDetails } from "../../accounts/billing-details-store.ts";
import type { AccountId } from "../../accounts/caller.ts";
import { formatUsd } from "../../base/money.ts";
import type { Queryable } from "../../storage/database.ts";
import type { ConsoleDeps } from "../deps.ts";
import { notFound, wrongMark } from "../input.ts";
import { csvLine } from "../linked-file.ts";
import { json, type Operation, text } from "../operation.ts";
import {
  monthStatement,
  monthsQuery,
  rowsQuery,
  type StatementMonth,
  type StatementRow,
  statementMonths,
  statementRows,
} from "./months-contract.ts";
import {
  type MonthRow,
  type MonthSums,
  type RowsQuery,
  readMonth,
  readMonthRows,
  readMonths,
  USAGE_PLACE,
} from "./months-store.ts";

/** Statements by month: opening balance, a row per day of usage and per other entry, closing balance. */
export function monthsOperations(deps: ConsoleDeps): readonly Operation[] {
  return [list(deps), show(deps), rows(deps), exportCsv(deps)];
}

const described = { policy: "viewer", tag: "billing" } as const;
const MONTHS = "/accounts/{account}/statements";
const MONTH = `${MONTHS}/{month}`;

function list({ database, clock }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path: MONTHS,
    summary: "Monthly statements, newest first: opening and closing balance, credits and charges",
    query: monthsQuery,
    response: statementMonths,
    async run(call) {
      const { after, limit } = call.query;
      const current = monthOf(clock.nowMs());
      const before = after ?? NO_MONTH;
      if (after !== undefined && !MONTH_TEXT.test(after)) throw wrongMark();
      const query = { accountId: call.account().id, current, before, limit: limit + 1 };
      const found = await readMonths(database, query);
      const data = found.slice(0, limit).map((sums) => monthResponse(sums, current));
      return { data, next: found.length > limit ? (data.at(-1)?.month ?? null) : null };
    },
  });
}

function show({ database, clock }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path: MONTH,
    summary: "A monthly statement without its rows, with the account's billing details",
    response: monthStatement,
    async run(call) {
      const { id, name } = call.account();
      const current = monthOf(clock.nowMs());
      const sums = await readMonth(database, id, knownMonth(call.params["month"], current));
      const { legalName, address, taxId } = await readBillingDetails(database, id);
      return {
        ...monthResponse(sums, current),
        currency: "USD" as const,
        account: { id: String(id), name, legal_name: legalName, address, tax_id: taxId },
      };
    },
  });
}

function rows({ database, clock }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path: `${MONTH}/rows`,
    summary: "Rows of a monthly statement, oldest first: one per day of usage, one per other entry",
    query: rowsQuery,
    response: statementRows,
    run: (call) => {
      const after = readMark(call.query.after);
      const month = knownMonth(call.params["month"], monthOf(clock.nowMs()));
      return readRowsPage(database, { accountId: call.account().id, month, after, limit: call.query.limit });
    },
  });
}

function exportCsv({ database, clock }: ConsoleDeps): Operation {
  return text({
    ...described,
    path: `${MONTH}/rows.csv`,
    summary: "A monthly statement as CSV, with a line each for the opening and the closing balance",
    contentType: "text/csv; charset=utf-8",
    fileName: (call) => `statement-${call.account().id}-${call.params["month"]}.csv`,
    run(call) {
      const month = knownMonth(call.params["month"], monthOf(clock.nowMs()));
      return monthCsv(database, call.account().id, month);
    },
  });
}

/** A page of a month's rows. */
export async function readRowsPage(
  db: Queryable,
  query: RowsQuery,
): Promise<{ data: StatementRow[]; next: string | null }> {
  const found = await readMonthRows(db, { ...query, limit: query.limit + 1 });
  const shown = found.slice(0, query.limit);
  const last = shown.at(-1);
  const next = found.length > query.limit && last !== undefined ? `${last.day}~${last.place}` : null;
  return { data: shown.map(rowResponse), next };
}

/** Reads `after` of the rows' list; null = from the beginning. Throws 400 on what the list has not given. */
export function readMark(after: string | undefined): RowsQuery["after"] {
  if (after === undefined) return null;
  const [, day, place] = /^(2\d{3}-\d{2}-\d{2})~(\d{1,19})$/.exec(after) ?? [];
  if (day === undefined || place === undefined || !isDay(day) || BigInt(place) > USAGE_PLACE)
    throw wrongMark();
  return { day, place: BigInt(place) };
}

/** The 31st of February is none. */
function isDay(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** Rows read at once: some 500 KB in memory, whatever the length of the statement. */
const PAGE = 1_000;

/** A month as CSV (RFC 4180), in dollars with every digit: the changes add up from the opening balance to the closing one. */
export async function* monthCsv(db: Queryable, accountId: AccountId, month: string): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  const sums = await readMonth(db, accountId, month);
  let balance = formatUsd(sums.openingNanos);
  yield csvLine([`${month}-01`, "", "opening_balance", "", "", balance, "", "", "", "", "", "", ""]);
  let after: string | null = null;
  do {
    const query = { accountId, month, limit: PAGE, after: readMark(after ?? undefined) };
    const { data, next } = await readRowsPage(db, query);
    balance = data.at(-1)?.balance_after_usd ?? balance;
    yield data.map((row) => csvLine(cells(row))).join("");
    after = next;
  } while (after !== null);
  yield csvLine([lastDay(month), "", "closing_balance", "", "", balance, "", "", "", "", "", "", ""]);
}

const COLUMNS = [
  ...[
    "day",
    "at",
    "kind",
    "amount_usd",
    "change_usd",
    "balance_after_usd",
    "requests",
    "text_usd",
    "tasks_usd",
  ],
  ...["absorbed_usd", "entry", "reference", "reason"],
];

function cells(row: StatementRow): (string | number | null)[] {
  const { usage, reference } = row;
  return [
    ...[row.day, row.at, row.kind, row.amount_usd, row.change_usd, row.balance_after_usd],
    ...[
      usage?.requests ?? null,
      usage?.text_usd ?? null,
      usage?.tasks_usd ?? null,
      usage?.absorbed_usd ?? null,
    ],
    ...[row.entry, reference === null ? null : `${reference.type}:${reference.id}`, row.reason],
  ];
}

function monthResponse(sums: MonthSums, current: string): StatementMonth {
  const { month, openingNanos, creditedNanos, debitedNanos, textNanos, tasksNanos } = sums;
  const closingNanos = openingNanos + creditedNanos - debitedNanos - textNanos - tasksNanos;
  return {
    month,
    complete: month < current,
    opening_nanos: String(openingNanos),
    opening_usd: formatUsd(openingNanos),
    credited_nanos: String(creditedNanos),
    credited_usd: formatUsd(creditedNanos),
    debited_nanos: String(debitedNanos),
    debited_usd: formatUsd(debitedNanos),
    text_nanos: String(textNanos),
    text_usd: formatUsd(textNanos),
    tasks_nanos: String(tasksNanos),
    tasks_usd: formatUsd(tasksNanos),
    closing_nanos: String(closingNanos),
    closing_usd: formatUsd(closingNanos),
  };
}

function rowResponse(row: MonthRow): StatementRow {
  const isUsage = row.at === null;
  return {
    day: row.day,
    at: row.at?.toISOString() ?? null,
    kind: kindOf(row),
    amount_nanos: String(row.amountNanos),
    amount_usd: formatUsd(row.amountNanos),
    change_nanos: String(row.changeNanos),
    change_usd: formatUsd(row.changeNanos),
    balance_after_nanos: String(row.balanceNanos),
    balance_after_usd: formatUsd(row.balanceNanos),
    entry: isUsage ? null : String(row.place),
    reference: row.reference === null ? null : referenceOf(row.reference),
    reason: row.reason,
    usage: isUsage
      ? {
          requests: Number(row.requests),
          text_nanos: String(row.textNanos),
          text_usd: formatUsd(row.textNanos),
          tasks_nanos: String(row.tasksNanos),
          tasks_usd: formatUsd(row.tasksNanos),
          absorbed_nanos: String(row.absorbedNanos),
          absorbed_usd: formatUsd(row.absorbedNanos),
        }
      : null,
  };
}

function kindOf({ kind, reference }: MonthRow): StatementRow["kind"] {
  switch (kind) {
    case "opening":
    case "debit":
    case "usage":
      return kind;
    case "credit":
      return reference?.startsWith("code:") === true ? "code" : "credit";
    case "release":
      return "refund";
    default:
      throw new Error(`impossible: a monthly statement has a row of the kind ${kind}`);
  }
}

/** `code:12` and `task:task_abc` name what the row is for; anything else is the account's own. */
function referenceOf(reference: string): StatementRow["reference"] {
  const colon = reference.indexOf(":");
  const type = reference.slice(0, colon);
  return { type: type === "code" || type === "task" ? type : "account", id: reference.slice(colon + 1) };
}

const MONTH_TEXT = /^\d{4}-(0[1-9]|1[0-2])$/;
/** Later than every month. */
const NO_MONTH = "9999-99";

function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

/** The month of a path: one that has begun. The first gateway is younger than this century. */
function knownMonth(text: string | undefined, current: string): string {
  if (text === undefined || !MONTH_TEXT.test(text) || text > current || text < "2000-01")
    throw notFound("statement");
  return text;
}

function lastDay(month: string): string {
  const [year, number] = month.split("-").map(Number);
  return new Date(Date.UTC(year ?? 0, number ?? 0, 0)).toISOString().slice(0, 10);
}
