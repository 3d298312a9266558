import type { z } from "zod";
import { assert } from "../../base/assert.ts";
import { formatUsd } from "../../base/money.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleDeps } from "../deps.ts";
import { csvLine } from "../linked-file.ts";
import { json, type Operation, text } from "../operation.ts";
import { type Margin, type MarginSums, margins, marginsQuery } from "./contract.ts";
import { type MarginsSpan, readMargins, type StoredMargin } from "./margins-store.ts";

const described = { policy: "operator", tag: "ledger", query: marginsQuery } as const;

/** The revenue of text requests and their vendors' costs, for operators. */
export function marginsOperations(deps: ConsoleDeps): readonly Operation[] {
  return [show(deps), exportCsv(deps)];
}

/** More rows than these nobody reads on a page. */
const SHOWN = 1_000;

function show({ database, clock }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path: "/operator/margins",
    summary: "Charges, costs and margins of text requests, by upstream, model, account or month",
    response: margins,
    async run({ query }) {
      const wanted = wantedOf(query, clock.nowMs());
      const [all, ...rows] = await readMargins(database, wanted, SHOWN);
      assert(all, "a sum has a row");
      const { from, to } = wanted;
      return { from, to, totals: sumsOf(all), data: rows.map(marginOf) };
    },
  });
}

function exportCsv({ database, clock }: ConsoleDeps): Operation {
  return text({
    ...described,
    path: "/operator/margins.csv",
    summary: "The full list as a CSV file",
    contentType: "text/csv; charset=utf-8",
    fileName: ({ query }) => `margins-by-${query.by}.csv`,
    async *run({ query }) {
      yield csvLine(["id", "name", ...COLUMNS.map(([title]) => title)]);
      const [, ...rows] = await readMargins(database, wantedOf(query, clock.nowMs()), null);
      yield rows
        .map(marginOf)
        .map((row) => csvLine([row.id, row.name, ...COLUMNS.map(([, cellOf]) => cellOf(row))]))
        .join("");
    },
  });
}

/** Amounts are in US dollars, as in every file of the console. */
const COLUMNS: readonly (readonly [title: string, valueOf: (row: MarginSums) => number | string])[] = [
  ["attempts", (row) => row.attempts],
  ["unknown", (row) => row.unknown],
  ["charge_usd", (row) => usd(row.charge_nanos)],
  ["cost_usd", (row) => usd(row.cost_nanos)],
  ["margin_usd", (row) => usd(row.margin_nanos)],
  ["stated_attempts", (row) => row.stated_attempts],
  ["stated_usd", (row) => usd(row.stated_nanos)],
  ["stated_cost_usd", (row) => usd(row.stated_cost_nanos)],
];

function usd(nanos: string): string {
  return formatUsd(BigInt(nanos));
}

const DAY_MS = 86_400_000;

function wantedOf({ from, to, by }: z.output<typeof marginsQuery>, nowMs: number): MarginsSpan {
  const last = to ?? dayAt(nowMs);
  const first = from ?? dayAt(Date.parse(last) - 29 * DAY_MS);
  if (first > last)
    throw new GatewayError("invalid_request", "to: is before the first day.", { param: "to" });
  return { from: first, to: last, by };
}

function dayAt(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function marginOf(row: StoredMargin): Margin {
  return { id: row.id ?? "", name: row.name, ...sumsOf(row) };
}

function sumsOf(row: StoredMargin): MarginSums {
  return {
    attempts: Number(row.attempts),
    unknown: Number(row.unknown),
    charge_nanos: String(row.chargeNanos),
    cost_nanos: row.costNanos,
    margin_nanos: String(row.chargeNanos - BigInt(row.costNanos)),
    stated_attempts: Number(row.statedAttempts),
    stated_nanos: row.statedNanos,
    stated_cost_nanos: row.statedCostNanos,
  };
}
