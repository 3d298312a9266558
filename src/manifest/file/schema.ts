import { z } from "zod";
import { settingsFile } from "../../catalog/settings.ts";
import { UPSTREAM_DEFAULTS } from "../../catalog/upstreams-store.ts";
import { ENDPOINT_WORDS } from "../../catalog/vocabulary.ts";
import { PROTOCOL_NAMES } from "../../conversation/protocol-name.ts";
import { FAMILY_NAMES } from "../../families/family.ts";
import { KIND_NAMES } from "../../upstreams/kinds.ts";
import { account, type key } from "./schema-accounts.ts";
import { decimal, modelId, name, unique, whole } from "./schema-parts.ts";
import { price } from "./schema-price.ts";
import { quirks } from "./schema-quirks.ts";

/**
 * The catalog file as it is written. Strict everywhere: a misspelt key is an error, never a default.
 * What a schema of single values cannot say (references, duplicates, what a model needs) is in check.ts.
 */
const group = z
  .strictObject({
    name: name(64).describe("What accounts, models and upstreams call the group"),
    factor: decimal("factor").prefault(1).describe("Price factor: 0.85 charges 85 % of the price"),
  })
  .describe("A class of accounts: what it pays and what it sees");

// Above every real model, and small enough that a hold computed from it fits an int8 of nanos.
const tokens = whole(1, 100_000_000);

const model = z
  .strictObject({
    id: modelId.describe("What callers put into `model`"),
    family: z
      .enum(FAMILY_NAMES)
      .optional()
      .describe("Family of a picture or video model; omitted = a text model"),
    variant: name(40).optional().describe("Variant within the family; by default read off the id"),
    owned_by: name(200).default("faregate").describe("Owner shown in the list of models"),
    created: whole(0, 253_402_300_799)
      .optional()
      .describe("Unix seconds; by default the time of the first apply"),
    endpoints: unique(z.enum(ENDPOINT_WORDS as [string, ...string[]]))
      .min(1)
      .optional()
      .describe("Where it can be called; omitted on a text model = the four text endpoints"),
    groups: unique(name(64)).optional().describe("Groups that see it; omitted = every group"),
    context_tokens: tokens.optional().describe("Context window; required on a model that generates text"),
    max_output_tokens: tokens.optional().describe("Longest answer; required on a model that generates text"),
    price: price.optional(),
    quirks: quirks
      .default({})
      .describe("Peculiarities of the vendor's model; omitted = by its kind and name"),
  })
  .describe("Something callers can name");

const milliseconds = whole(1, 86_400_000);

const timeouts = z
  .strictObject({
    connect_ms: milliseconds.optional().describe("Until the connection stands (default 5000)"),
    first_byte_stream_ms: milliseconds.optional().describe("Until a stream begins (default 120000)"),
    first_byte_plain_ms: milliseconds.optional().describe("Until a plain answer begins (default 600000)"),
    idle_ms: milliseconds.optional().describe("Longest silence inside an answer (default 300000)"),
    total_ms: milliseconds.optional().describe("Longest answer (default 3600000)"),
  })
  .describe("Milliseconds");

// Headers carry it: a line break or a blank in it is always a mistake of pasting.
const credential = z
  .string()
  .regex(/^[\x21-\x7e]{1,4096}$/, "must be 1 to 4096 visible ASCII characters without blanks");

const upstream = z
  .strictObject({
    name: name(200),
    kind: z.enum(KIND_NAMES).describe("A preset: protocols, paths, authentication"),
    base_url: z
      .string()
      .max(2000)
      .refine(isBaseUrl, {
        message:
          "must be an http(s) address without user, query and fragment, such as https://api.vendor.example/v1",
      })
      .describe("What the vendor's own SDK calls its base URL"),
    api_key: credential.optional().describe("Its credential; better a reference to an environment variable"),
    api_keys: z.array(credential).min(1).max(100).optional().describe("Several credentials of one upstream"),
    models: z
      .union([unique(modelId), z.record(modelId, z.string().min(1).max(500))])
      .describe("Our name: the vendor's name; a plain list where the names agree"),
    protocols: unique(z.enum(PROTOCOL_NAMES))
      .min(1)
      .optional()
      .describe("Protocols it speaks; omitted = the kind's own list"),
    groups: unique(name(64)).optional().describe("Groups it serves; omitted = every group"),
    priority: whole(-1_000_000, 1_000_000)
      .default(UPSTREAM_DEFAULTS.priority)
      .describe("Lower is tried first"),
    weight: z
      .number()
      .positive()
      .max(1_000_000)
      .default(UPSTREAM_DEFAULTS.weight)
      .describe("Share within one priority"),
    max_concurrency: whole(1, 1_000_000)
      .default(UPSTREAM_DEFAULTS.maxConcurrency)
      .describe("Requests in flight at once, per process"),
    shared_ids: unique(z.string().min(1).max(500))
      .max(1_000)
      .default([...UPSTREAM_DEFAULTS.sharedIds])
      .describe(
        "Ids of things in the vendor's account (stored prompts, vector stores, files, skills) that every account may name which may use this upstream",
      ),
    timeouts: timeouts.default({}),
    probe: z
      .boolean()
      .default(UPSTREAM_DEFAULTS.probe)
      .describe("Whether it is tried every half minute while nobody asks it"),
    signer: z
      .string()
      .min(1)
      .max(100)
      .nullable()
      .default(UPSTREAM_DEFAULTS.signer)
      .describe(
        "Upstreams of one signer (keys of one organization at one vendor) read what any of them has signed or encrypted; null = each credential only its own",
      ),
    disabled: z.boolean().optional().describe("Omitted = as it is; a new upstream is enabled"),
  })
  .describe("A vendor's service, or any server that speaks one of the protocols");

/** The schema of each section's items, for judging a sound item beside a broken one. */
export const itemSchemas = { groups: group, models: model, upstreams: upstream, accounts: account } as const;

export const fileSchema = z
  .strictObject({
    version: z.literal(1).describe("Version of this format"),
    groups: z.array(group).optional(),
    models: z.array(model).optional(),
    upstreams: z.array(upstream).optional(),
    settings: settingsFile.optional().describe("How the gateway behaves; each omitted = its default"),
    accounts: z.array(account).optional(),
  })
  .describe("The catalog file of Faregate: models, prices, upstreams, accounts");

export type CatalogFile = z.output<typeof fileSchema>;
export type FileGroup = z.output<typeof group>;
export type FileModel = z.output<typeof model>;
export type FileUpstream = z.output<typeof upstream>;
export type FileAccount = z.output<typeof account>;
export type FileKey = z.output<typeof key>;
export type FilePrice = z.output<typeof price>;

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const bare = !url.username && !url.password && !url.search && !url.hash && !/[?#]/.test(text);
  return bare && (url.protocol === "http:" || url.protocol === "https:");
}
