import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { priceTables } from "../../test/support/price-tables.ts";
import { PPM } from "../base/money.ts";
import { hoursAt, type PriceHours, type PriceTable } from "./price-table.ts";
import { tableProblems, tableWarnings } from "./table-problems.ts";
import { TOKEN_PRICE_NAMES, type TokenPrices } from "./token-prices.ts";

function tableOf(parts: Partial<PriceTable>): PriceTable {
  const empty = { tiers: {}, speeds: {}, regions: {}, hours: [], calls: {}, units: {}, request: 0n };
  return { base: { input: 2n, cacheRead: 1n, output: 10n }, steps: [], ...empty, ...parts };
}

const problems = (parts: Partial<PriceTable>): string[] =>
  tableProblems(tableOf(parts)).map(({ path, message }) => `${path.join(".")}: ${message}`);

describe("steps", () => {
  it("that name input or output name every price of the previous step, or of the base price", () => {
    expect(problems({ steps: [{ above: 5, prices: { input: 4n, output: 10n } }] })).toEqual([
      "steps.0: names input or output, so it must name every price of the previous step, or of the base price: cache_read is missing",
    ]);
    expect(problems({ steps: [{ above: 5, prices: { cacheRead: 2n } }] })).toEqual([]);
  });

  it("rise, and are never below the row beneath", () => {
    const prices = { input: 4n, cacheRead: 1n, output: 10n };
    expect(
      problems({
        steps: [
          { above: 5, prices },
          { above: 5, prices },
        ],
      }),
    ).toEqual(["steps.1.above: must be above 5: steps are in ascending order"]);
    expect(problems({ steps: [{ above: 5, prices: { ...prices, output: 9n } }] })).toEqual([
      "steps.0.output: is below the 0.00000001 of the row beneath: a longer request would cost less",
    ]);
  });

  it("are not below what stands in for a price that the row beneath does not name", () => {
    const base = { input: 2n, output: 10n };
    const steps = [{ above: 5, prices: { input: 4n, output: 10n, cacheRead: 1n } }];
    expect(problems({ base, steps })).toEqual([
      "steps.0.cache_read: is below the 0.000000002 of the row beneath: a longer request would cost less",
    ]);
  });
});

describe("tiers", () => {
  it("with a row of their own name every price of the base row", () => {
    expect(problems({ tiers: { priority: { prices: { output: 20n } } } })).toEqual([
      "tiers.priority: names input or output, so it must name every price of the previous step, or of the base price: input, cache_read are missing",
    ]);
  });

  it("are none where they are a vendor's word for none", () => {
    expect(problems({ tiers: { default: { factor: PPM } } })[0]).toContain(
      "tiers.default: is the vendor's standard service",
    );
  });

  it("are warned of where a step would cost more than they do, or they less than none", () => {
    const steps = [{ above: 5, prices: { input: 8n, cacheRead: 8n, output: 10n } }];
    const own = { prices: { input: 4n, cacheRead: 2n, output: 20n } };
    expect(tableWarnings(tableOf({ steps, tiers: { priority: own } }))).toEqual([
      "tier priority has an input price below that of a step, and no steps itself",
    ]);
    const tiers = { Flex: { factor: PPM / 2n }, priority: { factor: PPM / 2n } };
    expect(tableWarnings(tableOf({ tiers }))).toEqual([
      "tier priority has factor 0.5, which makes it cheaper than no tier",
    ]);
  });
});

describe("names that are matched in any case", () => {
  it.each(["tiers", "speeds", "regions"] as const)("are not told apart by it: %s", (key) => {
    const terms = { factor: PPM };
    const prices =
      key === "tiers" ? { fast: terms, Fast: terms, FAST: terms } : { fast: PPM, Fast: 1n, FAST: 1n };
    expect(problems({ [key]: prices })).toEqual([
      `${key}.Fast: is a duplicate of fast: names are matched in any case`,
      `${key}.FAST: is a duplicate of fast: names are matched in any case`,
    ]);
  });

  it("may still be the two names of one tier", () => {
    expect(problems({ tiers: { fast: { factor: PPM }, priority: { factor: PPM } } })).toEqual([]);
  });
});

describe("hours", () => {
  const night: PriceHours = {
    name: "night",
    ranges: [{ from: 16 * 60 + 30, until: 30 }],
    days: [1, 2, 3, 4, 5],
    factor: PPM / 2n,
  };
  const isNight = (time: string): boolean => hoursAt([night], Date.parse(time)) === night;

  it("hold in UTC, to the minute, from the days on which they begin over midnight", () => {
    // 27 November 2026 is a Friday.
    expect(isNight("2026-11-27T16:29:59.999Z")).toBe(false);
    expect(isNight("2026-11-27T16:30:00Z")).toBe(true);
    expect(isNight("2026-11-28T00:29:59.999Z")).toBe(true);
    expect(isNight("2026-11-28T00:30:00Z")).toBe(false);
    expect(isNight("2026-11-28T17:00:00Z")).toBe(false);
    // What would have begun on Sunday does not reach into Monday.
    expect(isNight("2026-11-30T00:10:00Z")).toBe(false);
    expect(isNight("2026-11-30T16:30:00Z")).toBe(true);
  });

  it("hold all day from 0 to 24 hours", () => {
    const sunday = { ...night, ranges: [{ from: 0, until: 1440 }], days: [7] };
    expect(hoursAt([sunday], Date.parse("2026-11-29T23:59:59Z"))).toBe(sunday);
    expect(hoursAt([sunday], Date.parse("2026-11-30T00:00:00Z"))).toBeUndefined();
  });

  it("do not overlap, be it over midnight, and have names of their own", () => {
    const early = { name: "early", ranges: [{ from: 29, until: 40 }], days: [6], factor: PPM };
    expect(problems({ hours: [night, early] })).toEqual([
      'hours.1.utc: overlaps "night": only one can apply at a time',
    ]);
    expect(problems({ hours: [night, { ...early, days: [1] }] })).toEqual([]);
    expect(problems({ hours: [night, { ...early, name: "night", days: [1] }] })).toEqual([
      "hours.1.name: is a duplicate",
    ]);
  });

  it("hold in exactly the minutes that a walk through a week finds", () => {
    const minute = fc.nat({ max: 1439 });
    const days = fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 });
    const moments = fc.nat({ max: 10_079 });
    fc.assert(
      fc.property(minute, fc.integer({ min: 1, max: 1440 }), days, moments, (from, length, open, moment) => {
        const until = from + length <= 1440 ? from + length : from + length - 1440;
        const hours = { name: "h", ranges: [{ from, until }], days: open, factor: PPM };
        // Minutes of a week that begins on a Monday, in which a range may run on into the next one.
        const isHeld = open.some((day) => {
          const past = (moment - (day - 1) * 1440 - from + 2 * 10_080) % 10_080;
          return past < length;
        });
        const monday = Date.parse("2026-11-23T00:00:00Z");
        expect(hoursAt([hours], monday + moment * 60_000) !== undefined).toBe(isHeld);
      }),
    );
  });
});

describe("every sound table", () => {
  it("has no problem, and one where a row of its own leaves out any name", () => {
    fc.assert(
      fc.property(priceTables, fc.constantFrom(...TOKEN_PRICE_NAMES), (table, name) => {
        expect(tableProblems(table)).toEqual([]);
        if (table.base[name] === undefined) return;
        const { [name]: _left, ...lacking } = { ...table.base } as TokenPrices;
        for (const parts of [
          { steps: [{ above: 1, prices: lacking }] },
          { tiers: { own: { prices: lacking } } },
        ])
          expect(tableProblems({ ...table, ...parts }).length).toBeGreaterThan(0);
      }),
    );
  });
});
