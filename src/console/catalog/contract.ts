import { z } from "zod";
import { FALLBACK_REASONS, UPSTREAM_ORDERS } from "../../catalog/catalog.ts";
import { moment, revision } from "../contract-parts.ts";

/** The catalog file's form of an amount: US dollars, exact. */
const usd = z
  .string()
  .max(40)
  .describe("US dollars as an exact decimal string, per 1,000,000 tokens, image, second or request");
const usdByName = z.record(z.string(), usd);
const factor = z.strictObject({
  factor: z.string().describe("Multiplier as a decimal string; 1 = the plain price"),
});

const medium = z.strictObject({ input: usd, cache_read: usd, output: usd }).partial().optional();
const tokenPrices = {
  input: usd.optional(),
  output: usd.optional(),
  reasoning: usd.optional(),
  cache_read: usd.optional(),
  cache_read_explicit: usd.optional(),
  cache_write: usd.optional(),
  cache_write_30m: usd.optional(),
  cache_write_1h: usd.optional(),
  cache_write_12h: usd.optional(),
  audio: medium,
  image: medium,
  video: medium,
};
const step = z.strictObject({ above: z.int(), ...tokenPrices });
const hours = z.strictObject({
  name: z.string(),
  utc: z.array(z.string()),
  days: z.array(z.int()).optional(),
  ...factor.shape,
});
const call = z.union([usd, z.strictObject({ price: usd, per: z.string() }), usdByName]);

/** The price of a model as under `price` in the catalog file; what is left out has no price of its own. */
export const price = z.strictObject({
  ...tokenPrices,
  steps: z.array(step).optional().describe("Input size in tokens above which the step applies"),
  tiers: z
    .record(z.string(), z.strictObject({ ...factor.partial().shape, ...tokenPrices }))
    .optional()
    .describe("Prices by the service tier that the vendor reports"),
  speeds: z.record(z.string(), factor).optional(),
  regions: z.record(z.string(), factor).optional(),
  hours: z.array(hours).optional(),
  calls: z.record(z.string(), call).optional().describe("Prices of tools run by the vendor"),
  units: usdByName.optional(),
  request: usd.optional(),
  per_image: usdByName.optional().describe("US dollars per image, by tier"),
  per_second: usdByName.optional().describe("US dollars per second of video, by resolution"),
});
export type Price = z.infer<typeof price>;

const comingPrice = price.extend({
  from: moment.describe("Time at which this price replaces the one before it"),
});

const terms = {
  alias_of: z
    .string()
    .nullable()
    .describe(
      "Target of an alias, which shares its target's price, upstreams and groups; null = not an alias",
    ),
  family: z.string().nullable().describe("Image or video family; null = text model"),
  variant: z.string().nullable(),
  owned_by: z.string(),
  created: z.int().describe("Creation time in Unix seconds"),
  endpoints: z.array(z.string()).describe("Endpoints, by their names in the catalog file: oa, an, ge ..."),
  groups: z.array(z.string()).nullable().describe("Groups that can use the model; null = all"),
  context_tokens: z.int().nullable(),
  max_output_tokens: z.int().nullable(),
  fallbacks: z
    .array(z.strictObject({ model: z.string(), on: z.array(z.enum(FALLBACK_REASONS)) }))
    .describe("Models that answer in its place if every upstream failed in one of these ways, in order"),
  order: z
    .enum(UPSTREAM_ORDERS)
    .nullable()
    .describe("What its upstreams of one priority are preferred by; null = their weights alone"),
  price: price.nullable().describe("The current price; null = none, so requests are refused"),
  coming_prices: z.array(comingPrice).describe("Prices that take its place later, by time"),
  quirks: z.record(z.string(), z.unknown()).describe("Vendor-specific quirks, as in the catalog file"),
};

/** A model as a catalog file declares it; what is left out has the file's defaults. */
export const modelTerms = z.strictObject(terms).partial();
export type ModelTerms = z.infer<typeof modelTerms>;

export const newModel = modelTerms.extend({
  id: z.string().describe("Model id that callers send as `model`"),
});
export type NewModel = z.infer<typeof newModel>;

export const model = z.object({
  id: z.string(),
  ...terms,
  price_since: moment
    .nullable()
    .describe("Start of the current price: when it was set, or its scheduled time"),
  upstreams: z.array(z.string()).describe("Upstreams that list the model, including disabled ones"),
  callable_in: z.array(z.string()).describe("Groups that can currently use the model"),
  revision,
});
export type Model = z.infer<typeof model>;

export const models = z.object({ data: z.array(model), next: z.null() });
export type Models = z.infer<typeof models>;

export const priceHistory = z.object({
  data: z
    .array(
      z.object({
        id: z.string(),
        since: moment.describe("Start of the price: when it was set, or its scheduled time"),
        price,
        in_force: z.boolean(),
      }),
    )
    .describe("Price history, latest first, with scheduled prices; prices never change, new ones are added"),
  next: z.null(),
});
export type PriceHistory = z.infer<typeof priceHistory>;

export const removed = z.object({ removed: z.literal(true) });

export const knownPricesQuery = z.strictObject({
  search: z.string().trim().max(100).default("").describe("Part of a model or vendor name"),
});
export type KnownPricesQuery = z.input<typeof knownPricesQuery>;

export const knownPrices = z.object({
  data: z.array(
    z.object({
      vendor: z.string(),
      model: z.string().describe("Vendor's name of the model"),
      name: z.string(),
      context_tokens: z.int().nullable(),
      price,
      notes: z.array(z.string()).describe("Dimensions that this price doesn't cover, such as tiers"),
    }),
  ),
  next: z.null().describe("At most 100 models; refine the search for others"),
});
export type KnownPrices = z.infer<typeof knownPrices>;

export const priceDifferences = z.object({
  list: z.object({
    name: z.string().describe("Name and release of the list"),
    date: z.string().describe("Release date of the list"),
  }),
  data: z
    .array(
      z.object({
        model: z.string(),
        upstreams: z.array(z.string()).describe("Upstreams that serve the model under the listed name"),
        vendor: z.string().describe("Vendor's name in the list"),
        listed_as: z.string().describe("Model's name in the list"),
        url: z.string().nullable().describe("URL of the vendor's prices"),
        differences: z
          .array(
            z.object({
              price: z.string().describe("Keys under `price` in the catalog file"),
              ours: z.string().nullable(),
              theirs: z
                .string()
                .nullable()
                .describe("Listed price; null = removed with the list's other steps or hours"),
            }),
          )
          .describe("Changes that accepting would make"),
        left_out: z
          .array(z.string())
          .describe("Prices that the list states only in part; they stay unchanged"),
        problem: z.string().nullable().describe("Reason why the listed price can't be accepted"),
        version: z.string().describe("Revision of these differences; send it to accept them"),
      }),
    )
    .describe("Models whose listed price differs or can't be used"),
  compared: z.int().describe("Number of models with an entry"),
  unlisted: z.array(z.string()).describe("Text models without an entry"),
  next: z.null(),
});
export type PriceDifferences = z.infer<typeof priceDifferences>;

export const acceptedPrice = z.strictObject({
  vendor: z.string(),
  listed_as: z.string(),
  version: z.string().describe("Revision of the reviewed differences; 409 if they have changed since"),
});
export type AcceptedPrice = z.infer<typeof acceptedPrice>;

export const unpricedUsage = z.object({
  data: z
    .array(
      z.object({
        model: z.string(),
        upstream: z.string(),
        what: z.string().describe("Name, as in a receipt's `unpriced`"),
        requests: z.int(),
        first_at: moment,
        last_at: moment,
        request_id: z.string().describe("Latest request with this usage"),
        prices: z
          .array(
            z.object({
              price: z.string().describe("Keys under `price` in the catalog file"),
              listed: z.string().nullable().describe("Vendor's list price; null = not listed"),
            }),
          )
          .describe("Missing prices; empty if only an edit of the whole price helps"),
        source: z
          .object({
            list: z.string().describe("Name and release of the list"),
            date: z.string().describe("Release date of the list"),
            vendor: z.string(),
            listed_as: z.string(),
            url: z.string().nullable(),
          })
          .nullable()
          .describe("Source of the listed prices"),
      }),
    )
    .describe("Unpriced usage, latest first; usage that has a price by now is omitted"),
  next: z.null(),
});
export type UnpricedUsage = z.infer<typeof unpricedUsage>;

export const missingPrice = z.strictObject({
  upstream: z.string(),
  what: z.string(),
  prices: z.record(z.string(), z.string()).describe("Values by the keys under `prices`: USD, or a factor"),
});
export type MissingPrice = z.infer<typeof missingPrice>;

export const catalogImport = z.strictObject({
  text: z
    .string()
    .min(1)
    .describe("Catalog file; references resolve to stored secrets by the names used in an export"),
  prune: z.boolean().default(false).describe("Also remove objects that the file doesn't name"),
});
export type CatalogImport = z.input<typeof catalogImport>;

export const catalogImportApplied = catalogImport.extend({
  version: z
    .string()
    .optional()
    .describe("Version of the reviewed plan; 409 if the catalog has changed since"),
});
export type CatalogImportApplied = z.input<typeof catalogImportApplied>;

const change = z.object({
  action: z.enum(["create", "update", "delete", "disable", "revoke", "grant"]),
  subject: z.enum(["group", "model", "upstream", "settings", "account", "key", "balance"]),
  name: z.string(),
  details: z.array(z.string()).describe("Change, such as `weight 1 -> 2`; secrets are only named as changed"),
});

export const catalogPlan = z.object({
  ok: z.boolean().describe("true if the file can be applied"),
  problems: z
    .array(z.object({ line: z.int(), column: z.int(), path: z.string(), message: z.string() }))
    .describe("Lines and columns count from 1; 0 is the file as a whole"),
  changes: z.array(change),
  notes: z.array(z.string()).describe("Objects that remain unchanged, with the reason"),
  rendered: z.string().describe("Preview, as printed by `faregate apply --dry-run`"),
  version: z.string().describe("Version of the compared catalog"),
});
export type CatalogPlan = z.infer<typeof catalogPlan>;
