import type { BilledUnit } from "../usage/usage.ts";
import type { Endpoint } from "./catalog.ts";

/** The words in which endpoints and our own errors are shown to callers (FAREGATE_VOCABULARY). */
export interface Vocabulary {
  /** A model's endpoint as `supported_endpoint_types` names it. */
  wordOf(endpoint: Endpoint): string;
  /** `error.type` of errors that the gateway itself makes. */
  readonly errorType: string;
}

export function vocabularyOf(name: "spec" | "vendor"): Vocabulary {
  return { wordOf: (endpoint) => WORDS[endpoint][name], errorType: "gateway_error" };
}

/** An endpoint in either vocabulary, since a catalog file should not depend on how answers are worded. */
export function endpointOf(word: string): Endpoint | undefined {
  return BY_WORD.get(word);
}

const WORDS: Readonly<Record<Endpoint, { readonly spec: string; readonly vendor: string }>> = {
  "chat-completions": { spec: "oa", vendor: "openai" },
  responses: { spec: "oa-response", vendor: "openai-response" },
  messages: { spec: "an", vendor: "anthropic" },
  "generate-content": { spec: "ge", vendor: "gemini" },
  images: { spec: "image-generation", vendor: "image-generation" },
  videos: { spec: "oa-video", vendor: "openai-video" },
  embeddings: { spec: "embeddings", vendor: "embeddings" },
  rerank: { spec: "vendorz-rerank", vendor: "jina-rerank" },
};

const BY_WORD = new Map(
  Object.entries(WORDS).flatMap(([endpoint, { spec, vendor }]) => [
    [spec, endpoint as Endpoint],
    [vendor, endpoint as Endpoint],
  ]),
);

/** Every word a catalog file may use. */
export const ENDPOINT_WORDS = [...BY_WORD.keys()];

/** The endpoint whose responses count a unit. */
export const UNIT_ENDPOINTS: Readonly<Record<BilledUnit, Endpoint>> = {
  search: "rerank",
  image: "embeddings",
};
