import { z } from "zod";
import { CAUSE_SENTENCES } from "../../reconcile/cause-sentence.ts";
import { LEFT_OUT_REASONS } from "../../reconcile/export-row.ts";

const name = z.string().trim().max(200).optional();

export const reconciliationQuery = z.strictObject({
  upstreams: name.describe("Only requests sent to these upstreams, as comma-separated names; default all"),
  project: name.describe("Only the export's rows of this project or workspace"),
  zone: name.describe("Time zone of the vendor's days; default UTC, America/Los_Angeles for Google"),
  tolerance: name.describe("Tolerated difference per day, model and bucket, in US dollars; default 0.01"),
});
export type ReconciliationQuery = z.input<typeof reconciliationQuery>;

const usd = z.string().describe("US dollars as an exact decimal string");
const sums = z.object({
  quantity: z.number().nullable().describe("Quantity in tokens or tool uses; null = not stated"),
  usd: usd.nullable().describe("Amount; null = not stated"),
});

const difference = z.object({
  day: z.string().describe("Day in `zone`"),
  model: z.string().nullable().describe("Model; null = the export doesn't distinguish models"),
  bucket: z.string().nullable().describe("Bucket; null = the export doesn't distinguish buckets"),
  ours: sums.describe("Values recorded by the gateway"),
  theirs: sums.describe("Values billed by the export"),
  difference_usd: usd.nullable().describe("theirs - ours"),
  requests: z
    .array(
      z.object({
        id: z.string(),
        account: z.string().describe("Account id"),
        why: z.array(
          z.enum([
            "implausible",
            "estimated",
            "unpriced",
            "unknown cost",
            "across midnight",
            "same quantity",
          ]),
        ),
      }),
    )
    .describe("Requests of that day and model that may explain the difference"),
});
export type ReportedDifference = z.infer<typeof difference>;

const CAUSES = [
  "currency",
  "nothing_recorded",
  "project",
  "time_zone",
  "duplicate_row",
  "tier",
  "bucket",
  "rounding",
  "price_change",
  "price",
  "not_recorded_here",
  "not_billed",
] as const;

export const reconciliation = z.object({
  format: z.string().describe("Detected format of the file"),
  zone: z.string(),
  from: z.string().describe("First day of the export"),
  to: z.string().describe("Last day of the export"),
  rows: z.int().describe("Number of compared rows"),
  left_out: z
    .array(z.object({ reason: z.enum(LEFT_OUT_REASONS), lines: z.array(z.int()) }))
    .describe("Lines without usage of models, such as totals"),
  ours_usd: usd,
  theirs_usd: usd.nullable().describe("Billed amount; null = the export states no amounts in US dollars"),
  differences: z.array(difference).describe("The 500 largest differences, largest first"),
  differences_total: z.int(),
  causes: z
    .array(
      z.object({
        name: z.enum(CAUSES),
        text: z.string().describe("Explanation in English"),
        sentence: z.enum(CAUSE_SENTENCES).describe("Code of the explanation"),
        where: z.string().nullable().describe("Day, model and bucket; null = the whole export"),
        values: z.array(z.string()).describe("Values in the explanation"),
        more: z.int().describe("Number of values left out"),
      }),
    )
    .describe("Possible causes of the differences"),
  causes_total: z.int(),
});
export type Reconciliation = z.infer<typeof reconciliation>;
