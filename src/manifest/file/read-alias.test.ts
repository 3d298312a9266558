import { describe, expect, it } from "vitest";
import { ManifestError } from "./problems.ts";
import { parseManifest } from "./read.ts";

function problems(alias: string, served = "m"): string {
  const text = `version: 1
models:
  - { id: m, context_tokens: 1000, max_output_tokens: 100, price: { input: 1, output: 2 } }
  - ${alias}
upstreams:
  - { name: u, kind: sandbox, base_url: "http://localhost:1", models: [${served}] }
`;
  try {
    parseManifest(text, {});
    return "";
  } catch (error) {
    if (error instanceof ManifestError) return error.message;
    throw error;
  }
}

describe("an alias in a file", () => {
  it.each([
    ["{ id: a, alias_of: n }", 'models[1].alias_of: no model "n" is declared in this file'],
    ["{ id: a, alias_of: a }", "models[1].alias_of: is the alias itself; name a model"],
    ["{ id: a, alias_of: m, price: { input: 1 } }", "models[1].price: belongs to the model m; remove it"],
    ["{ id: a, alias_of: m, order: cost }", "models[1].order: belongs to the model m; remove it"],
    ["{ id: a, alias_of: m, owned_by: me }", "models[1].owned_by: belongs to the model m; remove it"],
    ["{ id: a, alias_of: m, quirks: { stop: true } }", "models[1].quirks: belongs to the model m"],
    ["{ id: b, alias_of: m }\n  - { id: a, alias_of: b }", "models[2].alias_of: is an alias; use m"],
    [
      "{ id: b, alias_of: nope }\n  - { id: a, alias_of: b }",
      "models[2].alias_of: is an alias; name a model",
    ],
  ])("that is %s is refused with the reason", (alias, message) => {
    expect(problems(alias)).toContain(message);
  });

  it("is served by no upstream of its own", () => {
    const alias = "{ id: a, alias_of: m, created: 1 }";
    expect(problems(alias)).toBe("");
    expect(problems(alias, "m, a")).toContain("upstreams[0].models[1]: is an alias; use m");
  });
});
