import { z } from "zod";
import { moment, nanos } from "../contract-parts.ts";

const milliseconds = z.int().nullable().describe("Percentile; null = no completed request");

const figures = {
  requests: z.int(),
  errors: z.int().describe("Failed requests, because of the client or an upstream"),
  input_tokens: z.int(),
  output_tokens: z.int(),
  charge_nanos: nanos,
  first_byte_p50_ms: milliseconds,
  first_byte_p95_ms: milliseconds,
  first_byte_p99_ms: milliseconds,
};
const trafficFigures = z.object(figures);
export type TrafficFigures = z.infer<typeof trafficFigures>;

const trafficRow = z.object({ name: z.string().describe('"" = no upstream was used'), ...figures });
export type TrafficRow = z.infer<typeof trafficRow>;

const trafficSlot = z.object({ at: moment.describe("Start of the slot"), ...figures });
export type TrafficSlot = z.infer<typeof trafficSlot>;

/** Requests by the time they were posted, of all processes that share the database. */
export const traffic = z.object({
  slot_seconds: z.int(),
  slots: z
    .array(trafficSlot)
    .describe("Slots, oldest first, the last one incomplete; later events contain only changed slots"),
  span_seconds: z.int().describe("Length of the rows' period, in seconds up to now"),
  total: trafficFigures,
  upstreams: z.array(trafficRow),
  models: z.array(trafficRow),
  process: z.object({
    label: z.string().describe("Responding process, as listed in the settings"),
    running: z.int().describe("Running text requests of the process"),
  }),
});
export type Traffic = z.infer<typeof traffic>;
