import { z } from "zod";
import { PLAIN_TEXT } from "../../base/text.ts";
import { moment, nanos } from "../contract-parts.ts";

const day = z.iso.date({ error: "must be a day, such as 2027-01-31" });

export const spendingQuery = z.strictObject({
  from: day.optional().describe("First day, UTC; default 29 days before the last"),
  to: day.optional().describe("Last day, UTC; default today"),
  step: z
    .enum(["day", "hour"])
    .default("day")
    .describe("hour: only for models and endpoints, at most seven days"),
  by: z.enum(["model", "key", "user", "endpoint", "tag"]).default("model"),
  tag_key: z
    .string()
    .max(32)
    .regex(PLAIN_TEXT, "must be plain text")
    .optional()
    .describe(
      "Key of the tags to group by, such as team; end_user = the end user that requests name. Needed with by=tag",
    ),
});
export type SpendingQuery = z.input<typeof spendingQuery>;

const sums = z.object({
  requests: z.number().int(),
  errors: z.number().int(),
  input_tokens: z.number().int(),
  output_tokens: z.number().int(),
  charge_nanos: nanos,
});
export type SpendingSums = z.infer<typeof sums>;

const latency = z
  .object({ p50_ms: z.number(), p95_ms: z.number() })
  .nullable()
  .describe("Percentile over completed requests, accurate to 10 %; null = none");

const latencies = z.object({ first_byte: latency, total: latency });
export type SpendingLatencies = z.infer<typeof latencies>;

const group = sums.extend({
  id: z
    .string()
    .describe(
      "Model, endpoint or tag's value, or the id of a key or user; playground = short-lived keys of the playground; (none) = requests without the tag; (other) = values beyond the 10,000 of a key that have sums of their own in a month",
    ),
  name: z.string().nullable().describe("Of the group, or of the key's creator; null = none"),
  latencies: latencies.nullable().describe("Only for models"),
});
export type SpendingGroup = z.infer<typeof group>;

export const spendingResponse = z.object({
  from: z.string(),
  to: z.string(),
  totals: sums.extend({
    estimated: z.number().int().describe("Number of requests with estimated usage"),
    tokens: z.object({
      input_uncached: z.number().int(),
      cache_read: z.number().int(),
      cache_write_5m: z.number().int(),
      cache_write_1h: z.number().int(),
      output_visible: z.number().int(),
      output_reasoning: z.number().int(),
    }),
    images: z.number().int(),
    video_seconds: z.number().int(),
    latencies,
  }),
  groups: z.array(group).describe("The 100 most expensive groups"),
  others: sums.nullable().describe("Sum of all other groups; null = none"),
  series: z
    .array(
      z.object({
        at: moment.describe("Start of the day or hour; days or hours without requests are omitted"),
        group: z.string().nullable().describe("Group id, for the first eight groups; null = all others"),
        charge_nanos: nanos,
        requests: z.number().int(),
      }),
    )
    .describe("Values for a chart"),
  forecast: z
    .object({
      month: z.string().describe("Current month as YYYY-MM (UTC)"),
      charged_nanos: nanos.describe("Charges so far"),
      day_nanos: nanos.describe("Average of the last seven full days"),
      expected_nanos: nanos.describe("Projection for the month"),
    })
    .describe("Forecast of the current month, independent of the range"),
});
export type SpendingResponse = z.infer<typeof spendingResponse>;
