import { expect, it } from "vitest";
import { ENDPOINT_WORDS, endpointOf } from "../../../src/catalog/vocabulary.ts";
import { CATALOG_NAMES, endpointWords } from "./endpoint-words.ts";

it("names every word that the catalog file has for an endpoint", () => {
  for (const word of ENDPOINT_WORDS) {
    const endpoint = endpointOf(word);
    expect(CATALOG_NAMES[word] ?? word, word).toBe(endpoint);
    expect(Object.keys(endpointWords.en)).toContain(endpoint);
  }
});
