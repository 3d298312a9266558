// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what is tested here.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ManifestError } from "./problems.ts";
import { type Environment, parseManifest, readManifest } from "./read.ts";

const folder = mkdtemp(join(tmpdir(), "faregate-manifest-"));
afterAll(async () => rm(await folder, { recursive: true, force: true }));

const MODEL = "{ id: m, context_tokens: 1000, max_output_tokens: 100, price: { input: 1, output: 2 } }";

/** A file with one model on one upstream, and whatever a test adds. */
function file(parts: { models?: string; upstream?: string; more?: string } = {}): string {
  return `version: 1
groups: [{ name: default }]
models:
  - ${MODEL}
${parts.models ?? ""}
upstreams:
  - { name: u, kind: sandbox, base_url: "http://localhost:1", models: [m]${parts.upstream ?? ""} }
${parts.more ?? ""}`;
}

function problems(text: string, env: Environment = {}): string[] {
  try {
    parseManifest(text, env, "f.yaml");
  } catch (error) {
    if (error instanceof ManifestError) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe("a sound file", () => {
  it("keeps decimals exactly, whether numbers or text, beyond what a float holds", () => {
    const manifest = parseManifest(
      file({
        models:
          "  - { id: n, endpoints: [embeddings], price: { input: 123456.123456789 } }\n" +
          '  - { id: o, endpoints: [embeddings], price: { input: "0.30", units: { search: 0.000000001 } } }\n' +
          "  - { id: p, endpoints: [embeddings], price: { input: 0.5 } }\n" +
          "  - { id: q, endpoints: [embeddings], price: { input: 900000.000000001 } }",
      }),
      {},
    );
    const prices = manifest.models.map(({ price }) => price?.rates.input);
    expect(prices).toEqual([
      1_000_000_000n,
      123_456_123_456_789n,
      300_000_000n,
      500_000_000n,
      900_000_000_000_001n,
    ]);
    expect(manifest.models[2]?.price?.dimensions?.units).toEqual({ search: 1n });
  });

  it("fills in what is left out", () => {
    const { models, upstreams, groups, sections } = parseManifest(file(), {});
    expect(models[0]).toMatchObject({
      endpoints: ["chat-completions", "responses", "messages", "generate-content"],
      ownedBy: "faregate",
      created: undefined,
      groups: null,
      family: null,
    });
    expect(upstreams[0]).toMatchObject({
      priority: 0,
      weight: 1,
      protocols: null,
      groups: null,
      credentials: [],
    });
    expect(upstreams[0]).not.toHaveProperty("enabled");
    expect(groups).toEqual([{ name: "default", factorPpm: 1_000_000n }]);
    expect([...sections]).toEqual(["groups", "models", "upstreams"]);
  });

  it("names endpoints in either vocabulary", () => {
    const spec = parseManifest(
      file({ models: "  - { id: r, endpoints: [vendorz-rerank], price: { input: 1 } }" }),
      {},
    );
    const vendor = parseManifest(
      file({ models: "  - { id: r, endpoints: [jina-rerank], price: { input: 1 } }" }),
      {},
    );
    expect(spec.models[1]?.endpoints).toEqual(["rerank"]);
    expect(vendor.models[1]?.endpoints).toEqual(["rerank"]);
  });

  it("maps model names or lists them, and follows aliases", () => {
    const manifest = parseManifest(
      `version: 1
models: [${MODEL}]
upstreams:
  - { name: a, kind: sandbox, base_url: "http://h:1/", models: { m: theirs }, timeouts: &patient { idle_ms: 7 } }
  - { name: b, kind: sandbox, base_url: "http://h:1", models: [m], timeouts: *patient }`,
      {},
    );
    expect(manifest.upstreams.map(({ models }) => [...models])).toEqual([[["m", "theirs"]], [["m", "m"]]]);
    expect(manifest.upstreams[1]?.timeouts).toEqual({ idleMs: 7 });
    expect(manifest.upstreams[0]?.baseUrl).toBe("http://h:1");
  });

  it("takes media models with their own units", () => {
    const models =
      "  - { id: i, family: imagegen, price: { per_image: { 1K: 0.04, 2k: 0, 4K: 1 } } }\n" +
      "  - { id: v, family: videoa, variant: '2.0-fast', endpoints: [openai-video], price: { per_second: { 720p: 0.1 } } }";
    const manifest = parseManifest(file({ models }), {});
    expect(manifest.models[1]).toMatchObject({
      endpoints: ["images"],
      price: { media: { perImage: { "1k": 40_000_000n, "2k": 0n, "4k": 1_000_000_000n } } },
    });
    expect(manifest.models[2]).toMatchObject({ endpoints: ["videos"], variant: "2.0-fast" });
  });

  it("takes a section without content for an absent one", () => {
    expect([...parseManifest(file({ more: "settings:\n  # nothing" }), {}).sections]).not.toContain(
      "settings",
    );
  });

  it("reads everything a key may say", () => {
    const manifest = parseManifest(
      file({
        more: `accounts:
  - name: acme
    balance: 25.5
    keys:
      - name: ci
        key: 0123456789abcdef
        models: [m]
        disabled: true
        expires_at: 2030-01-01T01:00:00+01:00
        spending_limit: { amount: 1.5, period: day }
        rate_limits: { requests_per_minute: 3 }
        allowed_addresses: [10.0.0.0/8, "2001:db8::/32"]
      - { name: open, key: fedcba9876543210 }`,
      }),
      {},
    );
    expect(manifest.accounts).toEqual([
      {
        name: "acme",
        group: "default",
        balanceNanos: 25_500_000_000n,
        keys: [
          {
            name: "ci",
            credential: "0123456789abcdef",
            reference: null,
            models: ["m"],
            disabled: true,
            expiresAt: new Date("2030-01-01T00:00:00Z"),
            spendingLimit: { amountNanos: 1_500_000_000n, period: "day" },
            rateLimits: { requestsPerMinute: 3 },
            allowedAddresses: ["10.0.0.0/8", "2001:db8::/32"],
          },
          {
            name: "open",
            credential: "fedcba9876543210",
            reference: null,
            models: null,
            expiresAt: null,
            spendingLimit: null,
            rateLimits: null,
            allowedAddresses: null,
          },
        ],
      },
    ]);
  });
});

describe("environment variables", () => {
  const upstream = ", api_key: '${VENDOR_KEY}'";

  it("are taken whole or inside a text, and remembered by name where they are the whole value", () => {
    const { upstreams } = parseManifest(file({ upstream }), { VENDOR_KEY: "s3cret" });
    expect(upstreams[0]?.credentials).toEqual([
      { name: "1", secret: "s3cret", reference: "VENDOR_KEY", enabled: true },
    ]);
    const inside = parseManifest(file({ upstream: ", api_key: 'pre-${A}-${B}'" }), { A: "1", B: "2" });
    expect(inside.upstreams[0]?.credentials[0]).toMatchObject({ secret: "pre-1-2", reference: null });
  });

  it("count as numbers and truth values where they stand without quotes, as text in quotes", () => {
    const text =
      "version: 1\ngroups: [{ name: '${N}', factor: 2 }]\nsettings:\n  usage_retention_days: ${N}\n  charge_empty_answers: ${B}";
    const { groups, settings } = parseManifest(text, { N: "30", B: "true" });
    expect(groups[0]?.name).toBe("30");
    expect(settings).toEqual({ usage_retention_days: 30, charge_empty_answers: true });
  });

  it("cannot become YAML: their content stays a value", () => {
    const { groups } = parseManifest("version: 1\ngroups: [{ name: '${N}' }]", { N: "a }, { name: b" });
    expect(groups).toEqual([{ name: "a }, { name: b", factorPpm: 1_000_000n }]);
  });

  it("that are missing or empty are an error at the place that wants them, and nothing else is said of it", () => {
    expect(problems(file({ upstream }))).toEqual([
      'f.yaml:7:85: upstreams[0].api_key: the environment variable VENDOR_KEY is not set; set it, or write "$${" for a plain "${"',
    ]);
    expect(problems(file({ upstream }), { VENDOR_KEY: "" })).toHaveLength(1);
  });

  it("$${ stands for ${ itself, and a broken reference is an error", () => {
    const { groups } = parseManifest("version: 1\ngroups: [{ name: '$${N} $$${' }]", {});
    expect(groups[0]?.name).toBe("${N} $${");
    for (const broken of ["${", "${}", "${a b}", "x${1A}"])
      expect(problems(`version: 1\ngroups: [{ name: '${broken}' }]`)[0]).toContain("begins a reference");
  });
});

describe("a broken file", () => {
  it("gets all its errors at once, sorted, each with place, path and what to do", () => {
    const text = `version: 2
groups:
  - { name: default, factor: -1 }
  - { name: default }
models:
  - id: m
    contxt_tokens: 5
    price: { input: 1 }
  - { id: "with space", endpoints: [oa, chat], price: { input: 0.0000000001 } }
upstreams:
  - { name: u, kind: openia, base_url: ftp://x, models: [n] }
  - { name: v, kind: openai, base_url: "https://x/v1", models: [m], weight: 0, protocols: [messages, generate-content] }
setings: {}
accounts:
  - { name: a, group: defaul, keys: [{ name: k, key: short }] }
`;
    expect(problems(text)).toMatchInlineSnapshot(`
      [
        "f.yaml:1:10: version: must be 1",
        "f.yaml:3:30: groups[0].factor: must not be negative",
        "f.yaml:4:13: groups[1].name: "default" is already declared, as number 1 of this list",
        "f.yaml:6:5: models[0].context_tokens: is required on a text model: it caps the cost of a request",
        "f.yaml:6:5: models[0].max_output_tokens: is required on a text model: it caps the cost of a request",
        "f.yaml:7:5: models[0].contxt_tokens: unknown key "contxt_tokens"; allowed: id, alias_of, family, variant, owned_by, created, endpoints, groups, context_tokens, max_output_tokens, fallbacks, order, price, quirks; did you mean context_tokens?",
        "f.yaml:8:12: models[0].price.output: is required: USD per 1,000,000 tokens (0 makes it free)",
        "f.yaml:9:11: models[1].id: must be visible ASCII characters without spaces, " and \\",
        "f.yaml:9:41: models[1].endpoints[1]: must be one of oa, openai, oa-response, openai-response, an, anthropic, ge, gemini, image-generation, oa-video, openai-video, embeddings, vendorz-rerank, jina-rerank",
        "f.yaml:9:64: models[1].price.input: has more than 9 decimal places",
        "f.yaml:11:22: upstreams[0].kind: must be one of openai, openai-compatible, anthropic, gemini, rerank, gateway, sandbox, ark, azure, vertex, bedrock, bedrock-mantle, seedance-relay, apimart, minimax, dashscope; did you mean openai?",
        "f.yaml:11:40: upstreams[0].base_url: must be an http(s) URL without user, query and fragment, such as https://api.vendor.example/v1",
        "f.yaml:11:58: upstreams[0].models[0]: no model "n" is declared in this file; declare it under models",
        "f.yaml:12:5: upstreams[1].api_key: is required for kind openai",
        "f.yaml:12:77: upstreams[1].weight: must be more than 0",
        "f.yaml:12:102: upstreams[1].protocols[1]: isn't supported by kind openai",
        "f.yaml:13:1: setings: unknown key "setings"; allowed: version, groups, models, upstreams, settings, accounts; did you mean settings?",
        "f.yaml:15:23: accounts[0].group: no group "defaul" is declared in this file; did you mean "default"?",
        "f.yaml:15:54: accounts[0].keys[0].key: must be 16 to 200 visible ASCII characters without spaces",
      ]
    `);
  });

  it("gets the errors in names with all others, also of items that have other errors", () => {
    const text = `version: 1
models:
  - { id: m, endpoints: [ao], price: { input: x } }
  - { id: m, groups: [nobody], weight: 5 }
upstreams:
  - { name: u, kind: openai, base_url: nowhere, api_key: k, models: { missing: x } }
  - { name: u, kind: openai, base_url: "https://x/v1", api_keys: [k, k], models: [missing], weight: x }
accounts:
  - name: 5
    group: nobody
    keys:
      - { name: k, models: [missing], spending_limit: { amount: 1, period: weak } }
      - { name: k, key: 5 }
`;
    const found = problems(text).map((each) => each.replace(/^f\.yaml:\d+:\d+: /, ""));
    expect(found).toEqual(
      expect.arrayContaining([
        'models[1].id: "m" is already declared, as number 1 of this list',
        expect.stringMatching(/^models\[1\]\.groups\[0\]: no group "nobody"/),
        expect.stringMatching(/^upstreams\[0\]\.models\.missing: no model "missing"/),
        'upstreams[1].name: "u" is already declared, as number 1 of this list',
        "upstreams[1].api_keys[1]: is already in this list",
        expect.stringMatching(/^upstreams\[1\]\.models\[0\]: no model "missing"/),
        expect.stringMatching(/^accounts\[0\]\.group: no group "nobody"/),
        expect.stringMatching(/^accounts\[0\]\.keys\[0\]\.models\[0\]: no model "missing"/),
        expect.stringMatching(/^accounts\[0\]\.keys\[0\]\.spending_limit\.period: .*did you mean week\?$/),
        'accounts[0].keys[1].name: "k" is already declared, as number 1 of this list',
      ]),
    );
  });

  it.each([
    ['api_key: "$VENDOR"', "api_key: is no reference to a variable without braces; write ${VENDOR}"],
    ["api_key: os.environ/VENDOR", "api_key: uses LiteLLM's syntax for variables; write ${VENDOR}"],
    [
      "base_url: https://api.example/v1/chat/completions",
      "base_url: ends in an endpoint's path; use https://api.example/v1",
    ],
    [
      "base_url: https://api.example/v1/models/",
      "base_url: ends in an endpoint's path; use https://api.example/v1",
    ],
    ["protocols: [chat]", "rerank; did you mean chat-completions?"],
    ["<<: {}", "merge keys aren't supported; write the fields out"],
  ])("with %s says what to write", (line, message) => {
    const fields = [
      "name: u",
      "kind: openai",
      "models: []",
      "api_key: secret-secret",
      "base_url: https://api.example/v1",
    ];
    const [field = ""] = line.split(":");
    const kept = fields.filter((each) => !each.startsWith(`${field}:`));
    const text = `version: 1\nupstreams:\n  - ${[...kept, line].join("\n    ")}\n`;
    const found = problems(text);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  it("may name the root of a vendor whose calls are below it, and no call", () => {
    const upstream = (url: string) =>
      `version: 1\nupstreams: [{ name: u, kind: anthropic, base_url: "${url}", api_key: k, models: [] }]`;
    expect(problems(upstream("https://api.anthropic.com/v1/messages"))[0]).toMatch(
      /use https:\/\/api\.anthropic\.com$/,
    );
  });

  it.each([
    ["a: [1, 2", "MISSING"],
    ["version: 1\nversion: 1", "duplicate key"],
    ["version: 1\n\tgroups: []", "tabs can't indent"],
    ["version: 1\nmodels:\n  - id: a\n   owned_by: b\n", "the indentation doesn't fit"],
    ["version: 1\ngroups: []\n models: []\n", "the indentation doesn't fit"],
    ["version: 1\nmodels:\n  - id: a\n    groups: [x, y\n    owned_by: b\n", "a closing ] is missing"],
    ["version: 1\nmodels:\n  - { id: a\n  - { id: b }\n", "a closing } is missing"],
    ["version: 1\nsettings: { a: 1\n", "a closing } is missing"],
    ['version: 1\ngroups: "a\n', "a closing quote is missing"],
    ["version: 1\nmodels: []\ngroups\n", "a ':' and a space are missing"],
    ["version: 1\ngroups: *nowhere", "alias"],
    ["version: 1\n---\nversion: 1", "only one document"],
    ["version: !!js/function 1", "unknown tag"],
    ["version: 1\nmodels: [{ id: m, price: { extras: { __proto__: 1 } } }]", "is not a valid name"],
    ["? [a]\n: b", "plain text"],
    ["", "the file is empty"],
    ["just text", "must be a mapping"],
    ["[".repeat(20_000), ""],
    ["version: 1\ngroups: ".padEnd(9 * 1024 * 1024, " "), "larger than 8 MB"],
  ])("that is no catalog file is refused: %#", (text, part) => {
    const found = problems(text);
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]).toMatch(/^f\.yaml(:[1-9]\d*:[1-9]\d*)?: /);
    if (part !== "MISSING") expect(found.join("\n")).toContain(part);
  });

  it("whose aliases multiply is refused before it fills the memory", () => {
    const layers = Array.from({ length: 9 }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n},`.repeat(9)}]`);
    expect(problems(`l0: &l0 [x]\n${layers.join("\n")}`).join("\n")).toContain("aliases");
    expect(problems("a: &a [*a]").length).toBeGreaterThan(0);
  });

  it("shows at most fifty errors and says how many more there are", () => {
    const groups = Array.from({ length: 80 }, (_, n) => `  - { nme: g${n} }`).join("\n");
    const found = problems(`version: 1\ngroups:\n${groups}`);
    expect(found).toHaveLength(51);
    expect(found.at(-1)).toBe("... and 110 more");
  });

  it("never shows a secret, wherever it went wrong", () => {
    const secret = "sk-very-secret-0123456789";
    const env = { KEY: secret };
    const texts = [
      file({ upstream: `, api_key: "${secret} x"` }),
      file({ upstream: `, api_key: { ${secret}: 1 }` }),
      file({ upstream: `, api_keys: ["${secret}", "${secret}"]` }),
      file({ upstream: ", kind: '${KEY}'" }),
      file({
        more: `accounts: [{ name: a, keys: [{ name: k, key: "${secret}" }, { name: l, key: "${secret}" }] }]`,
      }),
      file({ more: "accounts: [{ name: a, group: '${KEY}' }]" }),
      file({ more: `accounts: [{ name: a, keys: [{ name: k, key: [${secret}] }] }]` }),
      `version: 1\napi_key: ${secret}: x`,
      `version: 1\nkey: "${secret}" ${secret}`,
    ];
    for (const text of texts) {
      const found = problems(text, env).join("\n");
      expect(found).not.toBe("");
      expect(found).not.toContain(secret);
    }
  });

  it("that is missing or no UTF-8 is told apart", async () => {
    const path = join(await folder, "latin.yaml");
    await writeFile(path, Buffer.from([0x76, 0xff]));
    await expect(readManifest(path, {})).rejects.toThrow("not UTF-8");
    await expect(readManifest(join(await folder, "none.yaml"), {})).rejects.toThrow("no such file");
  });
});
