import type { BilledUnit } from "../usage/usage.ts";
import type { Endpoint } from "./catalog.ts";

/** The words for endpoints and for our own errors in responses (FAREGATE_VOCABULARY). */
export interface Vocabulary {
  /** Returns the endpoint's word in `supported_endpoint_types`. */
  wordOf(endpoint: Endpoint): string;
  /** `error.type` of errors that the gateway itself returns. */
  readonly errorType: string;
}

export function vocabularyOf(name: "spec" | "vendor"): Vocabulary {
  return { wordOf: (endpoint) => WORDS[endpoint][name], errorType: "gateway_error" };
}

/** Reads an endpoint in either vocabulary, because a catalog file should not depend on the wording of responses. */
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

/** All words that a catalog file may use. */
export const ENDPOINT_WORDS = [...BY_WORD.keys()];

/** The endpoint whose responses count this unit. */
export const UNIT_ENDPOINTS: Readonly<Record<BilledUnit, Endpoint>> = {
  search: "rerank",
  image: "embeddings",
};
