import { z } from "zod";
import { price } from "../catalog/contract.ts";
import { CONDITION_WORDS, moment, nanos, revision } from "../contract-parts.ts";

const timeouts = z.strictObject({
  connect_ms: z.int().optional(),
  first_byte_stream_ms: z.int().optional(),
  first_byte_plain_ms: z.int().optional(),
  idle_ms: z.int().optional(),
  total_ms: z.int().optional(),
});

const cost = z.strictObject({
  factor: z.string().describe("Multiplier of the model's price, as a decimal string"),
  prices: z
    .record(z.string(), price)
    .describe(
      "Prices by your name of the model, as under `price` of a model; the factor doesn't apply to them",
    ),
});

const terms = {
  kind: z.string().describe("Protocols, paths and authentication"),
  preset: z
    .string()
    .nullable()
    .describe(
      "Vendor or server behind kind openai-compatible: its base URL, protocols and quirks; null = none",
    ),
  base_url: z.string().describe("Base URL as in the vendor's SDK"),
  models: z.record(z.string(), z.string()).describe("Models: your name to the vendor's name"),
  protocols: z.array(z.string()).nullable().describe("Protocols; null = the kind's default"),
  groups: z.array(z.string()).nullable().describe("Groups that the upstream serves; null = all"),
  priority: z.int().describe("Priority: upstreams with a lower number are tried first"),
  weight: z.number().describe("Weight: the share of requests within one priority"),
  limits: z
    .strictObject({
      concurrency: z
        .int()
        .optional()
        .describe("Maximum number of concurrent requests per process; default 10000"),
      requests_per_minute: z.int().optional().describe("Text requests per minute; omitted = no limit"),
      tokens_per_minute: z
        .int()
        .optional()
        .describe("Tokens of text requests per minute; omitted = no limit"),
    })
    .describe("Limits of the upstream; requests beyond them go to the next upstream"),
  shared_ids: z
    .array(z.string())
    .describe(
      "Ids of objects in the vendor's account that every account with access to this upstream may use",
    ),
  timeouts: timeouts.describe("Timeouts in milliseconds; omitted ones get their default"),
  probe: z.boolean().describe("true probes the upstream every 30 s while it is idle"),
  signer: z
    .string()
    .nullable()
    .describe(
      "Upstreams with the same signer accept each other's signed state; null = each credential only its own",
    ),
  cost: cost.nullable().describe("Cost of text models, visible to operators only; null = the models' prices"),
  unasked_tiers: z
    .array(z.string())
    .describe("Service tiers in which the vendor may serve requests that ask for none"),
  region: z
    .string()
    .nullable()
    .describe("Price region of requests that name no region; null = the plain price"),
  headers: z
    .record(z.string(), z.string())
    .describe("Headers sent with every request; stored values are shown, and kept if sent, as ***"),
  proxy: z
    .string()
    .nullable()
    .describe(
      "Proxy for everything that goes to the upstream; a stored password is shown, and kept if sent, as ***",
    ),
  ca_file: z
    .string()
    .nullable()
    .describe(
      "Absolute path of a PEM file with certificate authorities to trust in addition to the public ones",
    ),
  body: z
    .strictObject({
      set: z.record(z.string(), z.unknown()).optional(),
      default: z.record(z.string(), z.unknown()).optional(),
      remove: z.array(z.string()).optional(),
    })
    .nullable()
    .describe("Changes of the top-level fields of text requests; null = none"),
  betas: z
    .strictObject({ drop: z.array(z.string()) })
    .nullable()
    .describe("Betas to remove from requests; null = none"),
  location: z.string().nullable().describe("Region of a cloud, group of regions, or global; null = none"),
  project: z.string().nullable().describe("Project of a cloud; null = none"),
  api_version: z
    .string()
    .nullable()
    .describe("Version of the vendor's older interface; null = the current interface"),
  token_url: z.string().nullable().describe("Token server; null = the kind's default"),
  token_scope: z.string().nullable().describe("Scope of access tokens; null = the kind's default"),
  end_user: z
    .enum(["account"])
    .nullable()
    .describe("End user of requests that name none: an opaque id of the account; null = none"),
};

const fields = z
  .record(z.string(), z.string().min(1).max(20_000))
  .describe(
    "A credential of a cloud by its fields, as in a catalog file; secret ones are shown, and kept if sent, as ***",
  );

const secret = z.string().min(1).max(4096).describe("Write-only; never returned");

const rest = z.strictObject({
  preset: terms.preset,
  protocols: terms.protocols,
  groups: terms.groups,
  priority: terms.priority,
  weight: terms.weight,
  limits: terms.limits,
  shared_ids: terms.shared_ids,
  timeouts: terms.timeouts,
  probe: terms.probe,
  signer: terms.signer,
  cost: terms.cost,
  unasked_tiers: terms.unasked_tiers,
  region: terms.region,
  headers: terms.headers,
  proxy: terms.proxy,
  ca_file: terms.ca_file,
  body: terms.body,
  betas: terms.betas,
  end_user: terms.end_user,
  location: terms.location,
  project: terms.project,
  api_version: terms.api_version,
  token_url: terms.token_url,
  token_scope: terms.token_scope,
  enabled: z.boolean(),
});

/** An upstream as a catalog file declares it; what is left out has the file's defaults, `enabled` stays as it is. */
export const upstreamTerms = z.strictObject({
  kind: terms.kind,
  base_url: terms.base_url
    .optional()
    .describe("Base URL as in the vendor's SDK; optional with a preset, and with a location"),
  models: terms.models,
  ...rest.partial().shape,
  api_keys: z
    .array(secret)
    .optional()
    .describe("Replaces all credentials; required if base_url changes to another server"),
  credentials: z.array(fields).optional().describe("Credentials by their fields, in place of api_keys"),
});
export type UpstreamTerms = z.infer<typeof upstreamTerms>;

export const newUpstream = upstreamTerms.extend({ name: z.string() });
export type NewUpstream = z.infer<typeof newUpstream>;

export const upstreamState = z.strictObject({
  enabled: z.boolean().describe("false = no new requests; running ones finish"),
});

export const newCredential = z.strictObject({
  secret: secret.optional(),
  fields: fields.optional().describe("Fields of the credential in place of secret, for kinds of clouds"),
  name: z.string().trim().min(1).max(100).optional().describe("Display name; default its number"),
});
export const credentialChange = z.strictObject({
  secret: secret.optional().describe("Replaces the old secret, also for running tasks"),
  fields: fields
    .optional()
    .describe("Fields of the credential in place of secret; unchanged secret fields are sent as shown"),
  name: z.string().trim().min(1).max(100).optional(),
  enabled: z.boolean().optional(),
});

const credential = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string().describe("Last characters of the secret, if it is long enough"),
  fields: fields.nullable().describe("Fields of the credential; null = a key"),
  reference: z
    .string()
    .nullable()
    .describe("Environment variable that the catalog file took the secret from"),
  enabled: z.boolean(),
  troubles: z
    .array(
      z.object({
        model: z.string().describe("Upstream's name of the model"),
        state: z.enum(CONDITION_WORDS).describe("Health; ready = available, except to some accounts"),
        wait_seconds: z.int(),
        closed_accounts: z
          .int()
          .describe("Number of accounts that avoid it because their last requests failed"),
      }),
    )
    .describe("Health as seen by this process"),
});

export const HEALTH_STATES = ["healthy", "degraded", "failing", "idle", "disabled", "unusable"] as const;

const figures = z.object({
  requests: z.int(),
  errors: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  charge_nanos: nanos,
  first_byte_p50_ms: z.int().nullable(),
  first_byte_p95_ms: z.int().nullable(),
});

export const upstream = z.object({
  id: z.string(),
  name: z.string(),
  ...terms,
  enabled: z.boolean(),
  revision: revision.describe("Revision of its configuration and credentials, not of its health"),
  credentials: z.array(credential),
  health: z.object({
    state: z
      .enum(HEALTH_STATES)
      .describe("unusable = enabled, but without a usable credential; idle = no recent requests"),
    running: z.int().describe("Number of running requests in this process"),
    limited_seconds: z
      .int()
      .describe("Seconds until requests resume after a limit per minute was reached; 0 = not limited"),
    connections: z.int(),
    open_breakers: z.int(),
    attempts: z
      .object({ ok: z.int(), failed: z.int(), rate_limited: z.int(), refused: z.int() })
      .describe("Attempts of the last ten minutes in this process, recovered failures included"),
  }),
  hour: figures.describe("Number of requests in the last hour, in all processes"),
});
export type Upstream = z.infer<typeof upstream>;

export const upstreams = z.object({
  data: z.array(upstream),
  next: z.null(),
  process: z.string().describe("Responding process; breakers and running requests are its own"),
});
export type Upstreams = z.infer<typeof upstreams>;

export const upstreamReport = z.object({
  days: z
    .array(
      z.object({
        day: z.iso.date(),
        requests: z.int(),
        errors: z.int(),
        input_tokens: z.int(),
        output_tokens: z.int(),
        images: z.int(),
        video_seconds: z.int(),
        charge_nanos: nanos,
        reported: z
          .object({
            requests: z.int().describe("Requests with a vendor-reported cost"),
            charge_nanos: nanos.describe("Charges for those requests"),
            cost_nanos: nanos.describe("Vendor-reported cost, as US dollars"),
          })
          .nullable()
          .describe("Vendor-reported cost; null = not reported"),
      }),
    )
    .describe("UTC days, oldest first; days without requests are omitted"),
  failures: z
    .array(
      z.object({
        request_id: z.string(),
        at: moment,
        account_id: z.string(),
        model: z.string(),
        status: z.int(),
        reason: z.string(),
        error_code: z.string().nullable(),
        attempts: z.int(),
      }),
    )
    .describe("Latest unrecovered failures, newest first"),
});
export type UpstreamReport = z.infer<typeof upstreamReport>;

export const reportQuery = z.strictObject({ days: z.coerce.number().int().min(1).max(90).default(30) });

export const credentialTest = z.object({
  ok: z.boolean(),
  latency_ms: z.int(),
  message: z.string().describe("Problem and remedy, or a confirmation"),
});
export type CredentialTest = z.infer<typeof credentialTest>;

export const kinds = z.object({
  data: z.array(
    z.object({
      name: z.string(),
      protocols: z.array(z.string()).describe("Default protocols"),
      possible_protocols: z.array(z.string()),
      families: z.array(z.string()).describe("Supported image and video families"),
      needs_key: z.boolean(),
      credential_forms: z
        .array(
          z.object({
            name: z.string(),
            from: z.string().nullable().describe("Value of `from`; null = none"),
            fields: z.array(
              z.object({ name: z.string(), about: z.string(), secret: z.boolean(), required: z.boolean() }),
            ),
          }),
        )
        .describe("Forms of credentials; empty = only a key"),
      places: z
        .array(z.object({ name: z.string(), required: z.boolean() }))
        .describe("Fields of an upstream's place in a cloud"),
    }),
  ),
  next: z.null(),
});
export type Kinds = z.infer<typeof kinds>;

export const presets = z.object({
  data: z.array(
    z.object({
      name: z.string(),
      base_url: z.string(),
      protocols: z.array(z.string()).describe("Default protocols"),
      needs_key: z.boolean(),
      keys_url: z.string().nullable().describe("URL for creating a key; null = unknown"),
      source: z.string().describe("The vendor's documentation"),
    }),
  ),
  next: z.null(),
});
export type Presets = z.infer<typeof presets>;

const offeredModel = z.object({
  id: z.string().describe("Vendor's name of the model"),
  context_tokens: z.int().nullable(),
  max_output_tokens: z.int().nullable(),
  input_media: z.array(z.string()).nullable().describe("Input media; null = not stated by the vendor"),
  price: price.nullable().describe("Price in the public list; null = see `unpriced_reason`"),
  unpriced_reason: z.string().nullable(),
  listed_as: z.string().nullable().describe("Model's name in the list"),
  url: z.string().nullable().describe("URL of the vendor's prices"),
  serves: z.array(z.string()).describe("Catalog models that this upstream serves under this name"),
  in_catalog: z.boolean().describe("true if the catalog has a model of this id; adding it only maps it"),
});

export const offeredModels = z.object({
  list: z.object({
    name: z.string().describe("Name and release of the public list"),
    date: z.string().describe("Release date of the list"),
  }),
  data: z.array(offeredModel).describe("Models, in the vendor's order"),
  next: z.null(),
});
export type OfferedModels = z.infer<typeof offeredModels>;

/** Far more than anyone ticks; each is a row of the catalog, and a row of the price book. */
const MAX_ADDED = 200;

export const addedModels = z.strictObject({
  models: z
    .array(
      z.strictObject({
        id: z.string().min(1).describe("Vendor's name of the model, and id of the new model"),
        context_tokens: z.int().nullable(),
        max_output_tokens: z.int().nullable(),
        input_media: z.array(z.string()).nullable(),
        price: price.nullable(),
      }),
    )
    .min(1)
    .max(MAX_ADDED)
    .describe(
      "Models to add; a model that the catalog already has is only mapped, with its limits and price unchanged",
    ),
});
export type AddedModels = z.infer<typeof addedModels>;

export const removed = z.object({ removed: z.literal(true) });
