import { describe, expect, it } from "vitest";
import { ManifestError } from "./problems.ts";
import { parseManifest } from "./read.ts";

/** A file with one model, an upstream of kind sandbox and this other one. */
function file(upstreams: readonly string[]): string {
  return `version: 1
models:
  - { id: m, context_tokens: 1000, max_output_tokens: 100, price: { input: 1, output: 2 } }
upstreams:
  - { name: u, kind: sandbox, base_url: "http://localhost:1", models: [m] }
${upstreams.map((each) => `  - { models: [m], ${each} }\n`).join("")}`;
}

function problemsOf(upstream: string): string[] {
  try {
    parseManifest(file([`name: v, ${upstream}`]), {});
  } catch (error) {
    if (error instanceof ManifestError) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe("a preset", () => {
  it("gives an upstream its base URL, which a stated one overrides", () => {
    const { upstreams } = parseManifest(
      file([
        "name: v, kind: openai-compatible, preset: deepseek, api_key: key-of-nobody",
        'name: w, kind: openai-compatible, preset: vllm, base_url: "http://gpu-box:8000/v1/"',
      ]),
      {},
    );
    expect(upstreams.map(({ preset, baseUrl, protocols }) => [preset, baseUrl, protocols])).toEqual([
      [null, "http://localhost:1", null],
      ["deepseek", "https://api.deepseek.com", null],
      ["vllm", "http://gpu-box:8000/v1", null],
    ]);
  });

  it.each([
    ["kind: openai-compatible, preset: depseek, api_key: key-of-nobody", "did you mean deepseek?"],
    [
      "kind: openai, preset: deepseek, api_key: key-of-nobody, base_url: https://a.example/v1",
      "preset: belongs to kind openai-compatible; remove it, or change the kind",
    ],
    [
      "kind: openai-compatible, preset: deepseek",
      "api_key: is required for preset deepseek; create one at https://platform.deepseek.com/api_keys",
    ],
    ["kind: openai-compatible", "base_url: is required"],
  ])("with { %s } says what to write", (upstream, message) => {
    const found = problemsOf(upstream);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });
});
