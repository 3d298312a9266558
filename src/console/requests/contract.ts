import { z } from "zod";
import { PLAIN_TEXT } from "../../base/plain-text.ts";
import { PLACE_REASONS } from "../../usage/place-reason.ts";
import { inputMoment } from "../contract-parts.ts";
import { moment, nanos, pageOf, pageQuery } from "../page.ts";

/** Text as the database takes it. */
const plain = (most: number) => z.string().trim().max(most).regex(PLAIN_TEXT, "must be plain text");

const id = z.string().regex(/^[1-9]\d{0,17}$/, "must be an id");

/** Which requests; each part narrows, what is left out does not. */
const filter = {
  from: inputMoment.optional().describe("Recorded then or later"),
  to: inputMoment.optional().describe("Recorded before then"),
  key: id.optional().describe("Id of the key"),
  user: z
    .union([id, z.literal("nobody")])
    .optional()
    .describe("Id of who made the key, as in spending by user; nobody = a key made by no user"),
  model: plain(200).optional(),
  endpoint: plain(64).optional().describe("A protocol (messages, responses ...), images or videos"),
  status: z
    .enum(["2xx", "4xx", "5xx", "none"])
    .optional()
    .describe("What the caller saw; none = gone before any"),
  outcome: z
    .enum(["failed", "answered"])
    .optional()
    .describe("failed: for an upstream's or the caller's fault"),
  reason: plain(64).optional().describe("Why it was charged as it was: completed, client_aborted ..."),
  upstream: plain(200).optional().describe("Operators only"),
  min_cost_nanos: nanos.max(19).optional(),
  request: plain(100).optional().describe("The request's id, whole"),
};

export const requestsQuery = pageQuery.extend(filter);
export type RequestsQuery = z.input<typeof requestsQuery>;

export const requestsExportQuery = z.strictObject(filter);
export type RequestFilter = z.output<typeof requestsExportQuery>;

const requestRow = z.object({
  request_id: z.string(),
  recorded_at: moment.describe("When it came into the log; lists are in this order"),
  accepted_at: moment,
  key: z.object({ id: z.string(), name: z.string().nullable() }),
  model: z.string(),
  endpoint: z.string(),
  streamed: z.boolean(),
  status: z.number().int().describe("What the caller saw; 0 = gone before any"),
  reason: z.string(),
  failed: z.boolean(),
  error_code: z.string().nullable(),
  estimated: z.boolean().describe("The gateway had to estimate part of the usage"),
  input_tokens: z.number().int().nullable().describe("All of them, cached or not; null = nothing known"),
  cached_tokens: z.number().int().nullable().describe("Those read from a cache"),
  output_tokens: z.number().int().nullable().describe("All of them, reasoning included"),
  images: z.number().int().nullable(),
  video_seconds: z.number().int().nullable(),
  charge_nanos: nanos,
  first_byte_ms: z.number().int().nullable(),
  total_ms: z.number().int(),
  attempts: z.number().int(),
  losses: z.number().int().describe("Fields that could not be carried to the upstream's protocol"),
  upstream: z.string().nullable().describe("null for all but operators"),
});
export type RequestRow = z.infer<typeof requestRow>;

export const requestsPage = pageOf(requestRow);
export type RequestsPage = z.infer<typeof requestsPage>;

const usd = z.string().describe("US dollars as exact decimal text");

const receiptLine = z.union([
  z.object({ bucket: z.string(), tokens: z.number().int(), usd_per_million_tokens: usd, usd }),
  z.object({
    unit: z.enum(["image", "second"]),
    of: z.string(),
    count: z.number().int(),
    usd_each: usd,
    usd,
  }),
]);

/** As GET /v1/receipts/{id} answers it. */
export const receipt = z.object({
  request_id: z.string(),
  state: z
    .enum(["running", "pending", "posted", "quarantined"])
    .describe("pending: over, and recorded within a second; quarantined: could not be recorded, not charged"),
  model: z.string().optional(),
  endpoint: z.string().optional(),
  streamed: z.boolean().optional(),
  accepted_at: moment.optional(),
  ended_at: moment.optional(),
  status: z.number().int().optional(),
  error_code: z.string().nullable().optional(),
  reason: z.string().optional(),
  charged: z.boolean().optional().describe("false: requests that end for this reason cost nothing"),
  estimated: z.boolean().optional(),
  ignored_values: z.array(z.string()).readonly().optional(),
  lines: z.array(receiptLine).readonly().optional(),
  extras: z
    .array(z.object({ name: z.string(), usd }))
    .readonly()
    .optional(),
  row: z.string().optional().describe("The row of the price table that was taken; absent = the base row"),
  sum_usd: usd.optional(),
  factor: z.string().optional().describe("Of the account's group at acceptance"),
  exact_usd: usd.optional().describe("sum x factor, before it is rounded to a billionth of a dollar"),
  charge_usd: usd.optional(),
  charge_nanos: nanos.optional(),
  hold_usd: usd.optional(),
  output_limit: z
    .int()
    .optional()
    .describe("What the gateway wrote into a request without a limit, as the money covered no more"),
  losses: z.array(z.string()).readonly().optional(),
  task: z.object({ id: z.string(), state: z.string(), late_result: z.unknown().optional() }).optional(),
});

export const requestDetail = z.object({
  receipt,
  request: requestRow.nullable().describe("null until it is recorded"),
  raw_usage: z.unknown().describe("The vendor's own usage object; null = there was none"),
  upstream_model: z
    .string()
    .nullable()
    .describe("The upstream's name of the model; null for all but operators"),
  place: z
    .object({
      credential: z.string().describe("Name of the upstream's credential; none = it wants no key"),
      reason: z
        .enum(PLACE_REASONS)
        .describe(
          "affinity = the conversation's own place; first_choice = of no conversation, by weight; moved = the conversation has gone on there; pinned = an id in the request leads there; state = it made the state that the request carries; failover = the own place was full, not well, or has failed the request",
        ),
    })
    .nullable()
    .describe(
      "Where the request was sent last, and why there; null of pictures and videos, and for all but operators",
    ),
});
export type RequestDetail = z.infer<typeof requestDetail>;
export type Receipt = z.infer<typeof receipt>;
