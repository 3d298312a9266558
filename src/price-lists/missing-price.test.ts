import { describe, expect, it } from "vitest";
import { bucketByName, bucketName } from "../billing/pricing/bucket-price.ts";
import { chargeOf } from "../billing/pricing/charge.ts";
import { price } from "../billing/pricing/price.ts";
import type { Price } from "../catalog/price-columns.ts";
import { NO_DIMENSIONS } from "../catalog/price-table.ts";
import { encodePrice } from "../manifest/file/encode-file.ts";
import type { FileRecord } from "../manifest/file/file-value.ts";
import { readModel } from "../manifest/file/read-item.ts";
import { MEDIA } from "../protocols/media.ts";
import { TOKEN_BUCKETS } from "../usage/usage.ts";
import { isUnpriced, missingPrices, withPrices } from "./missing-price.ts";

const known = { groups: new Set<string>(), models: new Set<string>() };

function priced(price: object): Price {
  const model = readModel({ id: "m", context_tokens: 1000, max_output_tokens: 100, price }, known);
  if (model.price === null || model.price === undefined) throw new Error("a model with a price has one");
  return model.price;
}

const PLAIN = { input: 3, output: 15 };
const SIZED = { ...PLAIN, calls: { web_search: { low: 0.01 } } };
const WRITES = { cache_write: 1, cache_write_30m: 1, cache_write_1h: 1, cache_write_12h: 1 };
const MADE = Object.fromEntries(MEDIA.map((medium) => [medium, { input: 1, cache_read: 1, output: 1 }]));
const LISTED = {
  ...PLAIN,
  audio: { input: 40 },
  tiers: { priority: { input: 6, output: 30, audio: { input: 80 } }, flex: { factor: 0.5 } },
  speeds: { fast: { factor: 6 } },
  regions: { us: { factor: 1.1 } },
  calls: {
    web_search: { low: 0.01, high: 0.03 },
    google_search: { price: 0.035, per: "request" },
    file_search: 0.0025,
  },
  units: { image: 0.004 },
};

/** What came without a price, of which model; the keys to set with the list's amounts. */
const MISSING: readonly (readonly [
  what: string,
  own: object,
  keys: Readonly<Record<string, string | undefined>>,
])[] = [
  ["tier turbo", PLAIN, { "tiers.turbo.factor": undefined }],
  ["tier flex", PLAIN, { "tiers.flex.factor": "0.5" }],
  [
    "tier fast",
    PLAIN,
    { "tiers.fast.input": "6", "tiers.fast.output": "30", "tiers.fast.audio.input": "80" },
  ],
  ["speed fast", PLAIN, { "speeds.fast.factor": "6" }],
  ["region us", PLAIN, { "regions.us.factor": "1.1" }],
  ["region moon", PLAIN, { "regions.moon.factor": undefined }],
  ["call file_search", PLAIN, { "calls.file_search": "0.0025" }],
  ["call lookup", PLAIN, { "calls.lookup": undefined }],
  [
    "call google_search",
    PLAIN,
    { "calls.google_search.price": "0.035", "calls.google_search.per": "request" },
  ],
  ["call web_search low", PLAIN, { "calls.web_search.low": "0.01", "calls.web_search.high": "0.03" }],
  ["call web_search high", SIZED, { "calls.web_search.high": "0.03" }],
  ["unit image", PLAIN, { "units.image": "0.004" }],
  ["unit search", PLAIN, { "units.search": undefined }],
  ["audio_input", PLAIN, { "audio.input": "40" }],
  ["image_output", PLAIN, { "image.output": undefined }],
];

describe("a price that is missing", () => {
  it.each(MISSING)(
    "is named by its keys, with what the list says, and once given is missing no more: %s",
    (what, own, keys) => {
      const price = priced(own);
      expect(isUnpriced(price, what)).toBe(true);
      const found = missingPrices(price, what, priced(LISTED));
      expect(Object.fromEntries(found.map((each) => [each.keys.join("."), each.listed]))).toEqual(keys);
      const given = priced(
        withPrices(
          price,
          found.map((each) => [each.keys, each.listed ?? "2"] as const),
        ),
      );
      expect(isUnpriced(given, what)).toBe(false);
    },
  );

  it("is told as a charge tells it", () => {
    const frozen = { priceId: 0n, factorPpm: 1_000_000n, rates: priced(PLAIN).rates };
    const { unpriced } = chargeOf(frozen, {
      usage: { audioInput: 1, imageOutput: 1 },
      calls: [
        { tool: "web_search", size: "low", count: 1 },
        { tool: "lookup", count: 1 },
      ],
      units: { search: 1 },
      served: { tier: "turbo", speed: "warp", region: "moon" },
    });
    expect([...unpriced].sort()).toEqual([
      "audio_input",
      "call lookup",
      "call web_search low",
      "image_output",
      "region moon",
      "speed warp",
      "tier turbo",
      "unit search",
    ]);
    for (const what of unpriced) expect(isUnpriced(priced(PLAIN), what)).toBe(true);
  });

  it.each(TOKEN_BUCKETS)("is told of tokens by the words of the catalog file: %s", (bucket) => {
    const prices = {
      input: 1,
      output: 1,
      reasoning: 1,
      cache_read: 1,
      cache_read_explicit: 1,
      ...WRITES,
      ...MADE,
    };
    const word = bucketName(bucket);
    const isMade = MEDIA.some((medium) => word.startsWith(`${medium}_`));
    const keys = isMade ? [word.slice(0, 5), word.slice(6)] : [word];
    const written = keys.reduce<unknown>((at, key) => (at as FileRecord)[key], encodePrice(priced(prices)));
    expect([written, bucketByName(word)]).toEqual([1, bucket]);
    const charge = price(
      { ...NO_DIMENSIONS, base: {} },
      { passes: [{ [bucket]: 1 }] },
      { factorPpm: 1_000_000n },
    );
    expect(charge.unpriced).toEqual([word]);
  });

  it.each(["call web_search", "call web_search huge"])(
    "can't be given by itself where the tool has prices by size and the call has none that can be priced: %s",
    (what) => {
      expect(isUnpriced(priced(SIZED), what)).toBe(true);
      expect(missingPrices(priced(SIZED), what, undefined)).toEqual([]);
    },
  );

  it.each(["", "call", "unit nothing", "word of no kind", "constructor", "tier"])("is none of %j", (what) => {
    expect(isUnpriced(priced(PLAIN), what)).toBe(false);
  });
});
