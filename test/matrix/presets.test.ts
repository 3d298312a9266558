import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { ask, KEYS } from "../support/world.ts";

/** Ours: the vendor's name of it, and the kind that serves it. */
const MODELS: Readonly<Record<string, readonly [kind: string, name: string, quirks?: string]>> = {
  adaptive: ["anthropic", "claude-opus-5"],
  always: ["anthropic", "claude-opus-5-5"],
  budget: ["anthropic", "claude-sonnet-4-5"],
  old: ["anthropic", "claude-3-haiku-20240307"],
  stated: ["anthropic", "claude-opus-5", "{ thinking: budget, sampling: true }"],
  level: ["gemini", "gemini-3-pro-preview"],
  tokens: ["gemini", "gemini-2.5-flash"],
  reasons: ["openai", "gpt-5.2"],
  plain: ["openai", "gpt-4o"],
};

const SCHEMA = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };

describe("a request to a kind of upstream that is known", () => {
  let upstream: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    upstream = await vendorUpstream();
    gateway = await startGateway({ catalog: catalog(upstream.url) });
  });
  afterAll(async () => {
    await gateway.end();
    await gateway.clean();
    await upstream.close();
  });
  beforeEach(() => {
    upstream.calls.length = 0;
  });

  // biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
  const sent = (): any => JSON.parse(upstream.calls.at(-1)?.body.toString() ?? "null");
  const chat = async (model: string, more: object): Promise<number> => {
    const body = {
      model,
      messages: [{ role: "user", content: "hi" }],
      max_completion_tokens: 9_000,
      ...more,
    };
    return (await ask(gateway.url, "/v1/chat/completions", body)).status;
  };

  it("asks each generation of messages models to think in its own way", async () => {
    const wish = { reasoning_effort: "high", temperature: 0.5 };
    expect(await chat("adaptive", wish)).toBe(200);
    expect(sent()).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "high" } });
    expect(sent()).not.toHaveProperty("temperature");
    expect(await chat("budget", wish)).toBe(200);
    expect(sent().thinking).toMatchObject({ type: "enabled", budget_tokens: expect.any(Number) });
    expect(await chat("old", wish)).toBe(200);
    expect(sent()).not.toHaveProperty("thinking");
    expect(sent().temperature).toBe(0.5);
    expect(await chat("always", { reasoning_effort: "none" })).toBe(200);
    expect(sent()).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "low" } });
  });

  it("lets the catalog's own quirks stand above what is known", async () => {
    expect(await chat("stated", { reasoning_effort: "high" })).toBe(200);
    expect(sent().thinking.type).toBe("enabled");
    expect(await chat("stated", { temperature: 0.5 })).toBe(200);
    expect(sent().temperature).toBe(0.5);
  });

  it("states an answer's form in its field, or by a forced tool to models before 4.5", async () => {
    const response_format = { type: "json_schema", json_schema: { name: "out", schema: SCHEMA } };
    expect(await chat("budget", { response_format })).toBe(200);
    expect(sent().output_config.format.type).toBe("json_schema");
    expect(await chat("old", { response_format })).toBe(200);
    expect(sent()).toMatchObject({ tool_choice: { type: "tool", name: "out" }, tools: [{ name: "out" }] });
  });

  it("gives generateContent levels and signatures since 3, budgets before", async () => {
    const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "seen" },
    ];
    const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
    const wish = { messages, tools, reasoning_effort: "medium" };
    expect(await chat("level", wish)).toBe(200);
    expect(sent().generationConfig.thinkingConfig.thinkingLevel).toBe("LOW");
    expect(sent().contents[1].parts[0]).toHaveProperty("thoughtSignature");
    expect(await chat("tokens", wish)).toBe(200);
    expect(sent().generationConfig.thinkingConfig).toHaveProperty("thinkingBudget");
    expect(sent().contents[1].parts[0]).not.toHaveProperty("thoughtSignature");
  });

  it("limits chat answers by the field that the model knows", async () => {
    const body = { max_tokens: 50, temperature: 0.5, messages: [{ role: "user", content: "hi" }] };
    expect((await ask(gateway.url, "/v1/messages", { ...body, model: "reasons" })).status).toBe(200);
    expect(sent()).toMatchObject({ max_completion_tokens: 50 });
    expect(sent()).not.toHaveProperty("temperature");
    expect((await ask(gateway.url, "/v1/messages", { ...body, model: "plain" })).status).toBe(200);
    expect(sent()).toMatchObject({ max_tokens: 50, temperature: 0.5 });
  });

  it("forwards what comes in the upstream's own protocol as it is", async () => {
    const body = {
      model: "reasons",
      messages: [{ role: "user", content: "hi" }],
      max_tokens: 50,
      temperature: 0,
    };
    expect((await ask(gateway.url, "/v1/chat/completions", body)).status).toBe(200);
    expect(sent()).toEqual({ ...body, model: "gpt-5.2" });
  });
});

function catalog(url: string): string {
  const limits = "context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 }";
  const rows = Object.entries(MODELS);
  const models = rows.map(([id, [, , quirks]]) => {
    return `  - { id: ${id}, ${limits}${quirks === undefined ? "" : `, quirks: ${quirks}`} }`;
  });
  const upstreams = ["anthropic", "gemini", "openai"].map((kind) => {
    const own = rows.filter(([, [of]]) => of === kind).map(([id, [, name]]) => `${id}: ${name}`);
    const [base, more] = kind === "openai" ? [`${url}/v1`, ", protocols: [chat-completions]"] : [url, ""];
    return `  - { name: ${kind}, kind: ${kind}, base_url: "${base}", api_key: k${more}, models: { ${own.join(", ")} } }`;
  });
  return `version: 1
groups: [{ name: default, factor: 1 }]
models:
${models.join("\n")}
upstreams:
${upstreams.join("\n")}
accounts:
  - name: acme
    group: default
    balance: 1000
    keys: [{ name: main, key: ${KEYS.main} }]
`;
}
