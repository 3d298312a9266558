import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { balanceOf, cleanLedger } from "../support/money-books.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { ask, codeIn, KEYS, type Reply } from "../support/world.ts";

interface Seen {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly model?: string };
}

/** A vendor that only counts, as it is told. */
let vendor: Server;
let seen: Seen[] = [];
let answer: { readonly status: number; readonly body: object } | "silence";

const WORDS = "The river runs past the old mill and into the lake. ".repeat(20);
const SAID = [{ role: "user" as const, content: WORDS }];
const CONTENTS = [{ role: "user", parts: [{ text: WORDS }] }];
const BODIES = {
  messages: (model: string) => ["/v1/messages/count_tokens", { model, messages: SAID }] as const,
  responses: (model: string) => ["/v1/responses/input_tokens", { model, input: WORDS }] as const,
  native: (model: string) => [`/v1beta/models/${model}:countTokens`, { contents: CONTENTS }] as const,
};

function catalog(vendorUrl: string, sandboxUrl: string): string {
  const limits = "context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 }";
  const chat = "protocols: [chat-completions]";
  return `version: 1
groups: [{ name: default, factor: 1 }]
models:
  - { id: claude, ${limits} }
  - { id: gpt, ${limits} }
  - { id: gpt-plain, ${limits} }
  - { id: gemini, ${limits} }
  - { id: local, ${limits} }
  - { id: taught, ${limits} }
  - { id: chat-only, endpoints: [oa], ${limits} }
upstreams:
  - { name: a, kind: anthropic, base_url: "${vendorUrl}", api_key: key-a, models: { claude: claude-opus-9 } }
  - { name: o, kind: openai, base_url: "${vendorUrl}/v1", api_key: key-o, models: { gpt: gpt-9 } }
  - { name: p, kind: openai, base_url: "${vendorUrl}/v1", api_key: key-p, models: [gpt-plain] }
  - { name: g, kind: gemini, base_url: "${vendorUrl}", api_key: key-g, models: { gemini: gemini-9 } }
  - { name: s, kind: sandbox, base_url: "${sandboxUrl}", api_key: good-key, ${chat}, models: [local, taught, chat-only] }
accounts:
  - name: acme
    group: default
    balance: 10
    keys:
      - { name: main, key: ${KEYS.main} }
      - { name: second, key: ${KEYS.second} }
      - { name: narrow, key: ${KEYS.narrow}, models: [local] }
  - { name: poor, group: default, keys: [{ name: poor, key: ${KEYS.poor} }] }
`;
}

describe("counting tokens", () => {
  let gateway: TestGateway;
  let sandbox: TestSandbox;
  beforeAll(async () => {
    vendor = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
        seen.push({ path: request.url ?? "", headers: request.headers, body });
        if (answer === "silence") return;
        response.writeHead(answer.status, { "content-type": "application/json" });
        response.end(JSON.stringify(answer.body));
      });
    });
    vendor.listen(0, "127.0.0.1");
    await once(vendor, "listening");
    sandbox = await startSandbox();
    const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
    gateway = await startGateway({ catalog: catalog(url, sandbox.url) });
  });
  afterAll(async () => {
    await gateway.end();
    await gateway.clean();
    await sandbox.stop();
    vendor.closeAllConnections();
    vendor.close();
  });
  beforeEach(() => {
    seen = [];
  });

  const count = (of: keyof typeof BODIES, model: string, key: string = KEYS.main): Promise<Reply> => {
    const [path, body] = BODIES[of](model);
    return ask(gateway.url, path, body, { key });
  };

  it("is the vendor's own where it has the call, asked as its own clients ask", async () => {
    answer = { status: 200, body: { input_tokens: 4_711 } };
    const anthropic = new Anthropic({ apiKey: KEYS.main, baseURL: gateway.url, maxRetries: 0 });
    expect(await anthropic.messages.countTokens({ model: "claude", messages: SAID })).toEqual({
      input_tokens: 4_711,
    });
    answer = { status: 200, body: { object: "response.input_tokens", input_tokens: 815 } };
    const openai = new OpenAI({ apiKey: KEYS.main, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    expect((await openai.responses.inputTokens.count({ model: "gpt", input: WORDS })).input_tokens).toBe(815);
    answer = { status: 200, body: { totalTokens: 42, promptTokensDetails: [] } };
    const google = new GoogleGenAI({ apiKey: KEYS.main, httpOptions: { baseUrl: gateway.url } });
    expect((await google.models.countTokens({ model: "gemini", contents: WORDS })).totalTokens).toBe(42);
    expect(seen.map(({ path, body }) => [path, body.model])).toEqual([
      ["/v1/messages/count_tokens", "claude-opus-9"],
      ["/v1/responses/input_tokens", "gpt-9"],
      ["/v1beta/models/gemini-9:countTokens", undefined],
    ]);
    expect(seen[0]?.headers).toMatchObject({ "x-api-key": "key-a", "anthropic-version": expect.any(String) });
    expect(seen[1]?.headers.authorization).toBe("Bearer key-o");
    answer = { status: 200, body: { input_tokens: 5 } };
    const plain = await count("messages", "claude", KEYS.second);
    expect(plain.status).toBe(200);
    expect(plain.headers.get("x-faregate-estimated")).toBeNull();
  });

  it("passes the vendor's word on the caller's own mistake", async () => {
    answer = {
      status: 400,
      body: { type: "error", error: { type: "invalid_request_error", message: "messages.0: odd" } },
    };
    const { status, json } = await count("messages", "claude");
    expect([status, json.error.type]).toEqual([400, "invalid_request_error"]);
    expect(json.error.message).toMatch(/^messages\.0: odd \(request id/);
  });

  it.each([
    ["messages", "claude", "a silent vendor", "silence"],
    ["responses", "gpt", "a rate limit", { status: 429, body: { error: { message: "slow down" } } }],
    ["native", "gemini", "a fault of our account", { status: 403, body: { error: { message: "no" } } }],
    [
      "responses",
      "gpt-plain",
      "a server without the call",
      {
        status: 404,
        body: {
          error: { message: "Invalid URL (POST /v1/responses/input_tokens)", type: "invalid_request_error" },
        },
      },
    ],
  ] as const)("is estimated on %s of %s behind %s, which is then left alone", async (of, model, _, told) => {
    answer = told;
    for (const _ of [1, 2]) {
      const { status, json, headers } = await count(of, model);
      expect(status).toBe(200);
      expect(headers.get("x-faregate-estimated")).toBe("true");
      const tokens = json.input_tokens ?? json.totalTokens;
      expect(tokens).toBeGreaterThan(200);
      expect(tokens).toBeLessThan(300);
    }
    expect(seen).toHaveLength(1);
  });

  it("grows with everything that costs tokens", async () => {
    const tokens = async (more: object): Promise<number> => {
      const body = { model: "local", messages: [{ role: "user", content: "Hi" }], ...more };
      const { json } = await ask(gateway.url, "/v1/messages/count_tokens", body);
      return json.input_tokens;
    };
    const bare = await tokens({});
    expect(bare).toBeGreaterThan(0);
    const image = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
    };
    for (const more of [
      { system: WORDS },
      { tools: [{ name: "look", description: WORDS, input_schema: { type: "object" } }] },
      { messages: [{ role: "user", content: [{ type: "text", text: "Hi" }, image] }] },
    ])
      expect(await tokens(more), JSON.stringify(more).slice(0, 30)).toBeGreaterThan(bare + 150);
  });

  it("comes nearer to the vendor's count once the model has answered", async () => {
    const body = { model: "taught", messages: SAID };
    const { json } = await ask(gateway.url, "/v1/chat/completions", body);
    const reported: number = json.usage.prompt_tokens;
    const { json: counted } = await count("messages", "taught");
    expect(Math.abs(counted.input_tokens - reported)).toBeLessThan(0.1 * reported);
  });

  it("costs nothing, and is for accounts without money too", async () => {
    for (const of of ["messages", "responses", "native"] as const) {
      const { status, headers } = await count(of, "local", KEYS.poor);
      expect([status, headers.get("x-faregate-estimated")], of).toEqual([200, "true"]);
    }
    expect(balanceOf(await cleanLedger(gateway), "poor")).toBe(0n);
  });

  it("is for who may use the model, on an endpoint that it has", async () => {
    const told = async (reply: Promise<Reply>): Promise<unknown[]> => {
      const { status, json } = await reply;
      return [status, codeIn(json)];
    };
    for (const of of ["messages", "responses", "native"] as const) {
      expect(await told(count(of, "claude", KEYS.narrow)), of).toEqual([404, "model_not_found"]);
      expect(await told(count(of, "local", KEYS.narrow)), of).toEqual([200, undefined]);
      expect(await told(count(of, "chat-only")), of).toEqual([400, "unsupported_endpoint"]);
      expect(await told(count(of, "local", KEYS.invalid)), of).toEqual([401, ""]);
    }
    expect(await told(ask(gateway.url, "/v1/messages/count_tokens", { model: "local" }))).toEqual([
      400,
      "invalid_request",
    ]);
    expect(await told(ask(gateway.url, "/v1/messages/count_tokens", undefined))).toEqual([
      405,
      "method_not_allowed",
    ]);
  });

  it("is served 60 times a minute and key", async () => {
    const statuses: number[] = [];
    for (let times = 0; times < 70 && !statuses.includes(429); times += 1)
      statuses.push((await count("messages", "local", KEYS.second)).status);
    expect(statuses.at(-1)).toBe(429);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(60);
    expect((await count("messages", "local", KEYS.narrow)).status).toBe(200);
  });

  it("is refused with 404 where the operator says so", async () => {
    const off = `${catalog("http://127.0.0.1:1", sandbox.url)}settings: { count_tokens: false }\n`;
    const other = await startGateway({ catalog: off });
    try {
      for (const of of ["messages", "responses", "native"] as const) {
        const [path, body] = BODIES[of]("local");
        const { status, json } = await ask(other.url, path, body);
        expect([status, codeIn(json)], of).toEqual([404, "unsupported_endpoint"]);
        expect(json.error.message).toContain("usage");
      }
    } finally {
      await other.end();
      await other.clean();
    }
  });
});
