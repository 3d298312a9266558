import { expect, it } from "vitest";
import { PROTOCOL_NAMES } from "../conversation/protocol-name.ts";
import { ENDPOINT_WORDS, endpointOf, vocabularyOf } from "./vocabulary.ts";

const ENDPOINTS = [...PROTOCOL_NAMES, "images", "videos"] as const;

it("words endpoints as the specification does, or as the vendors do", () => {
  const words = (name: "spec" | "vendor") =>
    ENDPOINTS.map((endpoint) => vocabularyOf(name).wordOf(endpoint)).join(" ");
  expect(words("spec")).toBe("oa oa-response an ge embeddings vendorz-rerank image-generation oa-video");
  expect(words("vendor")).toBe(
    "openai openai-response anthropic gemini embeddings jina-rerank image-generation openai-video",
  );
});

it("reads every word it writes, and no other", () => {
  for (const name of ["spec", "vendor"] as const) {
    for (const endpoint of ENDPOINTS) {
      const word = vocabularyOf(name).wordOf(endpoint);
      expect(endpointOf(word)).toBe(endpoint);
      expect(ENDPOINT_WORDS).toContain(word);
    }
  }
  for (const word of ["", "OA", "chat-completions", "toString", "__proto__"])
    expect(endpointOf(word)).toBeUndefined();
});
