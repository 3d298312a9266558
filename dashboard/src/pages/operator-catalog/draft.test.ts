import { describe, expect, it } from "vitest";
import type { Model } from "../../../../src/console/catalog/contract.ts";
import { draftOf, termsOf } from "./draft.ts";

const MODEL = {
  id: "text",
  family: null,
  variant: null,
  owned_by: "acme",
  created: 1,
  endpoints: ["oa"],
  context_tokens: 1000,
  max_output_tokens: 100,
  fallbacks: [{ model: "b", on: ["unavailable", "refusal"] }],
  price: { input: "3", output: "15" },
  coming_prices: [{ from: "2100-01-01T00:00:00Z", input: "5", output: "20" }],
  quirks: {},
};

describe("the form of a model", () => {
  it("keeps fallbacks, reads them one to a line, and fills in the usual reasons", () => {
    const draft = draftOf({ ...MODEL, alias_of: null, groups: null } as unknown as Model);
    expect(termsOf(draft).fallbacks).toEqual(MODEL.fallbacks);
    expect(termsOf({ ...draft, fallbacks: "b context_length\n\nc" }).fallbacks).toEqual([
      { model: "b", on: ["context_length"] },
      { model: "c", on: ["unavailable", "rate_limited"] },
    ]);
  });

  it("sends of an alias nothing but its name and its model", () => {
    const draft = draftOf({ ...MODEL, alias_of: "large", groups: null } as unknown as Model);
    expect(termsOf(draft)).toEqual({ alias_of: "large", created: 1 });
  });

  it("keeps a model closed to every group, or open to all or some, where only its price is changed", () => {
    for (const groups of [[], null, ["partners"]]) {
      const draft = draftOf({ ...MODEL, groups } as unknown as Model);
      const { coming_prices } = MODEL;
      const dearer = { ...draft, rates: { ...draft.rates, input: "4" } };
      expect(termsOf(dearer)).toMatchObject({ groups, price: { input: "4", output: "15" }, coming_prices });
    }
  });
});
