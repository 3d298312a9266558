import { z } from "zod";
import { AMOUNT_DECIMALS, type ExportRow, readAmount } from "./export-row.ts";
import { modelName } from "./names.ts";

// https://platform.claude.com/docs/en/api/admin/cost_report and .../usage_report/messages. Both begin their days at 0:00 UTC.

const count = z.number().nullish();
const result = z.looseObject({
  amount: z.string().nullish(),
  currency: z.string().nullish(),
  cost_type: z.string().nullish(),
  token_type: z.string().nullish(),
  model: z.string().nullish(),
  service_tier: z.string().nullish(),
  workspace_id: z.string().nullish(),
  uncached_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
  cache_creation: z
    .looseObject({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count })
    .nullish(),
  server_tool_use: z.looseObject({ web_search_requests: count }).nullish(),
});
type Result = z.infer<typeof result>;

export const anthropicBucket = z.looseObject({ starting_at: z.string(), results: z.array(result) });

export function readAnthropicBucket({ starting_at, results }: z.infer<typeof anthropicBucket>): ExportRow[] {
  const day = starting_at.slice(0, 10);
  return results.flatMap((each) =>
    typeof each.amount === "string" ? [costRow(day, each)] : usageRows(day, each),
  );
}

const TOKEN_TYPES: Readonly<Record<string, string>> = {
  uncached_input_tokens: "input",
  cache_read_input_tokens: "cache_read",
  "cache_creation.ephemeral_5m_input_tokens": "cache_write",
  "cache_creation.ephemeral_1h_input_tokens": "cache_write_1h",
  output_tokens: "output",
};

/** Amounts are in cents. */
function costRow(day: string, given: Result): ExportRow {
  const { amount, currency, cost_type, token_type } = given;
  return {
    ...common(day, given),
    bucket: (token_type && (TOKEN_TYPES[token_type] ?? token_type)) || cost_type || undefined,
    quantity: undefined,
    amount: readAmount(amount, AMOUNT_DECIMALS - 2),
    currency: (currency ?? "USD").toUpperCase(),
  };
}

function usageRows(day: string, given: Result): ExportRow[] {
  const counts = {
    input: given.uncached_input_tokens,
    cache_read: given.cache_read_input_tokens,
    cache_write: given.cache_creation?.ephemeral_5m_input_tokens,
    cache_write_1h: given.cache_creation?.ephemeral_1h_input_tokens,
    output: given.output_tokens,
    web_search: given.server_tool_use?.web_search_requests,
  };
  return Object.entries(counts).flatMap(([bucket, quantity]) =>
    quantity ? [{ ...common(day, given), bucket, quantity, amount: undefined, currency: undefined }] : [],
  );
}

function common(day: string, { model, service_tier, workspace_id }: Result) {
  const tier = service_tier && service_tier !== "standard" ? service_tier : undefined;
  return { day, model: model ? modelName(model) : undefined, project: workspace_id ?? undefined, tier };
}
