import { assert } from "../../base/assert.ts";
import { formatUsd } from "../../base/money.ts";
import type { ConsoleDeps } from "../deps.ts";
import { wrongMark } from "../input.ts";
import { json, type Operation, text } from "../operation.ts";
import {
  type OperatorSpendingGroup,
  type OperatorSpendingQuery,
  type OperatorSpendingSums,
  operatorSpending,
  operatorSpendingExportQuery,
  operatorSpendingQuery,
} from "./operator-contract.ts";
import {
  giveRoomForGroups,
  readSpending,
  type SpendingPlace,
  type SpendingWanted,
  type StoredSpending,
} from "./operator-spending-store.ts";
import {
  SPENDING_COLUMNS,
  type SpendingColumn,
  type SpendingLine,
  spendingLines,
  spendingTitles,
} from "./spending-csv.ts";
import { spanOf } from "./spending-span.ts";

const described = { policy: "operator", tag: "spending" } as const;

/** What all accounts spent, with what vendors bill for it. */
export function operatorSpendingOperations(deps: ConsoleDeps): readonly Operation[] {
  return [list(deps), exportCsv(deps)];
}

function list({ database, clock }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path: "/operator/spending",
    summary:
      "Charges, costs and margins of all accounts, by account, group, user, key, model, upstream or time",
    query: operatorSpendingQuery,
    response: operatorSpending,
    async run({ query }) {
      const wanted = wantedOf(query, clock.nowMs());
      const [all, ...found] = await readAll(database, wanted, placeOf(query.after), query.limit + 1);
      assert(all, "a sum has a row");
      const shown = found.slice(0, query.limit);
      const last = shown.at(-1);
      const more = found.length > query.limit && last !== undefined;
      const { from, to } = wanted;
      return {
        from,
        to,
        totals: sumsOf(all),
        data: shown.map(groupOf),
        next: more ? markOf({ chargeNanos: last.chargeNanos, id: last.id ?? "" }) : null,
      };
    },
  });
}

function exportCsv({ database, clock }: ConsoleDeps): Operation {
  return text({
    ...described,
    path: "/operator/spending.csv",
    summary: "The full list as a CSV file",
    query: operatorSpendingExportQuery,
    contentType: "text/csv; charset=utf-8",
    fileName({ query }) {
      const { from, to } = wantedOf(query, clock.nowMs());
      return `spending-${from}-${to}-by-${query.by}.csv`;
    },
    async *run({ query }) {
      const wanted = wantedOf(query, clock.nowMs());
      const { from, to, by } = wanted;
      yield spendingTitles(COLUMNS);
      const [, ...rows] = await readAll(database, wanted, undefined, null);
      yield spendingLines(
        COLUMNS,
        rows.map((row) => ({ ...groupOf(row), from, to, by })),
      );
    },
  });
}

function readAll(
  database: ConsoleDeps["database"],
  wanted: SpendingWanted,
  after: SpendingPlace | undefined,
  most: number | null,
): Promise<StoredSpending[]> {
  return database.transaction(async (tx) => {
    await giveRoomForGroups(tx);
    return readSpending(tx, wanted, after, most);
  });
}

/** Costs are for operators alone. */
const COLUMNS: readonly SpendingColumn<SpendingLine & OperatorSpendingSums>[] = [
  ...SPENDING_COLUMNS,
  ["cost_usd", (line) => line.cost_usd],
  ["margin_usd", (line) => line.margin_usd],
  ["unknown_costs", (line) => line.unknown_costs],
  ["unknown_charge_usd", (line) => line.unknown_charge_usd],
];

function wantedOf(query: OperatorSpendingQuery, nowMs: number): SpendingWanted {
  const { by, account, group, user, key, model, upstream, tag, tag_key } = query;
  return { ...spanOf(query, nowMs), by, account, group, user, key, model, upstream, tag, tag_key };
}

function groupOf(row: StoredSpending): OperatorSpendingGroup {
  const { id, name, accountId, accountName } = row;
  const account = accountId === null ? null : { id: String(accountId), name: accountName ?? "" };
  return { id: id ?? "", name, account, ...sumsOf(row) };
}

function sumsOf(row: StoredSpending): OperatorSpendingSums {
  const { chargeNanos, costNanos, marginNanos, unknownChargeNanos } = row;
  return {
    requests: Number(row.requests),
    errors: Number(row.errors),
    input_tokens: Number(row.inputTokens),
    output_tokens: Number(row.outputTokens),
    charge_nanos: String(chargeNanos),
    charge_usd: formatUsd(chargeNanos),
    cost_nanos: costNanos,
    cost_usd: formatUsd(BigInt(costNanos)),
    margin_nanos: marginNanos,
    margin_usd: formatUsd(BigInt(marginNanos)),
    unknown_costs: Number(row.unknownCosts),
    unknown_charge_nanos: String(unknownChargeNanos),
    unknown_charge_usd: formatUsd(unknownChargeNanos),
  };
}

/** The place of a group in the list, as the opaque word that a page gives as `next`. */
function markOf({ chargeNanos, id }: SpendingPlace): string {
  return Buffer.from(`${chargeNanos} ${id}`).toString("base64url");
}

function placeOf(after: string | undefined): SpendingPlace | undefined {
  if (after === undefined) return undefined;
  const [, charge, id] = /^(\d{1,18}) (.{0,300})$/su.exec(Buffer.from(after, "base64url").toString()) ?? [];
  if (charge === undefined || id === undefined || id.includes("\0")) throw wrongMark();
  return { chargeNanos: BigInt(charge), id };
}
