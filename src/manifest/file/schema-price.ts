import { z } from "zod";
import type { CALL_SIZES } from "../../catalog/price-table.ts";
import type { BilledUnit } from "../../usage/usage.ts";
import { decimal, moment, name, whole } from "./schema-parts.ts";

/** `usd("x")`: an amount that may be left out, described. */
const usd = (about: string) => decimal("price").optional().describe(about);
const factor = () => decimal("factor").describe("1 = the plain price");

const medium = (what: string) =>
  z
    .strictObject({
      input: usd(`${what} input`),
      cache_read: usd("Read from the cache; default its input price"),
      output: usd(`${what} output`),
    })
    .optional()
    .describe(`${what} tokens, USD per 1,000,000`);

/** Prices of tokens, by the names that `TOKEN_PRICE_NAMES` has. */
const tokenPrices = {
  input: usd("USD per 1,000,000 input tokens"),
  output: usd("USD per 1,000,000 output tokens, including reasoning"),
  reasoning: usd("Reasoning tokens; default the output price"),
  cache_read: usd("Tokens read from the cache; default the input price"),
  cache_read_explicit: usd("Read from a cache that the caller created; default cache_read"),
  cache_write: usd("Tokens written to the cache; default the input price"),
  cache_write_30m: usd("Written to a 30-minute cache; default cache_write"),
  cache_write_1h: usd("Written to a 1-hour cache; default cache_write"),
  cache_write_12h: usd("Written to a 12-hour cache; default cache_write"),
  audio: medium("Audio"),
  image: medium("Image"),
  video: medium("Video"),
};

const step = z
  .strictObject({
    above: whole(1, 100_000_000).describe(
      "Input size in tokens, cached or not, above which the step applies to a pass",
    ),
    ...tokenPrices,
  })
  .describe("Prices for long input; omitted prices are those of the row beneath");

const tier = z
  .strictObject({ factor: factor().optional(), ...tokenPrices })
  .superRefine(({ factor: ppm, ...prices }, context) => {
    const hasPrices = Object.values(prices).some((price) => price !== undefined);
    if ((ppm === undefined) === hasPrices) return;
    const message = hasPrices ? "has both a factor and prices; keep one" : "needs a factor or prices";
    context.addIssue({ code: "custom", message });
  })
  .describe("A factor on every row, or a row of its own, without steps");

const word = name(60);
const factors = (about: string) =>
  z
    .record(word, z.strictObject({ factor: factor() }))
    .optional()
    .describe(about);

const hours = z
  .strictObject({
    name: word,
    utc: z
      .array(
        z
          .string()
          .regex(
            /^([01]\d|2[0-3]):[0-5]\d-(([01]\d|2[0-3]):[0-5]\d|24:00)$/,
            'must be a range such as "16:30-00:30"',
          )
          .refine(
            (range) => range.slice(0, 5) !== range.slice(6),
            'is empty; for the whole day, use "00:00-24:00"',
          ),
      )
      .min(1)
      .describe("Ranges of the day in UTC; may span midnight"),
    days: z
      .array(whole(1, 7))
      .min(1)
      .optional()
      .describe("Days on which the range begins, 1 = Monday; omitted = every day"),
    factor: factor(),
  })
  .describe("A factor for certain hours");

const call = z.union([
  decimal("price"),
  z
    .strictObject({
      price: usd("USD"),
      per: z
        .enum(["use", "request"])
        .optional()
        .describe("request = once per request, regardless of the number of uses"),
      low: usd("Small size"),
      medium: usd("Medium size"),
      high: usd("Large size"),
      "1g": usd("Container of 1 GB"),
      "4g": usd("Container of 4 GB"),
      "16g": usd("Container of 16 GB"),
      "64g": usd("Container of 64 GB"),
    } satisfies Record<"price" | "per" | (typeof CALL_SIZES)[number], unknown>)
    .superRefine(({ price, per, ...sizes }, context) => {
      const hasSizes = Object.values(sizes).some((size) => size !== undefined);
      if (price === undefined && !hasSizes) context.addIssue({ code: "custom", message: "needs a price" });
      if ((price !== undefined || per !== undefined) && hasSizes)
        context.addIssue({
          code: "custom",
          message: "has prices by size, which can't be combined with price or per",
        });
    }),
]);

const units = z
  .strictObject({
    search: usd("One search of a rerank model"),
    image: usd("One image of an embedding model"),
  } satisfies Record<BilledUnit, unknown>)
  .optional()
  .describe("USD per unit other than tokens");

export const price = z
  .strictObject({
    from: moment
      .optional()
      .describe("Start of the price, such as 2026-12-01T00:00:00Z; omitted = immediately"),
    ...tokenPrices,
    steps: z
      .array(step)
      .max(20)
      .optional()
      .describe("Prices by input size: the highest step that the input exceeds applies"),
    tiers: z
      .record(word, tier)
      .optional()
      .describe("Prices by the service tier that the vendor reports: priority, flex, batch"),
    speeds: factors("By the speed that the vendor reports: { fast: { factor: 6 } }"),
    regions: factors("By the region that served the request: { us: { factor: 1.1 } }"),
    hours: z
      .array(hours)
      .max(20)
      .optional()
      .describe("Factors by the time at which a request was accepted; ranges can't overlap"),
    calls: z
      .record(name(100), call)
      .optional()
      .describe("USD per use of a vendor tool, counted in the response; or per request with a field:value"),
    units,
    request: usd("USD per request"),
    per_image: z
      .record(name(20), decimal("price"))
      .optional()
      .describe("USD per image by tier: { 1k: 0.04 }"),
    per_second: z
      .record(name(20), decimal("price"))
      .optional()
      .describe("USD per second by resolution: { 720p: 0.1 }"),
    extras: z
      .record(name(100), decimal("price"))
      .optional()
      .describe("Deprecated: use calls with { price, per: request }"),
  })
  .describe("Prices in USD, exact to 9 decimal places");

/** A price, or one and those that take its place later. */
export const prices = z
  .union([price, z.array(price).max(20)])
  .describe("One price, or a list: the current price, then those that replace it, each with its from");

/** The vendor's bill for a text model. */
export const costPrice = price.omit({ from: true, per_image: true, per_second: true, extras: true });
