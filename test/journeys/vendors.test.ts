import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { serveWell, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { ask } from "../support/world.ts";

const LIMITS = "context_tokens: 128000, max_output_tokens: 8000";

let vendor: VendorUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  vendor = await vendorUpstream((call) => {
    if (!call.path.endsWith("/models")) return serveWell(call);
    if (call.request.headers.authorization !== "Bearer key-of-near-0123456789")
      return void call.response.writeHead(401).end("{}");
    const data = [{ id: "deepseek-chat", max_tokens: 8_000 }, { id: "deepseek-own" }];
    call.response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data }));
  });
  gateway = await startGateway({
    catalog: `version: 1
groups: [{ name: default, factor: 1 }]
models:
  - { id: text, ${LIMITS}, price: { input: 1, output: 2 } }
  - { id: deepseek-chat, ${LIMITS}, price: { input: 1, output: 2 } }
upstreams:
  - name: near
    kind: openai-compatible
    preset: deepseek
    base_url: ${vendor.url}/v1
    api_key: key-of-near-0123456789
    models: { text: deepseek-chat }
  - name: refused
    kind: openai-compatible
    base_url: ${vendor.url}/v1
    api_key: another-key-0123456789
    models: [deepseek-chat]
  - name: far
    kind: openai-compatible
    preset: deepseek
    api_key: key-of-far-0123456789
    disabled: true
    models: [deepseek-chat]
accounts:
  - { name: acme, group: default, balance: 10, keys: [{ name: main, key: ${TEST_KEY} }] }
`,
  });
});
afterAll(async () => {
  await gateway?.clean();
  await vendor?.close();
});

describe("an upstream with a preset", () => {
  it("answers at the base URL that it states, with its key", async () => {
    const body = { model: "text", messages: [{ role: "user", content: "hi" }] };
    expect((await ask(gateway.url, "/v1/chat/completions", body)).status).toBe(200);
    expect(vendor.calls.at(-1)).toMatchObject({ path: "/v1/chat/completions", model: "deepseek-chat" });
    expect(vendor.calls.at(-1)?.request.headers.authorization).toBe("Bearer key-of-near-0123456789");
  });

  it("is exported with its preset, its base URL only where it states one, and applied without a change", async () => {
    const { stdout } = await gateway.run("export");
    expect(stdout.match(/preset: deepseek/g)).toHaveLength(2);
    expect(stdout.match(/base_url: .*/g)).toEqual([
      `base_url: ${vendor.url}/v1`,
      `base_url: ${vendor.url}/v1`,
    ]);
    const file = join(gateway.dataDir, "exported.yaml");
    await writeFile(file, stdout);
    const applied = await gateway.run("apply", file, "--dry-run");
    expect([applied.code, applied.stdout]).toEqual([0, expect.stringMatching(/no changes|up to date/i)]);
  });

  it("has the listed prices of its vendor, wherever it is", async () => {
    const { stdout } = await gateway.run("prices", "--json");
    const { differences } = JSON.parse(stdout);
    expect(new Set(differences.map((each: { vendor: string }) => each.vendor))).toEqual(
      new Set(["deepseek"]),
    );
    expect(new Set(differences.map((each: { model: string }) => each.model))).toEqual(
      new Set(["text", "deepseek-chat"]),
    );
  });
});

describe("faregate models", () => {
  it("lists what the vendor offers, with listed prices, and what the catalog has of it", async () => {
    const { code, stdout } = await gateway.run("models", "near");
    expect(code).toBe(0);
    const [head, chat, own, summary] = stdout.trimEnd().split("\n");
    expect(head?.split(/ {2,}/)).toEqual([
      ...["MODEL", "CONTEXT", "MAX OUTPUT", "INPUT", "OUTPUT", "MEDIA", "IN CATALOG AS"],
    ]);
    expect(chat?.split(/ {2,}/)).toEqual([
      "deepseek-chat",
      expect.stringMatching(/^\d+$/),
      "8000",
      expect.stringMatching(/^[\d.]+$/),
      expect.stringMatching(/^[\d.]+$/),
      "-",
      "text",
    ]);
    expect(own?.split(/ {2,}/)).toEqual(["deepseek-own", "-", "-", "-", "-", "-", "-"]);
    expect(summary).toMatch(/^2 models at near; USD per 1,000,000 tokens from genai-prices/);
  });

  it("prints rows of a catalog file, and names what no list states", async () => {
    const { stdout } = await gateway.run(
      "models",
      "near",
      "--models",
      "deepseek-chat,deepseek-own",
      "--yaml",
    );
    const rows = parse(stdout);
    expect(rows.models).toEqual([
      {
        id: "deepseek-chat",
        context_tokens: expect.any(Number),
        max_output_tokens: 8_000,
        price: expect.objectContaining({ input: expect.any(Number), output: expect.any(Number) }),
      },
      { id: "deepseek-own" },
    ]);
    expect(rows.upstreams).toEqual([
      { name: "near", models: { "deepseek-chat": "deepseek-chat", "deepseek-own": "deepseek-own" } },
    ]);
    expect(stdout).toContain("#   deepseek-own: add max_output_tokens; no list states it");
  });

  it.each([
    [["neer"], /there is no upstream "neer"; did you mean "near"\?/],
    [["refused"], /refused refuses the key \(status 401\)/],
    [["near", "--models", "deepseek-chut"], /offers no model "deepseek-chut"; did you mean "deepseek-chat"/],
  ])("with %j says what is wrong", async (args, sentence) => {
    const { code, stderr } = await gateway.run("models", ...args);
    expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)]);
  });
});
