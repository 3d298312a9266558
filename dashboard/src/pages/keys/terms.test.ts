import { describe, expect, it } from "vitest";
import type { KeyRow } from "../../../../src/console/keys/contract.ts";
import { draftOf, termsOf } from "./terms.ts";

const KEY = {
  name: "ci",
  disabled: false,
  expires_at: null,
  spending_limit: null,
  rate_limits: { requests_per_minute: null, tokens_per_minute: null, concurrency: null },
  allowed_addresses: null,
};
const keyOf = (models: string[] | null) => ({ ...KEY, models }) as KeyRow;

describe("the form of a key", () => {
  it("says nothing of models that were not touched: none at all, or one that was removed, are still allowed or not", () => {
    for (const models of [[], ["gone"], ["a", "b"], null]) {
      const key = keyOf(models);
      const sent = termsOf({ ...draftOf(key), name: "ci-2" }, key);
      expect([sent?.name, sent !== undefined && "models" in sent]).toEqual(["ci-2", false]);
    }
  });

  it("sends the models that were typed, and that an emptied list allows every one", () => {
    const key = keyOf(["a"]);
    const sent = (models: string) => termsOf({ ...draftOf(key), models }, key)?.models;
    expect([sent("a, b\nc"), sent(" ")]).toEqual([["a", "b", "c"], null]);
  });
});
