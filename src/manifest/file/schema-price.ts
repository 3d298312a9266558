import { z } from "zod";
import { decimal, name, whole } from "./schema-parts.ts";

/** `usd("x")`: an amount that may be left out, described. */
const usd = (about: string) => decimal("price").optional().describe(about);
const factor = () => decimal("factor").describe("1 = the price as it stands");

const medium = (what: string) =>
  z
    .strictObject({
      input: usd(`${what} that the model reads`),
      cache_read: usd("Where it is read from the cache; else as its input"),
      output: usd(`${what} that the model makes`),
    })
    .optional()
    .describe(`Tokens of ${what}`);

/** Prices of tokens, by the names that `TOKEN_PRICE_NAMES` has. */
const tokenPrices = {
  input: usd("USD per 1,000,000 input tokens"),
  output: usd("USD per 1,000,000 output tokens, thinking and reasoning too"),
  reasoning: usd("Where reasoning has its own price; else that of output"),
  cache_read: usd("Tokens read from the cache; else the price of input"),
  cache_read_explicit: usd("From a cache that the caller made; else as cache_read"),
  cache_write: usd("Tokens written to the cache; else the price of input"),
  cache_write_30m: usd("For 30 minutes; else as cache_write"),
  cache_write_1h: usd("For an hour; else as cache_write"),
  cache_write_12h: usd("For 12 hours; else as cache_write"),
  audio: medium("sound"),
  image: medium("pictures"),
  video: medium("video"),
};

const step = z
  .strictObject({
    above: whole(1, 100_000_000).describe("Input tokens of a pass, cached or not, which it must exceed"),
    ...tokenPrices,
  })
  .describe("A row for long input; what it leaves out is as in the row beneath");

const tier = z
  .strictObject({ factor: factor().optional(), ...tokenPrices })
  .superRefine(({ factor: ppm, ...prices }, context) => {
    const hasPrices = Object.values(prices).some((price) => price !== undefined);
    if ((ppm === undefined) === hasPrices) return;
    const message = hasPrices
      ? "has a factor and prices; keep one of both"
      : "needs a factor, or prices of its own";
    context.addIssue({ code: "custom", message });
  })
  .describe("A factor on every row, or a row of its own without steps");

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
            'is empty; the whole day is "00:00-24:00"',
          ),
      )
      .min(1)
      .describe("Ranges of the day in UTC, over midnight too"),
    days: z
      .array(whole(1, 7))
      .min(1)
      .optional()
      .describe("Days on which a range begins, 1 = Monday; omitted = every day"),
    factor: factor(),
  })
  .describe("A factor at certain hours");

const call = z.union([
  decimal("price"),
  z
    .strictObject({
      price: usd("USD"),
      per: z.enum(["use", "request"]).optional().describe("request = once, however often it is used"),
      low: usd("A small use"),
      medium: usd("A usual one"),
      high: usd("A large one"),
    })
    .superRefine(({ price, per, ...sizes }, context) => {
      const hasSizes = Object.values(sizes).some((size) => size !== undefined);
      if (price === undefined && !hasSizes) context.addIssue({ code: "custom", message: "needs a price" });
      if ((price !== undefined || per !== undefined) && hasSizes)
        context.addIssue({ code: "custom", message: "has prices by size; they stand alone" });
    }),
]);

const units = z
  .strictObject({
    search: usd("A search of a reranking model"),
    page: usd("A page that was read"),
    audio_second: usd("A second of sound"),
    video_second: usd("A second of video"),
    image: usd("A picture"),
    character: usd("A character of text"),
  })
  .optional()
  .describe("USD for each of what is counted beside tokens");

export const price = z
  .strictObject({
    ...tokenPrices,
    steps: z.array(step).max(20).optional().describe("The highest one that the input exceeds holds"),
    tiers: z
      .record(word, tier)
      .optional()
      .describe("By what the vendor says it served: priority, flex, batch"),
    speeds: factors("By the speed that the vendor says: { fast: { factor: 6 } }"),
    regions: factors("By where it was served: { us: { factor: 1.1 } }"),
    hours: z.array(hours).max(20).optional().describe("By when a request was accepted; at most one may hold"),
    calls: z.record(name(100), call).optional().describe("USD for each use of a tool that the vendor runs"),
    units,
    request: usd("USD for every request"),
    per_image: z
      .record(name(20), decimal("price"))
      .optional()
      .describe("USD for one picture by tier: { 1k: 0.04 }"),
    per_second: z
      .record(name(20), decimal("price"))
      .optional()
      .describe("USD for one second by resolution: { 720p: 0.1 }"),
    extras: z
      .record(name(100), decimal("price"))
      .optional()
      .describe(
        "USD for a request that asks for what is not tokens: a hosted tool by its type, a tier as field:value",
      ),
  })
  .describe("Prices in USD, decimals kept exactly (up to 9 places)");
