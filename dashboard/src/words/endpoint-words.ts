import type { ModelEndpoint } from "../../../src/console/models/contract.ts";
import { useWords, wordsOf } from "./use-words.ts";

/** The endpoints in the order in which they are offered. Names of APIs are not translated. */
export const endpointWords = wordsOf<Readonly<Record<ModelEndpoint, string>>>({
  en: {
    "chat-completions": "Chat Completions",
    responses: "Responses",
    messages: "Messages",
    "generate-content": "generateContent",
    embeddings: "Embeddings",
    rerank: "Rerank",
    images: "Images",
    videos: "Videos",
  },
  zh: {
    "chat-completions": "Chat Completions",
    responses: "Responses",
    messages: "Messages",
    "generate-content": "generateContent",
    embeddings: "Embeddings",
    rerank: "Rerank",
    images: "图片",
    videos: "视频",
  },
});

/** The names that the catalog file uses for endpoints, in both vocabularies. */
export const CATALOG_NAMES: Readonly<Record<string, ModelEndpoint>> = {
  oa: "chat-completions",
  openai: "chat-completions",
  "oa-response": "responses",
  "openai-response": "responses",
  an: "messages",
  anthropic: "messages",
  ge: "generate-content",
  gemini: "generate-content",
  "image-generation": "images",
  "oa-video": "videos",
  "openai-video": "videos",
  "vendorz-rerank": "rerank",
  "jina-rerank": "rerank",
};

/** Every endpoint with its name. */
export function useEndpoints(): readonly (readonly [endpoint: ModelEndpoint, name: string])[] {
  return Object.entries(useWords(endpointWords)) as [ModelEndpoint, string][];
}

/** Names an endpoint by its id or by its word in the catalog file. */
export function useEndpointName(): (endpoint: string) => string {
  const words: Readonly<Record<string, string>> = useWords(endpointWords);
  return (endpoint) => words[CATALOG_NAMES[endpoint] ?? endpoint] ?? endpoint;
}
