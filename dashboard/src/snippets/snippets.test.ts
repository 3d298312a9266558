import { describe, expect, it } from "vitest";
import { sdksFor, snippetOf } from "./snippets.ts";

const ALL = [
  "chat-completions",
  "responses",
  "messages",
  "generate-content",
  "embeddings",
  "rerank",
  "images",
  "videos",
] as const;

describe("snippets", () => {
  it("can call every endpoint, and name model and address in each", () => {
    expect(new Set(sdksFor(ALL).flatMap(([, endpoints]) => endpoints))).toEqual(new Set(ALL));
    for (const [sdk, endpoints] of sdksFor(ALL)) {
      for (const endpoint of endpoints) {
        const text = snippetOf({
          sdk,
          endpoint,
          model: "text-large",
          family: "videob",
          url: "https://gate.example",
        });
        expect(text, `${sdk} ${endpoint}`).toContain("text-large");
        expect(text, `${sdk} ${endpoint}`).toContain("https://gate.example");
        expect(text, `${sdk} ${endpoint}`).toContain("FAREGATE_API_KEY");
      }
    }
  });

  it("offer an SDK only where it speaks one of the model's endpoints", () => {
    expect(sdksFor(["rerank"]).map(([sdk]) => sdk)).toEqual(["curl"]);
    expect(sdksFor(["messages"])).toEqual([
      ["curl", ["messages"]],
      ["anthropic", ["messages"]],
      ["ai-sdk", ["messages"]],
    ]);
  });
});
