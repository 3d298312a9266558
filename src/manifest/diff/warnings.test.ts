// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the file should hold.
import { describe, expect, it } from "vitest";
import { parseManifest } from "../file/read.ts";
import { warningsOf } from "./warnings.ts";

const NOW = Date.parse("2026-11-27T00:00:00Z");
const SANDBOX = {
  name: "sandbox",
  kind: "sandbox",
  enabled: true,
  models: new Map([
    ["text", "text"],
    ["other", "other"],
  ]),
};

interface Written {
  readonly model?: string;
  readonly upstream?: string;
  readonly key?: string;
  readonly before?: readonly (typeof SANDBOX)[];
  readonly removed?: readonly string[];
}

function warnings({ model, upstream, key, before = [], removed = [] }: Written): string[] {
  const manifest = parseManifest(
    `version: 1
models: [{ id: text, ${model ?? "context_tokens: 1000, max_output_tokens: 100, price: { input: 3, output: 15 }"} }]
upstreams: [{ name: main, api_key: secret-secret, ${upstream ?? "kind: openai, base_url: 'https://vendor.example/v1', models: [text]"} }]
accounts: [{ name: acme, keys: [{ name: ci, key: ci-key-0123456789${key ?? ""} }] }]`,
    {},
  );
  return warningsOf(manifest, { upstreams: before, models: [] } as never, {
    removed: new Set(removed),
    now: NOW,
  });
}

describe("what a file may declare but hardly means", () => {
  it.each(["[{ REGIONS }, { from: 2026-12-01T00:00:00Z }]", "[{}, { from: 2026-12-01T00:00:00Z, REGIONS }]"])(
    "is not a region that a model has a price for at some time: %s",
    (rows) => {
      const prices = rows
        .replaceAll("{ ", "{ input: 3, output: 15, ")
        .replaceAll("{}", "{ input: 3, output: 15 }")
        .replaceAll("REGIONS", "regions: { us: { factor: 1.1 } }");
      const model = `context_tokens: 9, max_output_tokens: 9, price: ${prices}`;
      const upstream = "kind: openai, base_url: 'https://vendor.example/v1', models: [text], region: us";
      expect(warnings({ model, upstream })).toEqual([]);
    },
  );

  it("is told: nothing of a usual file", () => {
    expect(warnings({})).toEqual([]);
  });

  it.each<[string, Written, RegExp]>([
    [
      "a price per token",
      { model: "context_tokens: 9, max_output_tokens: 9, price: { input: 0.00000125, output: 10 }" },
      /^model text costs less than .* is this a price per token\?/,
    ],
    [
      "a price in an old spelling",
      {
        model: "context_tokens: 9, max_output_tokens: 9, price: { input: 3, output: 15, cache_write_5m: 4 }",
      },
      /^model text uses the price cache_write_5m, which is now called cache_write$/,
    ],
    [
      "a limit in an old spelling",
      {
        upstream:
          "kind: openai, base_url: 'https://vendor.example/v1', models: [text], max_concurrency: 9, limits: { requests_per_minute: 5 }",
      },
      /^upstream \S+ uses max_concurrency, which is now called limits: \{ concurrency \}$/,
    ],
    [
      "a tier without a price that its upstream may serve with unasked",
      {
        upstream:
          "kind: openai, base_url: 'https://vendor.example/v1', models: [text], unasked_tiers: [priority]",
      },
      /^upstream main has the unasked tier "priority", for which these models have no price at some time: text; set price\.tiers\.priority$/,
    ],
    [
      "a region that no price of its upstream's models knows",
      { upstream: "kind: openai, base_url: 'https://vendor.example/v1', models: [text], region: uss" },
      /^upstream main has the region "uss", for which none of its models has a price$/,
    ],
    [
      "a price that holds no more",
      {
        model:
          "context_tokens: 9, max_output_tokens: 9, price: [{ input: 3, output: 15 }, { from: 2026-11-26T00:00:00Z, input: 4, output: 15 }]",
      },
      /^model text has prices that the one from 2026-11-26T00:00:00Z has replaced; remove them from the file$/,
    ],
    [
      "no price that holds yet",
      {
        model:
          "context_tokens: 9, max_output_tokens: 9, price: { from: 2026-11-28T01:00:00+01:00, input: 4, output: 15 }",
      },
      /^model text has no price before 2026-11-28T00:00:00Z, and can't be used until then$/,
    ],
    [
      "what a request pays at most once, in its old spelling",
      {
        model:
          "context_tokens: 9, max_output_tokens: 9, price: { input: 3, output: 15, extras: { web_search: 0.01 } }",
      },
      /^model text uses the price extras "web_search", which is read as calls: \{ "web_search": \{ price, per: request \} \}$/,
    ],
    [
      "a price of a unit that no text response counts",
      {
        model:
          "context_tokens: 9, max_output_tokens: 9, price: { input: 3, output: 15, units: { search: 1 } }",
      },
      /^model text has a price of the unit search, which only the endpoint rerank counts; it is never charged$/,
    ],
    [
      "a price of a unit that another kind of model counts",
      { model: "endpoints: [jina-rerank], price: { input: 3, units: { search: 1, image: 1 } }" },
      /^model text has a price of the unit image, which only the endpoint embeddings counts; it is never charged$/,
    ],
    [
      "a price of a tool that is misspelt",
      {
        model:
          "context_tokens: 9, max_output_tokens: 9, price: { input: 3, output: 15, calls: { web_serch: 0.5 } }",
      },
      /^model text has a price of the tool "web_serch"; no known vendor tool is called that: did you mean "web_search"\?$/,
    ],
    [
      "a cost of a tool that is misspelt",
      {
        upstream:
          "kind: openai, base_url: 'https://vendor.example/v1', models: [text], cost: { prices: { text: { input: 1, output: 1, calls: { file_serach: 1 } } } }",
      },
      /^upstream main has a price of the tool "file_serach"; no known vendor tool is called that: did you mean "file_search"\?$/,
    ],
    [
      "an output longer than the context",
      { model: "context_tokens: 100, max_output_tokens: 101, price: { input: 3, output: 15 }" },
      /^model text has max_output_tokens 101 above its context_tokens 100$/,
    ],
    [
      "a cache that costs more than none",
      { model: "context_tokens: 9, max_output_tokens: 9, price: { input: 3, output: 15, cache_read: 3.1 }" },
      /^model text has a cache_read price above its input price$/,
    ],
    [
      "a model that nobody serves",
      { upstream: "kind: openai, base_url: 'https://vendor.example/v1', models: []" },
      /^model text has no upstream/,
    ],
    [
      "a key that expired already",
      { key: ", expires_at: '2026-11-26T00:00:00Z'" },
      /^key acme\/ci has already expired/,
    ],
    [
      "an openai address without its version",
      { upstream: "kind: openai, base_url: 'https://vendor.example', models: [text]" },
      /^upstream main has a base_url without \/v1/,
    ],
    [
      "an anthropic address with a version",
      { upstream: "kind: anthropic, base_url: 'https://vendor.example/v1', models: [text]" },
      /^upstream main has a base_url that ends in a version/,
    ],
    [
      "a model that the demo's sandbox answers too",
      { before: [SANDBOX] },
      /^text is also served by the sandbox \(upstream sandbox\) .*--remove-demo/,
    ],
  ])("%s", (_what, written, sentence) => {
    const told = warnings(written);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(sentence);
  });

  it("is not told of tools under a vendor's other names, with a date, or of one that nobody else has", () => {
    const calls =
      '{ web_search_20250305: 1, web_search_preview: 1, googleSearch: 1, plugins: 1, lookup: 1, "speed:fast": 1 }';
    const price = `{ input: 3, output: 15, calls: ${calls} }`;
    expect(warnings({ model: `context_tokens: 9, max_output_tokens: 9, price: ${price}` })).toEqual([]);
  });

  it("is not told of a sandbox that is disabled or goes with the same run, nor of a price of nothing", () => {
    expect(warnings({ before: [{ ...SANDBOX, enabled: false }] })).toEqual([]);
    expect(warnings({ before: [SANDBOX], removed: ["sandbox"] })).toEqual([]);
    expect(
      warnings({ model: "context_tokens: 9, max_output_tokens: 9, price: { input: 0, output: 0 }" }),
    ).toEqual([]);
  });
});

describe("what is written in LiteLLM's way", () => {
  const FILE = (apiKey: string, key: string) => `version: 1
upstreams: [{ name: main, kind: openai, base_url: "https://vendor.example/v1", models: [], ${apiKey} }]
accounts: [{ name: acme, keys: [{ name: ci, key: ${key} }] }]`;

  it.each([
    ["api_key", FILE("api_key: os.environ/VENDOR_KEY", "ci-key-0123456789")],
    ["api_keys", FILE("api_keys: [os.environ/VENDOR_KEY]", "ci-key-0123456789")],
    ["a key of an account", FILE("api_key: secret-secret", "os.environ/VENDOR_KEY")],
  ])("is refused as %s, with the right spelling", (_what, text) => {
    expect(() => parseManifest(text, {})).toThrow("uses LiteLLM's syntax for variables; write ${VENDOR_KEY}");
  });

  it("is recognised where the whole file is its configuration", () => {
    const text = "model_list:\n  - model_name: a\n    litellm_params: { model: openai/a }\n";
    expect(() => parseManifest(text, {}, "config.yaml")).toThrow(
      /^config\.yaml:1:1: this looks like a LiteLLM configuration; see docs\/moving\.md$/,
    );
  });
});
