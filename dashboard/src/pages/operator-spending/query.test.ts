import { describe, expect, it } from "vitest";
import { SPENDING_BY as OFFERED } from "../../../../src/console/spending/operator-contract.ts";
import { PERIODS, periodOf, SPENDING_BY, spendingQueryOf } from "./query.ts";

describe("what the page of all spending asks for", () => {
  it("is this month unless the URL names a period or days", () => {
    expect(periodOf({})).toBe("this_month");
    expect(periodOf({ period: "never" })).toBe("this_month");
    for (const period of PERIODS) expect(periodOf({ period })).toBe(period);
    expect(periodOf({ period: "last_month", from: "2027-01-01" })).toBeUndefined();
  });

  it("has days or a period, never both", () => {
    expect(spendingQueryOf({ period: "last_month", from: "2027-01-01" }, "day")).toMatchObject({
      from: "2027-01-01",
    });
    expect(spendingQueryOf({ period: "last_month", from: "2027-01-01" }, "day")).not.toHaveProperty("period");
    expect(spendingQueryOf({ to: "2027-01-01" }, "day")).not.toHaveProperty("to");
  });

  it("leaves out filters that the console does not sum together with the breakdown", () => {
    expect(spendingQueryOf({ model: "m", account: "1" }, "key")).toEqual({
      period: "this_month",
      by: "key",
      account: "1",
      group: undefined,
    });
    expect(spendingQueryOf({ tag: "team=a", tag_key: "team" }, "tag")).toMatchObject({ tag_key: "team" });
    expect(spendingQueryOf({ tag: "team=a", tag_key: "team" }, "tag")).not.toHaveProperty("tag");
    expect(spendingQueryOf({ model: "m" }, "account")).toMatchObject({ model: "m" });
  });

  it("can be broken down by all that the console offers", () => {
    expect(SPENDING_BY).toEqual(OFFERED);
  });
});
