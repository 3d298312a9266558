import { expect, it } from "vitest";
import { readQuirks } from "../../conversation/lower/quirks.ts";
import { ManifestError } from "./problems.ts";
import { parseManifest } from "./read.ts";

/** Every quirk of translation with each kind of value it can have. */
const QUIRKS: readonly (readonly [name: string, values: readonly unknown[]])[] = [
  ["system_role", ["system", "developer", "user"]],
  ["max_tokens_field", ["max_tokens", "max_completion_tokens"]],
  ["thinking", ["effort", "budget", "adaptive", "level", "none"]],
  [
    "efforts",
    [
      ["none", "minimal", "low"],
      ["medium", "high", "xhigh", "max"],
    ],
  ],
  ["max_budget", [24_576]],
  ["thinking_off", [true, false]],
  ["forced_tools", [true, false]],
  ["structured_output", ["schema", "json", "tool"]],
  ["schemas", ["whole", "subset"]],
  ["media_urls", [[], ["image", "audio", "video", "document"]]],
  ["sampling", [true, false]],
  ["refuses", [[], ["user", "seed", "penalties", "verbosity", "prompt_cache_key"]]],
  ["call_id_length", [9]],
  ["stop", [true, false]],
  ["cache", ["auto", "off"]],
  ["cache_marks", [true, false]],
  ["reasoning_replay", [true, false, "kept"]],
  ["reasoning_field", ["reasoning", "reasoning_content"]],
  ["think_tags", [true, false]],
  ["many_answers", [true, false]],
  ["prefill", ["continue", "refuse"]],
];

it("every quirk that a file may give is one that translation reads", () => {
  for (const [name, values] of QUIRKS) {
    for (const value of values) {
      const [model] = parseManifest(file({ [name]: value }), {}, "f.yaml").models;
      expect(Object.values(readQuirks(model?.quirks ?? {})), `${name}: ${value}`).toEqual([value]);
    }
  }
});

it("a quirk that is unknown, misspelt or of another form is an error that says what is known", () => {
  expect(problem({ max_token_field: "max_tokens" })).toMatch(
    /quirks\.max_token_field: unknown key "max_token_field"; allowed: .*did you mean max_tokens_field\?$/,
  );
  expect(problem({ thinking: "budgets" })).toMatch(
    /quirks\.thinking: must be one of effort, budget, adaptive, level, none; did you mean budget\?$/,
  );
  expect(problem({ efforts: [] })).toMatch(/quirks\.efforts: must not be empty$/);
  expect(problem({ efforts: ["hard"] })).toMatch(/quirks\.efforts\[0\]: must be one of none, minimal/);
  expect(problem({ media_urls: "image" })).toMatch(/quirks\.media_urls: must be a list, not text$/);
  expect(problem({ sampling: "no" })).toMatch(/quirks\.sampling: must be true or false, not text$/);
});

function file(quirks: object): string {
  return `version: 1
groups: [{ name: default }]
models:
  - { id: m, context_tokens: 9, max_output_tokens: 9, price: { input: 1, output: 2 }, quirks: ${JSON.stringify(quirks)} }
upstreams: []
`;
}

function problem(quirks: object): string {
  try {
    parseManifest(file(quirks), {}, "f.yaml");
  } catch (error) {
    if (error instanceof ManifestError) return error.message;
    throw error;
  }
  return "";
}
