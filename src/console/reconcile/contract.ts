import { z } from "zod";
import { CAUSE_SENTENCES } from "../../reconcile/cause-sentence.ts";
import { LEFT_OUT_REASONS } from "../../reconcile/export-row.ts";

const name = z.string().trim().max(200).optional();

export const reconciliationQuery = z.strictObject({
  upstreams: name.describe("Only requests sent to these upstreams: names with commas between; default all"),
  project: name.describe("Only the export's rows of this project or workspace"),
  zone: name.describe("Time zone of the vendor's days; default UTC, America/Los_Angeles for Google"),
  tolerance: name.describe("How much a day's model and bucket may differ, in US dollars; default 0.01"),
});
export type ReconciliationQuery = z.input<typeof reconciliationQuery>;

const usd = z.string().describe("US dollars as an exact decimal string");
const sums = z.object({
  quantity: z.number().nullable().describe("Tokens, or uses of a tool; null = not stated"),
  usd: usd.nullable().describe("null = not stated"),
});

const difference = z.object({
  day: z.string().describe("In `zone`"),
  model: z.string().nullable().describe("null = the export doesn't distinguish models"),
  bucket: z.string().nullable().describe("null = the export doesn't distinguish buckets"),
  ours: sums.describe("As recorded here"),
  theirs: sums.describe("As billed by the export"),
  difference_usd: usd.nullable().describe("theirs - ours"),
  requests: z
    .array(
      z.object({
        id: z.string(),
        account: z.string().describe("The id of its account"),
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
    .describe("Requests of that day and model that may explain it"),
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
  format: z.string().describe("What the file was recognized as"),
  zone: z.string(),
  from: z.string().describe("First day"),
  to: z.string().describe("Last day"),
  rows: z.int().describe("Rows of the export that were compared"),
  left_out: z
    .array(z.object({ reason: z.enum(LEFT_OUT_REASONS), lines: z.array(z.int()) }))
    .describe("Lines that are no usage of models, such as totals"),
  ours_usd: usd,
  theirs_usd: usd.nullable().describe("null = the export states no amounts in US dollars"),
  differences: z.array(difference).describe("The 500 largest, largest first"),
  differences_total: z.int(),
  causes: z
    .array(
      z.object({
        name: z.enum(CAUSES),
        text: z.string().describe("A sentence in English"),
        sentence: z.enum(CAUSE_SENTENCES).describe("Which sentence it is"),
        where: z.string().nullable().describe("Day, model and bucket; null = the whole export"),
        values: z.array(z.string()).describe("What the sentence names"),
        more: z.int().describe("How many more it would name"),
      }),
    )
    .describe("What would explain the differences"),
  causes_total: z.int(),
});
export type Reconciliation = z.infer<typeof reconciliation>;
