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
  factor: z.string().describe("Decimal string, on the model's price"),
  prices: z
    .record(z.string(), price)
    .describe("By your name of the model, as under `price` of a model; the factor doesn't apply to them"),
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
  models: z.record(z.string(), z.string()).describe("Your name: vendor name"),
  protocols: z.array(z.string()).nullable().describe("null = the kind's default"),
  groups: z.array(z.string()).nullable().describe("Groups it serves; null = all"),
  priority: z.int().describe("Lower is tried first"),
  weight: z.number().describe("Share within one priority"),
  limits: z
    .strictObject({
      concurrency: z.int().optional().describe("Concurrent requests, per process; default 10000"),
      requests_per_minute: z.int().optional().describe("Text requests; omitted = any number"),
      tokens_per_minute: z.int().optional().describe("Tokens of text requests; omitted = any number"),
    })
    .describe("What it may be asked; a request beyond that goes to the next upstream"),
  shared_ids: z
    .array(z.string())
    .describe(
      "Ids of objects in the vendor's account that every account with access to this upstream may use",
    ),
  timeouts: timeouts.describe("Milliseconds; omitted ones get their default"),
  probe: z.boolean().describe("Probes it every 30 s while idle"),
  signer: z
    .string()
    .nullable()
    .describe(
      "Upstreams with the same signer accept each other's signed state; null = each credential only its own",
    ),
  cost: cost
    .nullable()
    .describe("What the vendor bills for text models, for operators alone; null = the models' prices"),
  unasked_tiers: z
    .array(z.string())
    .describe("Service tiers in which the vendor may serve requests that ask for none"),
  region: z
    .string()
    .nullable()
    .describe("Region of the models' prices in which it serves what names none; null = the plain price"),
  headers: z
    .record(z.string(), z.string())
    .describe("Sent with every request; a stored value is shown, and kept if sent, as ***"),
  proxy: z
    .string()
    .nullable()
    .describe(
      "Proxy for everything that goes to the upstream; a stored password is shown, and kept if sent, as ***",
    ),
  ca_file: z
    .string()
    .nullable()
    .describe("PEM file of authorities to trust beside the public ones, by its absolute path"),
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
    .describe("Betas that are left out of what callers ask for; null = none"),
  location: z.string().nullable().describe("Of a cloud: region, group of regions or global; null = none"),
  project: z.string().nullable().describe("Of a cloud; null = none"),
  api_version: z
    .string()
    .nullable()
    .describe("Of the vendor's older interface; null = the current one is used"),
  token_url: z.string().nullable().describe("Server that gives out access tokens; null = the kind's own"),
  token_scope: z.string().nullable().describe("Scope of access tokens; null = the kind's own"),
  end_user: z
    .enum(["account"])
    .nullable()
    .describe(
      "Whom requests name as the end user where callers name none: an opaque id of the account; null = nobody",
    ),
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
    .describe("As in the vendor's SDK; optional with a preset, and with a location"),
  models: terms.models,
  ...rest.partial().shape,
  api_keys: z
    .array(secret)
    .optional()
    .describe("Replaces all credentials; required if base_url changes to another server"),
  credentials: z.array(fields).optional().describe("The same by their fields, in place of api_keys"),
});
export type UpstreamTerms = z.infer<typeof upstreamTerms>;

export const newUpstream = upstreamTerms.extend({ name: z.string() });
export type NewUpstream = z.infer<typeof newUpstream>;

export const upstreamState = z.strictObject({
  enabled: z.boolean().describe("false = no new requests; running ones finish"),
});

export const newCredential = z.strictObject({
  secret: secret.optional(),
  fields: fields.optional().describe("In place of secret, for kinds of clouds"),
  name: z.string().trim().min(1).max(100).optional().describe("Display name; default its number"),
});
export const credentialChange = z.strictObject({
  secret: secret.optional().describe("Replaces the old secret, also for running tasks"),
  fields: fields.optional().describe("In place of secret: all fields, those that stay as they are shown"),
  name: z.string().trim().min(1).max(100).optional(),
  enabled: z.boolean().optional(),
});

const credential = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string().describe("Its last characters, if long enough"),
  fields: fields.nullable().describe("null = it is a key"),
  reference: z.string().nullable().describe("Environment variable it came from in a catalog file"),
  enabled: z.boolean(),
  troubles: z
    .array(
      z.object({
        model: z.string().describe("The upstream's name for it"),
        state: z.enum(CONDITION_WORDS).describe("ready = except for some accounts"),
        wait_seconds: z.int(),
        closed_accounts: z.int().describe("Accounts that avoid it because their last requests failed"),
      }),
    )
    .describe("As seen by this process"),
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
    running: z.int().describe("Running requests in this process"),
    limited_seconds: z
      .int()
      .describe("Until it gets requests again, as it is at its limit per minute; 0 = it is not"),
    connections: z.int(),
    open_breakers: z.int(),
    attempts: z
      .object({ ok: z.int(), failed: z.int(), rate_limited: z.int(), refused: z.int() })
      .describe("Attempts of the last ten minutes in this process, including recovered ones"),
  }),
  hour: figures.describe("Requests of the last hour in all processes"),
});
export type Upstream = z.infer<typeof upstream>;

export const upstreams = z.object({
  data: z.array(upstream),
  next: z.null(),
  process: z.string().describe("The responding process; breakers and running requests are its own"),
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
            charge_nanos: nanos.describe("Charges for them"),
            cost_nanos: nanos.describe("Vendor-reported cost, as US dollars"),
          })
          .nullable()
          .describe("null = not reported"),
      }),
    )
    .describe("Oldest first, UTC days; those without requests are omitted"),
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
  message: z.string().describe("The problem and its fix, or a confirmation"),
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
            from: z.string().nullable().describe("What `from` must say; null = nothing"),
            fields: z.array(
              z.object({ name: z.string(), about: z.string(), secret: z.boolean(), required: z.boolean() }),
            ),
          }),
        )
        .describe("What credentials may be made of; none = a key alone"),
      places: z
        .array(z.object({ name: z.string(), required: z.boolean() }))
        .describe("Fields that say where in a cloud an upstream is"),
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
      keys_url: z.string().nullable().describe("Where a key is created; null = not known"),
      source: z.string().describe("The vendor's documentation"),
    }),
  ),
  next: z.null(),
});
export type Presets = z.infer<typeof presets>;

const offeredModel = z.object({
  id: z.string().describe("The vendor's name for it"),
  context_tokens: z.int().nullable(),
  max_output_tokens: z.int().nullable(),
  input_media: z.array(z.string()).nullable().describe("null = the vendor doesn't state it"),
  price: price.nullable().describe("As the public list states it; null = `unpriced_reason` says why"),
  unpriced_reason: z.string().nullable(),
  listed_as: z.string().nullable().describe("The list's name of the model"),
  url: z.string().nullable().describe("Where the vendor states its prices"),
  serves: z.array(z.string()).describe("Models of the catalog that this upstream serves with it"),
  in_catalog: z.boolean().describe("The catalog has a model of this id: adding it only maps it"),
});

export const offeredModels = z.object({
  list: z.object({
    name: z.string().describe("The public list with its release"),
    date: z.string().describe("Day of that release"),
  }),
  data: z.array(offeredModel).describe("In the vendor's order"),
  next: z.null(),
});
export type OfferedModels = z.infer<typeof offeredModels>;

/** Far more than anyone ticks; each is a row of the catalog, and a row of the price book. */
const MAX_ADDED = 200;

export const addedModels = z.strictObject({
  models: z
    .array(
      z.strictObject({
        id: z.string().min(1).describe("The vendor's name for it, and the new model's id"),
        context_tokens: z.int().nullable(),
        max_output_tokens: z.int().nullable(),
        input_media: z.array(z.string()).nullable(),
        price: price.nullable(),
      }),
    )
    .min(1)
    .max(MAX_ADDED)
    .describe("A model that the catalog already has is only mapped; its limits and price stay"),
});
export type AddedModels = z.infer<typeof addedModels>;

export const removed = z.object({ removed: z.literal(true) });
