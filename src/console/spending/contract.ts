import { z } from "zod";
import { moment, nanos } from "../contract-parts.ts";

const day = z.iso.date({ error: "must be a day, such as 2027-01-31" });

export const spendingQuery = z.strictObject({
  from: day.optional().describe("First day, UTC; default 29 days before the last"),
  to: day.optional().describe("Last day, UTC; default today"),
  step: z
    .enum(["day", "hour"])
    .default("day")
    .describe("hour: only for models and endpoints, at most seven days"),
  by: z.enum(["model", "key", "user", "endpoint"]).default("model"),
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
  .describe("Of completed requests, accurate to 10 %; null = none");

const latencies = z.object({ first_byte: latency, total: latency });
export type SpendingLatencies = z.infer<typeof latencies>;

const group = sums.extend({
  id: z
    .string()
    .describe("The model or endpoint itself; the id of a key or user; playground = its short-lived keys"),
  name: z.string().nullable().describe("null: a key made by no user"),
  latencies: latencies.nullable().describe("Of models only"),
});
export type SpendingGroup = z.infer<typeof group>;

export const spendingResponse = z.object({
  from: z.string(),
  to: z.string(),
  totals: sums.extend({
    estimated: z.number().int().describe("Requests with estimated usage"),
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
  groups: z.array(group).describe("The hundred most expensive"),
  others: sums.nullable().describe("Everything else; null = nothing"),
  series: z
    .array(
      z.object({
        at: moment.describe("Start of the day or hour; those without requests are omitted"),
        group: z.string().nullable().describe("Id of one of the first eight groups; null = all others"),
        charge_nanos: nanos,
        requests: z.number().int(),
      }),
    )
    .describe("For a chart"),
  forecast: z
    .object({
      month: z.string().describe("YYYY-MM, the current one, UTC"),
      charged_nanos: nanos.describe("So far"),
      day_nanos: nanos.describe("Average of the last seven full days"),
      expected_nanos: nanos.describe("Projection for the month"),
    })
    .describe("Of the current month, whatever the range"),
});
export type SpendingResponse = z.infer<typeof spendingResponse>;
