import { z } from "zod";
import { issueMessage } from "../base/schema-issues.ts";
import {
  AMOUNT_DECIMALS,
  amountField,
  count,
  currency,
  type ExportBucket,
  type ExportRow,
  isDay,
} from "./export-row.ts";
import { modelName } from "./names.ts";

// https://platform.claude.com/docs/en/api/admin/cost_report and .../usage_report/messages. In both, days begin at 0:00
// UTC.

const common = z.object({
  model: z.string().nullish(),
  service_tier: z.string().nullish(),
  workspace_id: z.string().nullish(),
});
const costs = common.extend({
  // The amount is in cents.
  amount: amountField({ decimals: AMOUNT_DECIMALS - 2 }),
  currency: currency.nullish(),
  cost_type: z.string().nullish(),
  token_type: z.string().nullish(),
});
const usage = common.extend({
  uncached_input_tokens: z.int().min(0),
  cache_read_input_tokens: count,
  output_tokens: z.int().min(0),
  cache_creation: z
    .looseObject({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count })
    .nullish(),
  server_tool_use: z.object({ web_search_requests: count }).nullish(),
});
/** Both reports have the same buckets; only rows of costs have an amount. */
const result = z.looseObject({}).transform((value, context) => {
  const schema = "amount" in value ? costs : usage;
  const parsed = schema.safeParse(value, { error: issueMessage });
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues)
    context.issues.push({ code: "custom", path, message, input: value });
  return z.NEVER;
});

export const anthropicBucket = z.object({
  starting_at: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/, {
      error: "must be a time in UTC, such as 2026-11-28T00:00:00Z",
      abort: true,
    })
    .refine((text) => isDay(text.slice(0, 10)), "is no day"),
  results: z.array(result),
});

export function readAnthropicBucket({ starting_at, results }: z.infer<typeof anthropicBucket>): ExportBucket {
  const day = starting_at.slice(0, 10);
  return {
    day,
    rows: results.flatMap((each) => ("amount" in each ? [costRow(day, each)] : usageRows(day, each))),
  };
}

const TOKEN_TYPES: Readonly<Record<string, string>> = {
  uncached_input_tokens: "input",
  cache_read_input_tokens: "cache_read",
  "cache_creation.ephemeral_5m_input_tokens": "cache_write",
  "cache_creation.ephemeral_1h_input_tokens": "cache_write_1h",
  output_tokens: "output",
};

function costRow(day: string, row: z.infer<typeof costs>): ExportRow {
  const { amount, currency, cost_type, token_type } = row;
  return {
    ...commonOf(day, row),
    bucket: (token_type && (TOKEN_TYPES[token_type] ?? token_type)) || cost_type || undefined,
    quantity: undefined,
    amount,
    currency: (currency ?? "USD").toUpperCase(),
  };
}

function usageRows(day: string, row: z.infer<typeof usage>): ExportRow[] {
  const counts = {
    input: row.uncached_input_tokens,
    cache_read: row.cache_read_input_tokens,
    cache_write: row.cache_creation?.ephemeral_5m_input_tokens,
    cache_write_1h: row.cache_creation?.ephemeral_1h_input_tokens,
    output: row.output_tokens,
    web_search: row.server_tool_use?.web_search_requests,
  };
  return Object.entries(counts).flatMap(([bucket, quantity]) =>
    quantity ? [{ ...commonOf(day, row), bucket, quantity, amount: undefined, currency: undefined }] : [],
  );
}

function commonOf(day: string, { model, service_tier, workspace_id }: z.infer<typeof common>) {
  const tier = service_tier && service_tier !== "standard" ? service_tier : undefined;
  return { day, model: model ? modelName(model) : undefined, project: workspace_id ?? undefined, tier };
}
