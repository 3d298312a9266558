import { describe, expect, it } from "vitest";
import { formatDecimal } from "../../base/money.ts";
import { buildCatalog, type CatalogParts } from "../../catalog/build-catalog.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import { TOKEN_PRICE_NAMES } from "../../catalog/token-prices.ts";
import { modelsOfGroup } from "./models-of-group.ts";

describe("modelsOfGroup", () => {
  it("gives every price times the group's factor, to the last digit", () => {
    const [, model] = modelsOfGroup(catalogOf({}), "partners").data;
    expect(model?.price).toMatchObject({ input: "0.28333333305", output: null, cache_read: "0.0255" });
  });

  it("gives the prices of every step with what it takes from the row beneath, times the factor", () => {
    const steps = [{ above: 200_000, prices: { input: 666_666_667n } }];
    const price = {
      id: 1n,
      rates: { input: 333_333_333n, output: 2_000_000_000n },
      media: {},
      dimensions: { ...NO_DIMENSIONS, steps },
    };
    const [, model] = modelsOfGroup(catalogOf({ price }), "partners").data;
    expect(model?.price.steps).toEqual([
      {
        above: 200_000,
        input: "0.56666666695",
        output: "1.7",
        reasoning: null,
        cache_read: null,
        cache_write: null,
        cache_write_1h: null,
        other_tokens: [],
      },
    ]);
  });

  it("gives every price that a table can name, in the row itself, in steps and in tiers", () => {
    const named = (nanos: bigint) =>
      Object.fromEntries(TOKEN_PRICE_NAMES.map((name, at) => [name, nanos + BigInt(at)]));
    const price = {
      id: 1n,
      rates: named(1_000n),
      media: {},
      dimensions: {
        ...NO_DIMENSIONS,
        steps: [{ above: 9, prices: named(2_000n) }],
        tiers: { flex: { prices: named(3_000n) } },
      },
    };
    const [, model] = modelsOfGroup(catalogOf({ price }), "default").data;
    const rows = [model?.price, model?.price.steps[0], model?.price.tiers[0]];
    for (const [row, first] of rows.map((row, at) => [row, (at + 1) * 1_000] as const)) {
      const { other_tokens: others, ...usual } = row ?? { other_tokens: [] };
      const told = new Set([...others.map(({ usd }) => usd), ...Object.values(usual)]);
      for (const [at, name] of TOKEN_PRICE_NAMES.entries())
        expect(told, name).toContain(formatDecimal(BigInt(first + at), 9));
    }
  });

  it("gives list prices of vendors' tools as they are charged, also under an alias, and sizes from small to large", () => {
    const calls = { code: { per: "use", sizes: { high: 3n, low: 1n, medium: 2n } } };
    const price = {
      id: 1n,
      rates: { input: 100n, output: 200n },
      media: {},
      dimensions: { ...NO_DIMENSIONS, calls },
    };
    const { data } = modelsOfGroup(catalogOf({ price }), "partners");
    expect(data.map(({ id }) => id)).toEqual(["second-name", "text-large"]);
    for (const model of data)
      expect(model.price.calls).toEqual([
        { of: "web_search", per: "use", usd: "0.0085" },
        { of: "code low", per: "use", usd: "0.00000000085" },
        { of: "code medium", per: "use", usd: "0.0000000017" },
        { of: "code high", per: "use", usd: "0.00000000255" },
      ]);
  });

  it("tells tiers, speeds, regions and hours: rows of their own times the factor, multipliers as they are", () => {
    const price = {
      id: 1n,
      rates: { input: 100n, output: 200n },
      media: {},
      dimensions: {
        ...NO_DIMENSIONS,
        tiers: { flex: { prices: { input: 10n, output: 20n } }, priority: { factor: 2_000_000n } },
        speeds: { fast: 6_000_000n },
        hours: [{ name: "night", ranges: [{ from: 990, until: 30 }], days: [1, 5], factor: 500_000n }],
      },
    };
    const [, model] = modelsOfGroup(catalogOf({ price }), "partners").data;
    expect(model?.price.tiers).toMatchObject([
      { tier: "flex", input: "0.0000000085", output: "0.000000017", cache_read: null },
    ]);
    expect(model?.price.factors).toEqual([
      { dimension: "tier", name: "priority", factor: "2" },
      { dimension: "speed", name: "fast", factor: "6" },
      { dimension: "hours", name: "night", factor: "0.5", utc: ["16:30-00:30"], days: [1, 5] },
    ]);
  });

  it("leaves out what the group cannot call", () => {
    expect(modelsOfGroup(catalogOf({ groups: new Set(["default"]) }), "partners").data).toEqual([]);
    expect(modelsOfGroup(catalogOf({ price: null }), "default").data).toEqual([]);
    expect(modelsOfGroup(catalogOf({}), "default").data.map(({ id }) => id)).toEqual([
      "second-name",
      "text-large",
    ]);
  });
});

const ALIAS = {
  id: "second-name",
  family: null,
  variant: null,
  ownedBy: "acme",
  created: 0,
  quirks: {},
  endpoints: [],
  groups: null,
  contextTokens: null,
  maxOutputTokens: null,
  price: null,
};

function catalogOf(terms: object) {
  const parts = {
    version: 1n,
    groups: [
      { name: "default", factorPpm: 1_000_000n },
      { name: "partners", factorPpm: 850_000n },
    ],
    models: [
      {
        id: "text-large",
        family: null,
        variant: null,
        ownedBy: "acme",
        created: 0,
        quirks: {},
        endpoints: ["chat-completions"],
        groups: null,
        contextTokens: 1000,
        maxOutputTokens: 100,
        price: { id: 1n, rates: { input: 333_333_333n, cacheRead: 30_000_000n }, media: {} },
        ...terms,
      },
      { ...ALIAS, aliasOf: "text-large" },
    ],
    upstreams: [
      {
        id: 1n,
        name: "u",
        kind: "k",
        baseUrl: "http://u",
        enabled: true,
        protocols: null,
        groups: null,
        models: new Map([["text-large", "text-large"]]),
        priority: 0,
        weight: 1,
        maxConcurrency: 1,
        timeouts: {},
        probe: false,
        preset: null,
        signer: null,
        unaskedTiers: [],
        region: null,
        cost: null,
        credentials: [{ id: 1n, name: "c", secret: "s", enabled: true }],
      },
    ],
    settings: {},
  };
  return buildCatalog(
    parts as unknown as CatalogParts,
    () =>
      ({
        protocols: ["chat-completions"],
        families: [],
        listedTools: [{ tool: "web_search", price: { per: "use", nanos: 10_000_000n } }],
      }) as never,
  );
}
