import { describe, expect, it } from "vitest";
import type { Model } from "../../../../src/console/catalog/contract.ts";
import {
  type ComingDraft,
  draftOf,
  EMPTY_DRAFT,
  fromFault,
  isSound,
  termsOf,
  unshownOf,
  withComing,
} from "./draft.ts";

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
  order: "cost",
  price: { input: "3", output: "15" },
  coming_prices: [{ from: "2100-01-01T00:00:00Z", input: "5", output: "20" }],
  quirks: {},
};

describe("the form of a model", () => {
  it("keeps the order of upstreams and fallbacks, reads them one to a line, and fills in the usual reasons", () => {
    const draft = draftOf({ ...MODEL, alias_of: null, groups: null } as unknown as Model);
    expect(termsOf(draft).fallbacks).toEqual(MODEL.fallbacks);
    expect([termsOf(draft).order, termsOf({ ...draft, order: "" }).order]).toEqual(["cost", null]);
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

describe("coming prices in the form of a model", () => {
  const draft = draftOf({ ...MODEL, alias_of: null, groups: null } as unknown as Model);
  const coming = (...moments: string[]): ComingDraft[] =>
    moments.map((from) => ({ ...EMPTY_DRAFT, rates: { ...EMPTY_DRAFT.rates, input: "7" }, from }));

  it("are added as a copy of the last price, with what only the catalog file edits, and without a time", () => {
    const price = {
      input: "3",
      tiers: { flex: { factor: "0.5" } },
      calls: { search: { low: "1" }, page: "2" },
    };
    const begun = draftOf({ ...MODEL, price, coming_prices: [], alias_of: null } as unknown as Model);
    const [added] = withComing(begun);
    expect(added).toMatchObject({ from: "", rates: { input: "3" }, listed: { calls: "page 2" } });
    expect(added && unshownOf(added)).toEqual(["tiers", "calls"]);
    const typed = withComing(begun).map((each) => ({ ...each, from: "2100-01-01T00:00:00Z" }));
    expect(termsOf({ ...begun, coming: typed }).coming_prices).toEqual([
      { from: "2100-01-01T00:00:00Z", ...price },
    ]);
    expect(withComing(draft)[1]).toMatchObject({ from: "", rates: { input: "5", output: "20" } });
  });

  it("are changed and removed, one without another", () => {
    const two = [...draft.coming, ...coming("2100-02-01T00:00:00Z")];
    expect(termsOf({ ...draft, coming: two }).coming_prices).toEqual([
      ...MODEL.coming_prices,
      { from: "2100-02-01T00:00:00Z", input: "7" },
    ]);
    expect(termsOf({ ...draft, coming: [] }).coming_prices).toEqual([]);
  });

  it.each([
    ["2100-01-01T00:00:00Z", "2100-01-01T00:00:00Z"],
    [" 2100-01-01T08:00+08:00 ", "2100-01-01T00:00:00Z"],
    ["2100-01-01T00:00:00.250Z", "2100-01-01T00:00:00.250Z"],
  ])("begin at %s, sent in UTC", (from, sent) => {
    expect(fromFault(coming(from), 0)).toBeUndefined();
    expect(termsOf({ ...draft, coming: coming(from) }).coming_prices?.[0]?.from).toBe(sent);
  });

  it.each([
    ["", undefined],
    ["2100-01-01", "badFrom"],
    ["2100-01-01T00:00:00", "badFrom"],
    ["2100-13-01T00:00:00Z", "badFrom"],
    ["tomorrow", "badFrom"],
    ["2100-02-01T00:00:00Z", "earlyFrom"],
    ["2100-02-01T01:00:00+01:00", "earlyFrom"],
    ["2100-02-01T00:00:01Z", undefined],
  ])("that begin at %j after another are checked: %s", (from, fault) => {
    const two = coming("2100-02-01T00:00:00Z", from);
    expect(fromFault(two, 1)).toBe(fault);
    expect(isSound({ ...draft, coming: two })).toBe(fault === undefined);
  });

  it("without an amount are sent for the gateway to refuse, never left out", () => {
    const lines = { ...EMPTY_DRAFT.listed, calls: "web_search\n\npage 2" };
    expect(termsOf({ ...draft, listed: lines }).price?.calls).toEqual({ web_search: "", page: "2" });
  });
});
