import { z } from "zod";
import { amountField, count, currency, type ExportBucket, type ExportRow } from "./export-row.ts";
import { bucketOfWords, modelName } from "./names.ts";

// https://developers.openai.com/api/reference/resources/organization : costs and usage, pages of buckets. In both, days
// begin at 0:00 UTC.

const common = z.object({
  project_id: z.string().nullish(),
});
const costs = common.extend({
  object: z.literal("organization.costs.result"),
  amount: z.object({ value: amountField({ isNumber: true }), currency }),
  line_item: z.string().nullish(),
  quantity: z.number().nullish(),
});
const usage = common.extend({
  object: z.enum([
    "organization.usage.completions.result",
    "organization.usage.embeddings.result",
    "organization.usage.moderations.result",
  ]),
  model: z.string().nullish(),
  service_tier: z.string().nullish(),
  batch: z.boolean().nullish(),
  input_tokens: z.int().min(0),
  output_tokens: count,
  input_cached_tokens: count,
});
const result = z
  .discriminatedUnion("object", [costs, usage])
  .refine((each) => !("input_tokens" in each) || (each.input_cached_tokens ?? 0) <= each.input_tokens, {
    path: ["input_cached_tokens"],
    message: "must be at most input_tokens",
  });

export const openaiBucket = z.object({
  object: z.literal("bucket"),
  // The maximum is the end of the year 9999.
  start_time: z.int().min(0).max(253_402_300_799),
  results: z.array(result).optional(),
  // The reference also uses this spelling.
  result: z.array(result).optional(),
});

export function readOpenaiBucket({
  start_time: start,
  results,
  result: other,
}: z.infer<typeof openaiBucket>): ExportBucket {
  const day = new Date(start * 1000).toISOString().slice(0, 10);
  const rows = (results ?? other ?? []).flatMap((each) =>
    "amount" in each ? [costRow(day, each)] : usageRows(day, each),
  );
  return { day, rows };
}

/** A line item is either a model and a bucket, as in "gpt-5-2025-08-07, cached input", or a tool. */
function costRow(day: string, { amount, line_item, quantity, project_id }: z.infer<typeof costs>): ExportRow {
  const [model, words] = splitItem(line_item ?? "");
  return {
    day,
    model: model === undefined ? undefined : modelName(model),
    bucket: words === undefined ? undefined : bucketOfWords(words),
    project: project_id ?? undefined,
    tier: words === undefined ? undefined : /priority|flex|batch/.exec(words.toLowerCase())?.[0],
    quantity: quantity ?? undefined,
    amount: amount.value,
    currency: amount.currency.toUpperCase(),
  };
}

function splitItem(item: string): [model: string | undefined, words: string | undefined] {
  if (item === "") return [undefined, undefined];
  const at = item.lastIndexOf(", ");
  return at < 0 ? [undefined, item] : [item.slice(0, at), item.slice(at + 2)];
}

function usageRows(day: string, row: z.infer<typeof usage>): ExportRow[] {
  const { model, project_id, service_tier, batch, input_tokens, output_tokens, input_cached_tokens } = row;
  const cached = input_cached_tokens ?? 0;
  const tier = batch === true ? "batch" : service_tier;
  const counts = { input: input_tokens - cached, cache_read: cached, output: output_tokens ?? 0 };
  return Object.entries(counts).flatMap(([bucket, quantity]) =>
    quantity === 0
      ? []
      : [
          {
            day,
            model: model ? modelName(model) : undefined,
            bucket,
            project: project_id ?? undefined,
            tier: tier && tier !== "default" ? tier : undefined,
            quantity,
            amount: undefined,
            currency: undefined,
          },
        ],
  );
}
