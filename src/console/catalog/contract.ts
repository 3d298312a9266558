import { z } from "zod";
import { revision } from "../contract-parts.ts";
import { moment } from "../page.ts";

/** As a catalog file has it: US dollars, exact. */
const usd = z
  .string()
  .max(40)
  .describe("US dollars as decimal text, exact; per 1,000,000 tokens, picture, second or request");
const usdByName = z.record(z.string(), usd);
const factor = z.strictObject({ factor: z.string().describe("Decimal text; 1 = the price as it stands") });

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
const price = z.strictObject({
  ...tokenPrices,
  steps: z.array(step).optional().describe("For input above so many tokens"),
  tiers: z
    .record(z.string(), z.strictObject({ ...factor.partial().shape, ...tokenPrices }))
    .optional()
    .describe("By what the vendor says it served"),
  speeds: z.record(z.string(), factor).optional(),
  regions: z.record(z.string(), factor).optional(),
  hours: z.array(hours).optional(),
  calls: z.record(z.string(), call).optional().describe("Uses of tools that the vendor runs"),
  units: usdByName.optional(),
  request: usd.optional(),
  per_image: usdByName.optional().describe("One picture, by tier"),
  per_second: usdByName.optional().describe("One second of video, by resolution"),
  extras: usdByName.optional().describe("Requests that ask for what is not tokens"),
});
export type Price = z.infer<typeof price>;

const terms = {
  family: z.string().nullable().describe("Family of pictures or videos; null = a text model"),
  variant: z.string().nullable(),
  owned_by: z.string(),
  created: z.int().describe("Unix seconds"),
  endpoints: z.array(z.string()).describe("In the words of the catalog file: oa, an, ge ..."),
  groups: z.array(z.string()).nullable().describe("Groups that see it; null = every group"),
  context_tokens: z.int().nullable(),
  max_output_tokens: z.int().nullable(),
  price: price.nullable().describe("null = not priced, hence refused"),
  quirks: z.record(z.string(), z.unknown()).describe("Peculiarities, as in the catalog file"),
};

/** A model as a catalog file declares it; what is left out has the file's defaults. */
export const modelTerms = z.strictObject(terms).partial();
export type ModelTerms = z.infer<typeof modelTerms>;

export const newModel = modelTerms.extend({ id: z.string().describe("What callers put into `model`") });
export type NewModel = z.infer<typeof newModel>;

export const model = z.object({
  id: z.string(),
  ...terms,
  price_since: moment.nullable().describe("When the price in force was set"),
  upstreams: z.array(z.string()).describe("Upstreams that have it in their mapping, disabled ones too"),
  callable_in: z.array(z.string()).describe("Groups that can call it now"),
  revision,
});
export type Model = z.infer<typeof model>;

export const models = z.object({ data: z.array(model), next: z.null() });
export type Models = z.infer<typeof models>;

export const priceHistory = z.object({
  data: z
    .array(z.object({ id: z.string(), since: moment, price, in_force: z.boolean() }))
    .describe("Newest first; a price never changes, a new one is added"),
  next: z.null(),
});
export type PriceHistory = z.infer<typeof priceHistory>;

export const removed = z.object({ removed: z.literal(true) });

export const knownPricesQuery = z.strictObject({
  search: z.string().trim().max(100).default("").describe("Part of a model's or a vendor's name"),
});
export type KnownPricesQuery = z.input<typeof knownPricesQuery>;

export const knownPrices = z.object({
  data: z.array(
    z.object({
      vendor: z.string(),
      model: z.string().describe("The vendor's name of it"),
      name: z.string(),
      context_tokens: z.int().nullable(),
      price,
      notes: z.array(z.string()).describe("What this price leaves out, such as tiers"),
    }),
  ),
  next: z.null().describe("A hundred at most: search for more precise words"),
});
export type KnownPrices = z.infer<typeof knownPrices>;

export const catalogImport = z.strictObject({
  text: z
    .string()
    .min(1)
    .describe("The catalog file; a reference in it means the secret that the export calls so"),
  prune: z.boolean().default(false).describe("Also remove what the file no longer names"),
});
export type CatalogImport = z.input<typeof catalogImport>;

export const catalogImportApplied = catalogImport.extend({
  version: z
    .string()
    .optional()
    .describe("Of the plan that was looked at; 409 where the catalog has changed since"),
});
export type CatalogImportApplied = z.input<typeof catalogImportApplied>;

const change = z.object({
  action: z.enum(["create", "update", "delete", "disable", "revoke", "grant"]),
  subject: z.enum(["group", "model", "upstream", "settings", "account", "key", "balance"]),
  name: z.string(),
  details: z.array(z.string()).describe("`weight 1 -> 2`; of secrets only that they changed"),
});

export const catalogPlan = z.object({
  ok: z.boolean().describe("Whether it can be applied"),
  problems: z
    .array(z.object({ line: z.int(), column: z.int(), path: z.string(), message: z.string() }))
    .describe("Lines and columns count from 1; 0 is the file as a whole"),
  changes: z.array(change),
  notes: z.array(z.string()).describe("What stays although one might expect otherwise"),
  rendered: z.string().describe("As `faregate apply --dry-run` prints it"),
  version: z.string().describe("Of the catalog that it was compared with"),
});
export type CatalogPlan = z.infer<typeof catalogPlan>;
