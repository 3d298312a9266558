import type { TokenPriceName } from "../catalog/token-prices.ts";

/** The meaning of a field of a model. */
export type PriceField =
  | {
      readonly kind: "tokens";
      readonly name: TokenPriceName;
      /** Applies to input of more tokens than this; 0 = to any input. */
      readonly above: number;
      readonly tier: string | undefined;
    }
  /** Its price is of something that text models are never charged for. */
  | { readonly kind: "ignored" }
  /** Its price cannot be expressed in a table, which stays without it; `what` describes it. */
  | { readonly kind: "left-out"; readonly what: string }
  /** Its price belongs elsewhere in a price table, or nowhere. */
  | { readonly kind: "other" };

/** US dollars per token. */
const TOKENS: Readonly<Record<string, TokenPriceName>> = {
  input_cost_per_token: "input",
  output_cost_per_token: "output",
  output_cost_per_reasoning_token: "reasoning",
  cache_read_input_token_cost: "cacheRead",
  cache_creation_input_token_cost: "cacheWrite",
  cache_creation_input_token_cost_above_1hr: "cacheWrite1h",
  input_cost_per_audio_token: "audioInput",
  cache_read_input_audio_token_cost: "audioCacheRead",
  output_cost_per_audio_token: "audioOutput",
  input_cost_per_image_token: "imageInput",
  cache_read_input_image_token_cost: "imageCacheRead",
  output_cost_per_image_token: "imageOutput",
  input_cost_per_video_token: "videoInput",
  output_cost_per_video_token: "videoOutput",
};

/** Suffixes of service tiers, and the tiers' names in responses. */
const TIERS: Readonly<Record<string, string>> = {
  priority: "priority",
  flex: "flex",
  batches: "batch",
  ultrafast: "ultrafast",
};

const IGNORED: ReadonlySet<string> = new Set([
  // The same prices in Databricks' own unit.
  "input_dbu_cost_per_token",
  "output_dbu_cost_per_token",
  // Storage is not charged per request.
  "file_search_cost_per_gb_per_day",
  "vector_store_cost_per_gb_per_day",
  // States the unit of another field and is read with it.
  "web_search_billing_unit",
]);

/** Prices under names that responses don't use. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  regional_endpoint_uplift_multiplier:
    "regions: the list has one factor for all that are not global, and names none",
  google_maps_grounding_cost_per_query: "calls: searches in Google Maps",
  code_interpreter_cost_per_session: "calls: sessions of the code interpreter",
};

const FIELD = /^(.+?)(?:_above_(\d+)(k?)_tokens)?(?:_(priority|flex|batches|ultrafast))?$/;

/**
 * Undefined = a field that is no price. Unknown fields that look like prices are "other", so that none is ignored
 * silently.
 */
export function priceField(field: string): PriceField | undefined {
  if (IGNORED.has(field)) return { kind: "ignored" };
  const what = Object.hasOwn(LEFT_OUT, field) ? LEFT_OUT[field] : undefined;
  if (what !== undefined) return { kind: "left-out", what };
  const [, start = "", number, thousands, tier] = FIELD.exec(field) ?? [];
  const name = Object.hasOwn(TOKENS, start) ? TOKENS[start] : undefined;
  if (name === undefined) return /cost|pric|multiplier/.test(field) ? { kind: "other" } : undefined;
  const above = Number(number ?? 0) * (thousands === "k" ? 1_000 : 1);
  return { kind: "tokens", name, above, tier: tier === undefined ? undefined : TIERS[tier] };
}

/**
 * Modes of models that are sold by tokens or searches. Models of other modes (images, speech, realtime) are not
 * compared.
 */
export function isTextMode(mode: unknown): boolean {
  return mode === undefined || /^(chat|completion|responses|embedding|rerank)$/.test(String(mode));
}

/** True if a model of this mode searches among documents. */
export function isRanking(mode: unknown): boolean {
  return /^rerank$/.test(String(mode));
}

/** LiteLLM's names of a vendor: its word for it, and the prefix of the model's name. */
export interface LitellmVendor {
  readonly providers: readonly string[];
  readonly prefix: string;
}

/** Keyed by the vendor's name in the bundled list. */
export const LITELLM_VENDORS: Readonly<Record<string, LitellmVendor>> = {
  anthropic: { providers: ["anthropic"], prefix: "anthropic/" },
  openai: { providers: ["openai", "text-completion-openai"], prefix: "openai/" },
  google: {
    providers: [
      "gemini",
      "vertex_ai-language-models",
      "vertex_ai-anthropic_models",
      "vertex_ai-embedding-models",
    ],
    prefix: "gemini/",
  },
  deepseek: { providers: ["deepseek"], prefix: "deepseek/" },
  mistral: { providers: ["mistral"], prefix: "mistral/" },
  "x-ai": { providers: ["xai"], prefix: "xai/" },
  moonshotai: { providers: ["moonshot"], prefix: "moonshot/" },
  zai: { providers: ["zai"], prefix: "zai/" },
  minimax: { providers: ["minimax"], prefix: "minimax/" },
  cohere: { providers: ["cohere", "cohere_chat"], prefix: "cohere/" },
  perplexity: { providers: ["perplexity"], prefix: "perplexity/" },
  groq: { providers: ["groq"], prefix: "groq/" },
  cerebras: { providers: ["cerebras"], prefix: "cerebras/" },
  together: { providers: ["together_ai"], prefix: "together_ai/" },
  fireworks: { providers: ["fireworks_ai"], prefix: "fireworks_ai/" },
  novita: { providers: ["novita"], prefix: "novita/" },
  azure: { providers: ["azure", "azure_ai"], prefix: "azure/" },
  aws: { providers: ["bedrock", "bedrock_converse"], prefix: "bedrock/" },
  ovhcloud: { providers: ["ovhcloud"], prefix: "ovhcloud/" },
  openrouter: { providers: ["openrouter"], prefix: "openrouter/" },
};
