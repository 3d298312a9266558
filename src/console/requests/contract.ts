import { z } from "zod";
import { PLAIN_TEXT } from "../../base/text.ts";
import { SERVICE_DIMENSIONS } from "../../usage/service-terms.ts";
import { PLACE_REASONS } from "../../usage/usage.ts";
import { inputMoment, moment, nanos, pageOf, pageQuery, tagFilter } from "../contract-parts.ts";

/** Text as the database takes it. */
const plain = (most: number) => z.string().trim().max(most).regex(PLAIN_TEXT, "must be plain text");

const id = z.string().regex(/^[1-9]\d{0,17}$/, "must be an id");

/** Conditions on requests. A request must meet all of them; those left out don't count. */
const filter = {
  from: inputMoment.optional().describe("Recorded at or after this time"),
  to: inputMoment.optional().describe("Recorded before this time"),
  key: id.optional().describe("Id of the key"),
  user: z
    .union([id, z.literal("nobody")])
    .optional()
    .describe("Id of the key's creator; nobody = not created by a user"),
  model: plain(200).optional(),
  endpoint: plain(64).optional().describe("A protocol (messages, responses ...), images or videos"),
  status: z
    .enum(["2xx", "4xx", "5xx", "none"])
    .optional()
    .describe("Status returned; none = the client disconnected first"),
  outcome: z
    .enum(["failed", "answered"])
    .optional()
    .describe("failed: because of the upstream or the client"),
  reason: plain(64).optional().describe("Reason of the charge: completed, client_aborted ..."),
  tag: tagFilter.optional(),
  upstream: plain(200).optional().describe("Operators only"),
  min_cost_nanos: nanos.max(19).optional(),
  request: plain(100).optional().describe("Exact request id"),
};

export const requestsQuery = pageQuery.extend(filter);
export type RequestsQuery = z.input<typeof requestsQuery>;

export const requestsExportQuery = z.strictObject(filter);
export type RequestFilter = z.output<typeof requestsExportQuery>;

const requestRow = z.object({
  request_id: z.string(),
  recorded_at: moment.describe("When it was logged; lists use this order"),
  accepted_at: moment,
  key: z.object({ id: z.string(), name: z.string().nullable() }),
  model: z.string(),
  endpoint: z.string(),
  streamed: z.boolean(),
  status: z.number().int().describe("Status returned; 0 = the client disconnected first"),
  reason: z.string(),
  failed: z.boolean(),
  error_code: z.string().nullable(),
  estimated: z.boolean().describe("Part of the usage was estimated"),
  input_tokens: z
    .number()
    .int()
    .nullable()
    .describe("All input tokens, including cached ones; null = unknown"),
  cached_tokens: z.number().int().nullable().describe("Input tokens read from a cache"),
  output_tokens: z.number().int().nullable().describe("All output tokens, including reasoning"),
  images: z.number().int().nullable(),
  video_seconds: z.number().int().nullable(),
  charge_nanos: nanos,
  first_byte_ms: z.number().int().nullable(),
  total_ms: z.number().int(),
  attempts: z.number().int(),
  losses: z.number().int().describe("Parts of the request that were dropped on the way to the upstream"),
  upstream: z.string().nullable().describe("operators only"),
  tags: z.array(z.string()).readonly().describe("As key=value; empty = none"),
});
export type RequestRow = z.infer<typeof requestRow>;

export const requestsPage = pageOf(requestRow);
export type RequestsPage = z.infer<typeof requestsPage>;

const usd = z.string().describe("US dollars as an exact decimal string");

const receiptLine = z.union([
  z.object({
    bucket: z.string(),
    model: z.string().optional().describe("Whose tokens they are; absent = that of the receipt"),
    tokens: z.number().int(),
    usd_per_million_tokens: usd,
    factor: z.string().optional().describe("Of tier, speed, region and hours, included in usd; absent = 1"),
    row: z.string().optional().describe("Row of the price table; absent = that of the receipt"),
    usd,
  }),
  z.object({
    kind: z.enum(["call", "unit", "request"]).describe("A tool run by the vendor, a unit other than tokens"),
    name: z.string(),
    count: z.number().int(),
    usd_each: usd,
    usd,
  }),
  z.object({
    unit: z.enum(["image", "second"]),
    of: z.string(),
    count: z.number().int(),
    usd_each: usd,
    usd,
  }),
]);

/** The same as GET /v1/receipts/{id} returns. */
export const receipt = z.object({
  request_id: z.string(),
  state: z
    .enum(["running", "pending", "posted", "quarantined"])
    .describe(
      "pending: completed, recorded within a second; quarantined: could not be recorded, not charged",
    ),
  model: z.string().optional(),
  asked_model: z.string().optional().describe("What the caller asked for, if it is another name"),
  tags: z.array(z.string()).readonly().optional().describe("As key=value; absent = none"),
  endpoint: z.string().optional(),
  streamed: z.boolean().optional(),
  accepted_at: moment.optional(),
  ended_at: moment.optional(),
  status: z.number().int().optional(),
  error_code: z.string().nullable().optional(),
  reason: z.string().optional(),
  charged: z.boolean().optional().describe("false: requests with this reason are free"),
  estimated: z.boolean().optional(),
  ignored_values: z.array(z.string()).readonly().optional(),
  lines: z.array(receiptLine).readonly().optional(),
  row: z.string().optional().describe("The row of the price table that was taken; absent = the base row"),
  step_estimated: z
    .literal(true)
    .optional()
    .describe("The row is that of all passes together, since the vendor doesn't report each"),
  served: z
    .array(
      z.object({
        dimension: z.enum([...SERVICE_DIMENSIONS, "hours"]),
        name: z.string(),
        from: z
          .enum(["response", "asked", "upstream", "time"])
          .describe(
            "response = reported by the vendor; asked = requested, and the vendor reports nothing; upstream = neither, but the upstream's `region`",
          ),
        factor: z.string().optional().describe("Included in the lines; absent = it has a row of its own"),
      }),
    )
    .readonly()
    .optional()
    .describe("Tier, speed, region and hours that the token prices follow from"),
  unpriced: z
    .array(z.string())
    .readonly()
    .optional()
    .describe("Reported by the vendor without a price in the catalog; charged at the model's highest price"),
  sum_usd: usd.optional(),
  factor: z.string().optional().describe("Multiplier of the account's group at acceptance"),
  exact_usd: usd.optional().describe("sum x factor, before rounding to a billionth of a dollar"),
  charge_usd: usd.optional(),
  charge_nanos: nanos.optional(),
  hold_usd: usd.optional(),
  output_limit: z.int().optional().describe("Output limit that the gateway added because of a low balance"),
  losses: z.array(z.string()).readonly().optional(),
  task: z.object({ id: z.string(), state: z.string(), late_result: z.unknown().optional() }).optional(),
});

export const requestDetail = z.object({
  receipt,
  request: requestRow.nullable().describe("null until it is recorded"),
  raw_usage: z.unknown().describe("The vendor's usage object; null = none"),
  upstream_model: z.string().nullable().describe("The upstream's name for the model; operators only"),
  place: z
    .object({
      credential: z.string().describe("Name of the upstream's credential; none = no key needed"),
      reason: z
        .enum(PLACE_REASONS)
        .describe(
          "affinity = the conversation's own place; first_choice = no conversation, by weight; moved = the conversation moved there; pinned = an id in the request belongs there; state = it created the state in the request; failover = the own place was full, unhealthy or failed",
        ),
    })
    .nullable()
    .describe("Last place of the request, and the reason; null for images and videos. Operators only"),
  cost: z
    .object({
      cost_nanos: nanos.describe("Of all attempts"),
      margin_nanos: nanos.describe("charge - cost"),
      attempts: z.array(
        z.object({
          upstream: z.string().describe("Empty = unknown: the gateway was killed"),
          upstream_model: z.string().nullable(),
          credential: z.string().nullable(),
          cost_nanos: nanos.describe("By `upstreams[].cost`"),
          stated_nanos: nanos.nullable().describe("Cost as the vendor states it; null = not stated"),
          used: z
            .enum(["billed", "nothing", "unknown"])
            .describe(
              "nothing = never sent, or refused by the vendor; unknown = the vendor may bill it and reported no usage",
            ),
        }),
      ),
    })
    .nullable()
    .describe("What its vendors bill; null for images and videos. Operators only"),
});
export type RequestDetail = z.infer<typeof requestDetail>;
export type Receipt = z.infer<typeof receipt>;
