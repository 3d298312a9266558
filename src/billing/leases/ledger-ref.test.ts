import { describe, expect, it } from "vitest";
import type { AccountId, KeyId } from "../../accounts/caller.ts";
import { ledgersOf, limitLedgerId, periodEnd, periodStart } from "./ledger-ref.ts";

describe("the period of a spending limit", () => {
  it.each([
    ["day", "2026-11-21T23:59:59.999Z", "2026-11-21", "2026-11-22T00:00:00Z"],
    ["week", "2026-11-22T12:00:00Z", "2026-11-16", "2026-11-23T00:00:00Z"], // a Sunday belongs to the Monday before
    ["week", "2026-11-23T00:00:00Z", "2026-11-23", "2026-11-30T00:00:00Z"],
    ["week", "2027-01-01T00:00:00Z", "2026-12-28", "2027-01-04T00:00:00Z"],
    ["month", "2026-12-31T23:00:00Z", "2026-12-01", "2027-01-01T00:00:00Z"],
    ["total", "2026-11-21T00:00:00Z", "1970-01-01", undefined],
  ] as const)("%s of %s begins on %s and ends at %s", (period, at, start, end) => {
    const atMs = Date.parse(at);
    expect(periodStart(period, atMs)).toBe(start);
    const id = limitLedgerId(1n as KeyId, period, atMs);
    expect(periodEnd({ id, accountId: 5n, allowanceNanos: 1n })).toBe(end);
  });
});

const BUDGET = { id: 1n, name: "b", amountNanos: 9n, period: "week", hard: false, model: null } as const;

it("balances sort before budgets and limits, which is the order of their locks", () => {
  const caller = {
    accountId: 5n as AccountId,
    accountName: "a",
    group: "default",
    keyId: 1n as KeyId,
    keyName: "k",
    models: null,
    spendingLimit: { amountNanos: 1n, period: "day" as const },
    budgets: [
      { ...BUDGET, id: 7n, hard: true },
      { ...BUDGET, id: 8n, model: "text-large" },
    ],
    tagKeys: [],
    rateLimits: null,
    allowedAddresses: null,
  };
  const idsFor = (model?: string) =>
    ledgersOf(caller, Date.parse("2026-11-21T00:00:00Z"), model).map(({ id }) => id);
  const common = ["account:5", "budget:7:week:2026-11-16", "limit:1:day:2026-11-21"];
  expect(idsFor()).toEqual(common);
  expect(idsFor("text-small")).toEqual(common);
  expect(idsFor("text-large")).toEqual(common.toSpliced(2, 0, "budget:8:week:2026-11-16"));
  expect(idsFor("text-large").sort()).toEqual(idsFor("text-large"));
});
