import { z } from "zod";
import { CONDITION_WORDS, moment, nanos, revision } from "../contract-parts.ts";

const timeouts = z.strictObject({
  connect_ms: z.int().optional(),
  first_byte_stream_ms: z.int().optional(),
  first_byte_plain_ms: z.int().optional(),
  idle_ms: z.int().optional(),
  total_ms: z.int().optional(),
});

const terms = {
  kind: z.string().describe("A preset: protocols, paths, authentication"),
  base_url: z.string().describe("What the vendor's own SDK calls its base URL"),
  models: z.record(z.string(), z.string()).describe("Our name: the vendor's name"),
  protocols: z.array(z.string()).nullable().describe("null = the kind's own list"),
  groups: z.array(z.string()).nullable().describe("Groups it serves; null = every group"),
  priority: z.int().describe("Lower is tried first"),
  weight: z.number().describe("Share within one priority"),
  max_concurrency: z.int().describe("Requests in flight at once, per process"),
  shared_ids: z
    .array(z.string())
    .describe(
      "Ids of things in the vendor's account that every account may name which may use this upstream",
    ),
  timeouts: timeouts.describe("Milliseconds; what is left out has its default"),
  probe: z.boolean().describe("It is tried every half minute while nobody asks it"),
  signer: z
    .string()
    .nullable()
    .describe("Upstreams of one signer read each other's signed state; null = each credential only its own"),
};

const secret = z.string().min(1).max(4096).describe("Written only: no answer ever shows it");

const rest = z.strictObject({
  protocols: terms.protocols,
  groups: terms.groups,
  priority: terms.priority,
  weight: terms.weight,
  max_concurrency: terms.max_concurrency,
  shared_ids: terms.shared_ids,
  timeouts: terms.timeouts,
  probe: terms.probe,
  signer: terms.signer,
  enabled: z.boolean(),
});

/** An upstream as a catalog file declares it; what is left out has the file's defaults, `enabled` stays as it is. */
export const upstreamTerms = z.strictObject({
  kind: terms.kind,
  base_url: terms.base_url,
  models: terms.models,
  ...rest.partial().shape,
  api_keys: z
    .array(secret)
    .optional()
    .describe("Replaces every credential; needed where base_url leads to another server"),
});
export type UpstreamTerms = z.infer<typeof upstreamTerms>;

export const newUpstream = upstreamTerms.extend({ name: z.string() });
export type NewUpstream = z.infer<typeof newUpstream>;

export const upstreamState = z.strictObject({
  enabled: z.boolean().describe("false = new requests go elsewhere; what runs is finished"),
});

export const newCredential = z.strictObject({
  secret,
  name: z.string().trim().min(1).max(100).optional().describe("For people; by default its number"),
});
export const credentialChange = z.strictObject({
  secret: secret.optional().describe("Takes the place of the one before, for tasks under way too"),
  name: z.string().trim().min(1).max(100).optional(),
  enabled: z.boolean().optional(),
});

const credential = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string().describe("Its last characters, where it is long enough to show some"),
  reference: z.string().nullable().describe("The environment variable from which a catalog file took it"),
  enabled: z.boolean(),
  troubles: z
    .array(
      z.object({
        model: z.string().describe("What the upstream calls it"),
        state: z.enum(CONDITION_WORDS).describe("ready = but for some accounts"),
        wait_seconds: z.int(),
        closed_accounts: z.int().describe("Accounts that are kept away, as their own last requests failed"),
      }),
    )
    .describe("As this process has learnt"),
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
  revision: revision.describe("Names what is declared and which credentials there are, not how it does"),
  credentials: z.array(credential),
  health: z.object({
    state: z
      .enum(HEALTH_STATES)
      .describe("unusable = enabled, but without a usable credential; idle = nothing was asked of it lately"),
    running: z.int().describe("Requests in flight, in this process"),
    connections: z.int(),
    open_breakers: z.int(),
    attempts: z
      .object({ ok: z.int(), failed: z.int(), rate_limited: z.int(), refused: z.int() })
      .describe("Of the last ten minutes in this process, those that another upstream rescued too"),
  }),
  hour: figures.describe("Of the last hour, of all processes"),
});
export type Upstream = z.infer<typeof upstream>;

export const upstreams = z.object({
  data: z.array(upstream),
  next: z.null(),
  process: z.string().describe("The process that answers: breakers and running requests are its own"),
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
            requests: z.int().describe("Those for which the vendor says a cost"),
            charge_nanos: nanos.describe("What they were charged"),
            cost_nanos: nanos.describe("What the vendor says they cost, read as US dollars"),
          })
          .nullable()
          .describe("null = the vendor says nothing"),
      }),
    )
    .describe("Oldest first, days in UTC without requests left out"),
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
    .describe("The latest requests that failed there for good, newest first"),
});
export type UpstreamReport = z.infer<typeof upstreamReport>;

export const reportQuery = z.strictObject({ days: z.coerce.number().int().min(1).max(90).default(30) });

export const credentialTest = z.object({
  ok: z.boolean(),
  latency_ms: z.int(),
  message: z.string().describe("What is wrong and what to do; that all is well"),
});
export type CredentialTest = z.infer<typeof credentialTest>;

export const kinds = z.object({
  data: z.array(
    z.object({
      name: z.string(),
      protocols: z.array(z.string()).describe("Spoken unless an upstream says otherwise"),
      possible_protocols: z.array(z.string()),
      families: z.array(z.string()).describe("Families of pictures and videos that it makes"),
      needs_key: z.boolean(),
    }),
  ),
  next: z.null(),
});
export type Kinds = z.infer<typeof kinds>;

export const removed = z.object({ removed: z.literal(true) });
