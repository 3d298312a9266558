import { z } from "zod";
import { DEFAULT_FALLBACK_REASONS, FALLBACK_REASONS, UPSTREAM_ORDERS } from "../../catalog/catalog.ts";
import { settingsFile } from "../../catalog/settings.ts";
import { UPSTREAM_DEFAULTS } from "../../catalog/upstreams-store.ts";
import { ENDPOINT_WORDS } from "../../catalog/vocabulary.ts";
import { PROTOCOL_NAMES } from "../../conversation/protocol-name.ts";
import { FAMILY_NAMES } from "../../families/family.ts";
import { KEY_ALONE, KEY_PROBLEM } from "../../upstreams/credentials/field-checks.ts";
import { credentialFields, KIND_NAMES } from "../../upstreams/kinds.ts";
import { PRESET_NAMES } from "../../upstreams/vendor-presets.ts";
import { account, type key } from "./schema-accounts.ts";
import { decimal, modelId, name, unique, whole } from "./schema-parts.ts";
import { costPrice, type price, prices } from "./schema-price.ts";
import { quirks } from "./schema-quirks.ts";

/**
 * The catalog file as it is written. Strict everywhere: a misspelt key is an error, never a default.
 * What a schema of single values cannot say (references, duplicates, what a model needs) is in check.ts.
 */
const group = z
  .strictObject({
    name: name(64).describe("Name of the group"),
    factor: decimal("factor").prefault(1).describe("Price multiplier: 0.85 charges 85 % of the price"),
  })
  .describe("A group of accounts, with its price multiplier and access");

// Above every real model, and small enough that a hold computed from it fits an int8 of nanos.
const tokens = whole(1, 100_000_000);

const fallback = z.strictObject({
  model: modelId.describe("Id of the fallback model"),
  on: unique(z.enum(FALLBACK_REASONS))
    .min(1)
    .default([...DEFAULT_FALLBACK_REASONS])
    .describe("Failures of the upstreams that lead to this fallback"),
});

const model = z
  .strictObject({
    id: modelId.describe("Model id that callers send as `model`"),
    alias_of: modelId
      .optional()
      .describe("Target of an alias, which shares its target's price, upstreams and groups"),
    family: z
      .enum(FAMILY_NAMES)
      .optional()
      .describe("Family of an image or video model; omitted = text model"),
    variant: name(40).optional().describe("Variant within the family; default derived from the id"),
    owned_by: name(200).default("faregate").describe("Owner shown in model lists"),
    created: whole(0, 253_402_300_799)
      .optional()
      .describe("Unix seconds; default the time of the first apply"),
    endpoints: unique(z.enum(ENDPOINT_WORDS as [string, ...string[]]))
      .min(1)
      .optional()
      .describe("Endpoints; default for text models the four text endpoints"),
    groups: unique(name(64)).optional().describe("Groups that can use the model; omitted = all"),
    context_tokens: tokens.optional().describe("Context window; required on text models"),
    max_output_tokens: tokens.optional().describe("Maximum output tokens; required on text models"),
    fallbacks: z
      .array(fallback)
      .min(1)
      .max(3)
      .optional()
      .describe("Models that answer in its place if every upstream of it failed, in this order"),
    order: z
      .enum(UPSTREAM_ORDERS)
      .optional()
      .describe("What its upstreams of one priority are preferred by; omitted = their weights alone"),
    price: prices.optional(),
    quirks: quirks.default({}).describe("Vendor-specific quirks; default by kind and model name"),
  })
  .describe("A model that callers can use");

const limits = z
  .strictObject({
    concurrency: whole(1, 1_000_000)
      .default(UPSTREAM_DEFAULTS.maxConcurrency)
      .describe("Maximum number of concurrent requests per process"),
    requests_per_minute: whole(1, 2_147_483_647)
      .optional()
      .describe("Text requests per minute; omitted = no limit"),
    tokens_per_minute: whole(1, 2_147_483_647)
      .optional()
      .describe("Input and output tokens of text requests per minute; omitted = no limit"),
  })
  .describe("Limits of the upstream; requests beyond them go to the next upstream");

const milliseconds = whole(1, 86_400_000);

const timeouts = z
  .strictObject({
    connect_ms: milliseconds.optional().describe("Connecting (default 5000)"),
    first_byte_stream_ms: milliseconds.optional().describe("First byte of a stream (default 120000)"),
    first_byte_plain_ms: milliseconds.optional().describe("First byte of a plain response (default 600000)"),
    idle_ms: milliseconds.optional().describe("Silence within a response (default 300000)"),
    total_ms: milliseconds.optional().describe("Total time of a response (default 3600000)"),
  })
  .describe("Timeouts, in milliseconds");

const credential = z.string().regex(KEY_ALONE, KEY_PROBLEM);

/** Longer than any document that vendors issue as a credential. */
const CREDENTIAL_TEXT = 20_000;

/** check-credentials.ts decides which fields belong together. */
const credentialParts = z
  .strictObject(
    Object.fromEntries(
      [...credentialFields()].map(([name, about]) => [
        name,
        z.string().min(1).max(CREDENTIAL_TEXT).optional().describe(about),
      ]),
    ),
  )
  .describe("A credential by its fields, as its kind has them");

/** The words that say where in a cloud an upstream is. */
const placeWord = z
  .string()
  .regex(/^[\w.-]{1,100}$/, "must be letters, digits, dots, hyphens and underscores");

/** Names and values of headers as HTTP has them; what else is wrong with them is told by check-options.ts. */
const headers = z
  .record(
    z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/, "is not the name of a header"),
    z
      .string()
      .regex(
        /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/,
        "must be visible ASCII characters, with no spaces at its ends",
      ),
  )
  .describe("Headers sent with every request, preferably as references to environment variables");

/** A field at the top of a body. Which ones may be changed is told by check-options.ts. */
const fieldName = z.string().regex(/^(?!__proto__$)[\w.-]{1,100}$/, "is not the name of a field");
const fieldValues = z.record(fieldName, z.unknown());

const body = z
  .strictObject({
    set: fieldValues.default({}).describe("Fields that get this value whatever the caller sends"),
    default: fieldValues.default({}).describe("Fields that get this value if the caller sends none"),
    remove: unique(fieldName).default([]).describe("Fields that are removed"),
  })
  .describe("Changes of the top-level fields of text requests");

/** Names as they stand in a header, in which commas part them. */
const betas = z
  .strictObject({
    drop: unique(z.string().regex(/^[\x21-\x2b\x2d-\x7e]{1,200}$/, "is not the name of a beta"))
      .min(1)
      .max(100)
      .describe("Betas to remove from requests: [context-management-2025-06-27]"),
  })
  .describe("Changes of the betas (header `anthropic-beta`) of requests");

const cost = z
  .strictObject({
    factor: decimal("factor")
      .prefault(1)
      .describe("Multiplier of the model's price: 0.8 = a discount of 20 %"),
    prices: z.record(modelId, costPrice).default({}).describe("Costs by your name of the model"),
  })
  .describe("Cost of text models; omitted = the models' prices");

const upstream = z
  .strictObject({
    name: name(200),
    kind: z.enum(KIND_NAMES).describe("Protocols, paths and authentication"),
    preset: z
      .enum(PRESET_NAMES)
      .optional()
      .describe("Vendor or server behind kind openai-compatible: its base URL, protocols and quirks"),
    base_url: z
      .string()
      .max(2000)
      .refine(isBaseUrl, {
        message:
          "must be an http(s) URL without user, query and fragment, such as https://api.vendor.example/v1",
      })
      .optional()
      .describe("Base URL as in the vendor's SDK; optional with a preset"),
    api_key: credential.optional().describe("Credential, preferably a reference to an environment variable"),
    api_keys: z.array(credential).min(1).max(100).optional().describe("Several credentials of one upstream"),
    credentials: z
      .array(credentialParts)
      .min(1)
      .max(100)
      .optional()
      .describe("Credentials of a cloud, each by its fields, in place of api_key and api_keys"),
    location: placeWord.optional().describe("Region of the cloud, a group of regions, or global: us-east1"),
    project: placeWord.optional().describe("Project of the cloud"),
    api_version: placeWord
      .optional()
      .describe("Version of the vendor's older interface, if the upstream uses that"),
    token_url: z
      .string()
      .max(2000)
      .refine(isBaseUrl, { message: "must be an http(s) URL without user, query and fragment" })
      .optional()
      .describe("Token server; default by kind"),
    token_scope: z
      .string()
      .regex(/^[\x21-\x7e]{1,500}$/, "must be visible ASCII characters without spaces")
      .optional()
      .describe("Scope of access tokens; default by kind"),
    models: z
      .union([unique(modelId), z.record(modelId, z.string().min(1).max(500))])
      .describe("Models: your name to the vendor's name; a list if the names are the same"),
    protocols: unique(z.enum(PROTOCOL_NAMES))
      .min(1)
      .optional()
      .describe("Supported protocols; default by kind"),
    groups: unique(name(64)).optional().describe("Groups that the upstream serves; omitted = all"),
    priority: whole(-1_000_000, 1_000_000)
      .default(UPSTREAM_DEFAULTS.priority)
      .describe("Priority: upstreams with a lower number are tried first"),
    weight: z
      .number()
      .positive()
      .max(1_000_000)
      .default(UPSTREAM_DEFAULTS.weight)
      .describe("Weight: the share of requests within one priority"),
    limits: limits.default({ concurrency: UPSTREAM_DEFAULTS.maxConcurrency }),
    shared_ids: unique(z.string().min(1).max(500))
      .max(1_000)
      .default([...UPSTREAM_DEFAULTS.sharedIds])
      .describe(
        "Ids of objects in the vendor's account (stored prompts, vector stores, files, skills) that every account with access to this upstream may use",
      ),
    timeouts: timeouts.default({}),
    probe: z
      .boolean()
      .default(UPSTREAM_DEFAULTS.probe)
      .describe("true probes the upstream every 30 s while it is idle"),
    signer: z
      .string()
      .min(1)
      .max(100)
      .nullable()
      .default(UPSTREAM_DEFAULTS.signer)
      .describe(
        "Upstreams with the same signer (keys of one organization at one vendor) accept each other's signed and encrypted state; null = each credential only its own",
      ),
    cost: cost.optional(),
    unasked_tiers: unique(name(60))
      .max(20)
      .default([...UPSTREAM_DEFAULTS.unaskedTiers])
      .describe("Service tiers in which the vendor may serve requests that ask for none: [priority]"),
    region: name(60)
      .nullable()
      .default(UPSTREAM_DEFAULTS.region)
      .describe("Price region of requests that name no region: us"),
    headers: headers.default({}),
    proxy: z
      .string()
      .max(2000)
      .refine(isProxyUrl, {
        message: "must be an http, https or socks5 URL without path, such as http://user:password@host:3128",
      })
      .optional()
      .describe("Proxy for everything that goes to the upstream: an http, https or socks5 URL"),
    ca_file: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe(
        "Absolute path of a PEM file with certificate authorities to trust in addition to the public ones",
      ),
    body: body.optional(),
    betas: betas.optional(),
    end_user: z
      .enum(["account"])
      .optional()
      .describe("End user of requests that name none: an opaque id of the account"),
    disabled: z.boolean().optional().describe("Omitted = unchanged; a new upstream is enabled"),
  })
  .describe("A vendor, or any server that speaks one of the protocols");

/** The schema of each section's items, for judging a sound item beside a broken one. */
export const itemSchemas = { models: model, upstreams: upstream } as const;

export const fileSchema = z
  .strictObject({
    version: z.literal(1).describe("Version of this format"),
    groups: z.array(group).optional(),
    models: z.array(model).optional(),
    upstreams: z.array(upstream).optional(),
    settings: settingsFile.optional().describe("Settings of the gateway; omitted ones get their default"),
    accounts: z.array(account).optional(),
  })
  .describe("The catalog file of Faregate: models, prices, upstreams, accounts");

export type CatalogFile = z.output<typeof fileSchema>;
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

function isProxyUrl(text: string): boolean {
  if (!URL.canParse(text) || /[\s?#]/.test(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  return /^(https?|socks5):$/.test(protocol) && hostname !== "" && /^\/?$/.test(pathname);
}

/** An environment variable may stand in any value, never in a key. */
const REFERENCE = "\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}";

/**
 * The JSON Schema of the catalog file, for completion in editors: faregate.schema.json, word for word. It
 * describes what is written, so amounts are numbers or text here.
 */
export function catalogFileJsonSchema(): string {
  const schema = z.toJSONSchema(fileSchema, {
    io: "input",
    target: "draft-2020-12",
    reused: "inline",
    override: ({ jsonSchema, path }) => {
      const { pattern } = jsonSchema;
      if (path.includes("propertyNames")) return;
      if (pattern !== undefined && !new RegExp(pattern).test("\x24{NAME}"))
        jsonSchema.pattern = `${pattern}|${REFERENCE}`;
    },
  });
  return `${JSON.stringify({ $id: "urn:faregate:catalog-file:1", ...schema }, null, 2)}\n`;
}
