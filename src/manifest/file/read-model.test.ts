import { describe, expect, it } from "vitest";
import { ManifestError } from "./problems.ts";
import { parseManifest } from "./read.ts";

/** The errors of a file with one model, without its place. */
function model(fields: string): string[] {
  try {
    parseManifest(`version: 1\nmodels: [{ id: m, ${fields} }]`, {}, "f.yaml");
  } catch (error) {
    if (error instanceof ManifestError)
      return error.message.split("\n").map((line) => line.replace(/^f\.yaml:\d+:\d+: models\[0\]\./, ""));
    throw error;
  }
  return [];
}

describe("what a model needs", () => {
  it("generating text: both limits and both prices", () => {
    expect(model("owned_by: me")).toEqual([
      expect.stringMatching(/^context_tokens: is required/),
      expect.stringMatching(/^max_output_tokens: is required/),
      expect.stringMatching(/^price: is required/),
    ]);
    expect(model("context_tokens: 1, max_output_tokens: 1, price: { input: 0 }")).toEqual([
      expect.stringMatching(/^price\.output: is required/),
    ]);
    expect(model("context_tokens: 1, max_output_tokens: 1, price: { input: 0, output: 0 }")).toEqual([]);
  });

  it("embedding or ranking: the input price", () => {
    expect(model("endpoints: [embeddings], price: { output: 1 }")).toEqual([
      expect.stringMatching(/^price\.input: is required/),
    ]);
  });

  it.each<[string, string[]]>([
    ["[{ input: 1, output: 1 }, { from: 2026-12-01T00:00:00Z, input: 2, output: 2 }]", []],
    ["{ from: 2026-12-01T00:00:00+08:00, input: 2, output: 2 }", []],
    [
      "[{ input: 1, output: 1 }, { input: 2, output: 2 }]",
      ["price[1].from: is required: only the first price"],
    ],
    [
      "[{ from: 2026-12-01T00:00:00Z, input: 1, output: 1 }, { from: 2026-12-01T01:00:00+01:00, input: 2, output: 2 }]",
      ["price[1].from: must be later than 2026-12-01T00:00:00Z, when the price above it begins"],
    ],
    [
      "[{ from: 2026-12-02T00:00:00Z, input: 1, output: 1 }, { from: 2026-12-01T00:00:00Z, input: 2, output: 2 }]",
      ["price[1].from: must be later than 2026-12-02T00:00:00Z"],
    ],
    ["{ from: tomorrow, input: 1, output: 1 }", ["price.from: must be a time with its zone, such as 2027"]],
    ["{ from: 2026-12-01T00:00:00, input: 1, output: 1 }", ["price.from: must be a time with its zone"]],
    ["{ from: 2026-12-01, input: 1, output: 1 }", ["price.from: must be a time with its zone"]],
    [
      "[{ input: 1, output: 1 }, { from: 2026-02-30T00:00:00Z, input: 2, output: 2 }]",
      ["price[1].from: must be a time"],
    ],
    [
      "[{ input: 1, output: 1 }, { from: 2026-12-01T00:00:00Z, input: 2 }]",
      ["price[1].output: is required: USD per 1,000,000 tokens"],
    ],
    ["[{ input: 1, output: 1, outptu: 2 }]", ["price[0].outptu: unknown key"]],
    ["{ input: 1, output: 1, outptu: 2 }", ["price.outptu: unknown key"]],
    ["[]", ["price: is required"]],
    ["7", ["price: must be a mapping (key: value) or a list"]],
  ])("prices that begin later, each whole and after the one above it: %s", (price, told) => {
    const problems = model(`context_tokens: 1, max_output_tokens: 1, price: ${price}`);
    expect(problems).toEqual(told.map((start) => expect.stringContaining(start)));
  });

  it("of a family: that family's endpoint and unit, and nothing of text", () => {
    expect(model("endpoints: [oa-video], price: { input: 1 }")[0]).toContain("needs a `family`");
    const wrong = "family: imagegen, endpoints: [oa], price: { per_second: { 720p: 1 } }, context_tokens: 5";
    expect(model(wrong).toSorted()).toEqual([
      expect.stringMatching(/^context_tokens: belongs to a text model/),
      expect.stringMatching(/^endpoints\[0\]: must be image-generation/),
      expect.stringMatching(/^price\.per_image: is required/),
      expect.stringMatching(/^price\.per_second: does not apply/),
    ]);
  });

  it("of a family: a price for every value that a caller may ask for", () => {
    const needed = {
      "family: imagegen": ["1k", "2k", "4k"],
      "family: videoa, variant: '2.0'": ["720p", "1080p"],
      "family: videoa, variant: 2.0-fast": ["720p"],
      "family: videoa, variant: 2.0-mini": ["720p"],
      "family: videoa, variant: '2.5'": ["720p", "1080p"],
      "family: videob": ["480p", "720p", "1080p"],
      "family: videoc": ["480p", "768p"],
    };
    for (const [fields, words] of Object.entries(needed)) {
      const unit = fields.includes("imagegen") ? "per_image" : "per_second";
      const priced = (among: readonly string[]) =>
        model(
          `${fields}, price: { ${unit}: { ${among.map((word) => `${word.toUpperCase()}: 1`).join(", ")} } }`,
        );
      expect([fields, priced(words)]).toEqual([fields, []]);
      for (const gone of words) {
        const [problem, ...more] = priced([...words.filter((word) => word !== gone), "other"]);
        expect(problem).toMatch(
          new RegExp(`^price\\.${unit}: has no price for ${gone}, which callers can request \\(`),
        );
        expect(more).toEqual([]);
      }
    }
  });

  it("of a family: each value once, in whatever case", () => {
    const prices = "price: { per_image: { 1k: 1, 2k: 1, 4k: 1, 1K: 2 } }";
    expect(model(`family: imagegen, ${prices}`)).toEqual([
      'price.per_image["1K"]: is a duplicate of 1k: names are matched in any case',
    ]);
  });

  it("of a family: a variant that the family has, named or read off the id", () => {
    const price = "price: { per_second: { 480p: 1, 720p: 1, 768p: 1, 1080p: 1 } }";
    expect(model(`family: videoa, ${price}`)).toEqual([
      `variant: can't be derived from the id; set it to one of "2.0", "2.0-fast", "2.0-mini", "2.5"`,
    ]);
    for (const family of ["videoa", "videob", "videoc"])
      expect(model(`family: ${family}, variant: x, ${price}`)[0]).toMatch(/^variant: must be one of "/);
    expect(model(`family: videod, ${price}`).some((each) => each.startsWith("family: "))).toBe(true);
  });
});
