import { z } from "zod";
import { type ExportRow, readAmount } from "./export-row.ts";
import { bucketOfWords, modelName } from "./names.ts";

// https://developers.openai.com/api/reference/resources/organization : costs and usage, pages of buckets. Both begin their days at 0:00 UTC.

const count = z.number().nullish();
const result = z.looseObject({
  object: z.string(),
  amount: z.looseObject({ value: z.union([z.number(), z.string()]), currency: z.string() }).nullish(),
  line_item: z.string().nullish(),
  quantity: count,
  project_id: z.string().nullish(),
  model: z.string().nullish(),
  service_tier: z.string().nullish(),
  batch: z.boolean().nullish(),
  input_tokens: count,
  output_tokens: count,
  input_cached_tokens: count,
});
type Result = z.infer<typeof result>;

export const openaiBucket = z.looseObject({
  object: z.literal("bucket"),
  start_time: z.number(),
  results: z.array(result).optional(),
  // As the reference also spells it.
  result: z.array(result).optional(),
});

export function readOpenaiBucket({
  start_time: start,
  results,
  result: other,
}: z.infer<typeof openaiBucket>): ExportRow[] {
  const day = new Date(start * 1000).toISOString().slice(0, 10);
  return (results ?? other ?? []).flatMap((each) =>
    each.object === "organization.costs.result" ? [costRow(day, each)] : usageRows(day, each),
  );
}

/** A line item is a model and a bucket, as in "gpt-5-2025-08-07, cached input", or a tool. */
function costRow(day: string, { amount, line_item, quantity, project_id }: Result): ExportRow {
  const [model, words] = partedItem(line_item ?? "");
  return {
    day,
    model: model === undefined ? undefined : modelName(model),
    bucket: words === undefined ? undefined : bucketOfWords(words),
    project: project_id ?? undefined,
    tier: words === undefined ? undefined : /priority|flex|batch/.exec(words.toLowerCase())?.[0],
    quantity: quantity ?? undefined,
    amount: readAmount(amount?.value),
    currency: amount?.currency.toUpperCase(),
  };
}

function partedItem(item: string): [model: string | undefined, words: string | undefined] {
  if (item === "") return [undefined, undefined];
  const at = item.lastIndexOf(", ");
  return at < 0 ? [undefined, item] : [item.slice(0, at), item.slice(at + 2)];
}

function usageRows(day: string, given: Result): ExportRow[] {
  const { model, project_id, service_tier, batch, input_tokens, output_tokens, input_cached_tokens } = given;
  const cached = input_cached_tokens ?? 0;
  const tier = batch === true ? "batch" : service_tier;
  const counts = { input: (input_tokens ?? 0) - cached, cache_read: cached, output: output_tokens ?? 0 };
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
