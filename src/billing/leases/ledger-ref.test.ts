import { describe, expect, it } from "vitest";
import type { AccountId, KeyId } from "../../accounts/caller.ts";
import { ledgersOf, periodStart } from "./ledger-ref.ts";

describe("the period of a spending limit", () => {
  it.each([
    ["day", "2026-11-21T23:59:59.999Z", "2026-11-21"],
    ["week", "2026-11-22T12:00:00Z", "2026-11-16"], // a Sunday belongs to the Monday before
    ["week", "2026-11-23T00:00:00Z", "2026-11-23"],
    ["week", "2027-01-01T00:00:00Z", "2026-12-28"],
    ["month", "2026-11-30T23:00:00Z", "2026-11-01"],
    ["total", "2026-11-21T00:00:00Z", "1970-01-01"],
  ] as const)("%s of %s begins on %s", (period, at, start) => {
    expect(periodStart(period, Date.parse(at))).toBe(start);
  });
});

it("balances sort before limits, which is the order of their locks", () => {
  const caller = {
    accountId: 5n as AccountId,
    accountName: "a",
    group: "default",
    keyId: 1n as KeyId,
    keyName: "k",
    models: null,
    spendingLimit: { amountNanos: 1n, period: "day" as const },
    rateLimits: null,
  };
  const ids = ledgersOf(caller, Date.parse("2026-11-21T00:00:00Z")).map(({ id }) => id);
  expect(ids).toEqual(["account:5", "limit:1:day:2026-11-21"]);
  expect([...ids].sort()).toEqual(ids);
});
