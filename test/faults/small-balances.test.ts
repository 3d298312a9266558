import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { PATIENCE_MS } from "../support/gateways.ts";
import { balanceOf, cleanLedger } from "../support/money-books.ts";
import {
  serveWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";
import { ask, codeIn, type Reply } from "../support/world.ts";

// Ten dollars a million for output, so that the longest response would cost $1.28.
const INPUT = 1_000;
const OUTPUT = 10_000;
const MAX_OUTPUT = 128_000;
/** A quarter of ten cents, in nanos. */
const QUARTER = 25_000_000;
const LEAST = 256;

const LIMITS = `context_tokens: 200000, max_output_tokens: ${MAX_OUTPUT}, price: { input: 1, output: 10 }`;

const catalog = (url: string): string => `version: 1
models:
${["any", "openai", "compatible", "anthropic", "gemini"].map((id) => `  - { id: ${id}, ${LIMITS} }`).join("\n")}
upstreams:
  - { name: any, kind: sandbox, base_url: "${url}", api_key: k, models: [any] }
  - { name: openai, kind: openai, base_url: "${url}/v1", api_key: k, models: [openai] }
  - { name: compatible, kind: openai-compatible, base_url: "${url}/v1", api_key: k, models: [compatible] }
  - { name: anthropic, kind: anthropic, base_url: "${url}", api_key: k, models: [anthropic] }
  - { name: gemini, kind: gemini, base_url: "${url}", api_key: k, models: [gemini] }
accounts:
  - name: small
    balance: 0.1
    keys: [{ name: small, key: small-key-0123456789abcdef }]
  - name: rich
    balance: 100
    keys:
      - { name: rich, key: rich-key-0123456789abcdef }
      - { name: limited, key: limited-key-0123456789abcdef, spending_limit: { amount: 0.1, period: total } }
`;

/** A request without an output limit, by the protocol of its caller; `streamed` and model stand where that has them. */
const CALLERS = {
  "chat-completions": (model: string, stream: boolean) => ({
    path: "/v1/chat/completions",
    body: `{ "model": "${model}", "max_tokens": null, "messages": [{"role":"user","content":"Hello"}], "stream": ${stream} }`,
  }),
  responses: (model: string, stream: boolean) => ({
    path: "/v1/responses",
    body: `{ "model": "${model}", "input": "Hello", "stream": ${stream} }`,
  }),
  "generate-content": (model: string, stream: boolean) => ({
    path: `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: '{ "contents": [{"role":"user","parts":[{"text":"Hello"}]}], "generation_config": {"temperature": 1.0} }',
  }),
} as const;
type Protocol = keyof typeof CALLERS;

/** What a forwarded body has more than the caller's, for a limit of L. */
const ADDED: Readonly<Record<Protocol, string>> = {
  "chat-completions": '"max_completion_tokens":L,',
  responses: '"max_output_tokens":L,',
  "generate-content": '"maxOutputTokens":L,',
};

const limitIn = (body: string): number =>
  Number(/"(?:max_completion_tokens|max_tokens|max_output_tokens|maxOutputTokens)": ?(\d+)/.exec(body)?.[1]);

const CASES = (Object.keys(CALLERS) as Protocol[]).flatMap((protocol) =>
  ["any", "openai", "compatible", "anthropic", "gemini"].flatMap((model) =>
    [false, true].map((streamed) => ({ protocol, model, streamed })),
  ),
);

const asksForNoOutput = ({ protocol, body }: VendorCall): boolean =>
  protocol === "messages" && limitIn(body.toString()) === 0;

/** As the vendor of messages answers a request that has it read a prompt into its cache and write nothing. */
function fillCache({ model, response }: VendorCall): void {
  const usage = { input_tokens: 7, output_tokens: 0 };
  const message = { id: "msg_1", type: "message", role: "assistant", model, content: [], usage };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ ...message, stop_reason: "max_tokens", stop_sequence: null }));
}

describe("a balance below what the longest answer would cost", { timeout: PATIENCE_MS }, () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream((call) => (asksForNoOutput(call) ? fillCache(call) : serveWell(call)));
    gateway = await startGateway({ catalog: catalog(vendor.url) });
  });
  afterAll(async () => {
    await gateway.clean();
    await vendor.close();
  });

  const post = (path: string, body: object | string, key = "small"): Promise<Reply> =>
    ask(gateway.url, path, body, { key: `${key}-key-0123456789abcdef` });
  const chat = (fields: object, key = "small"): Promise<Reply> => {
    const messages = [{ role: "user", content: "Hello" }];
    return post("/v1/chat/completions", { model: "any", messages, ...fields }, key);
  };
  const limitOf = ({ headers }: Reply): number =>
    Number(headers.get("x-faregate-output-limit") ?? Number.NaN);
  // biome-ignore lint/suspicious/noExplicitAny: a receipt as its reader sees it
  const receiptOf = ({ headers }: Reply, key = "small"): Promise<any> =>
    waitFor("a receipt", async () => {
      const path = `/v1/receipts/${headers.get("x-request-id")}`;
      const { json } = await ask(gateway.url, path, undefined, { key: `${key}-key-0123456789abcdef` });
      return json?.state === "posted" ? json : undefined;
    });

  it.each(CASES)(
    "serves $protocol from $model, streamed $streamed, with a limit",
    async ({ protocol, model, streamed }) => {
      const { path, body } = CALLERS[protocol](model, streamed);
      const reply = await post(path, body);
      expect([reply.status, reply.text]).toEqual([200, expect.any(String)]);
      const limit = limitOf(reply);
      expect(limit).toBeGreaterThanOrEqual(LEAST);
      expect(limit * OUTPUT).toBeLessThanOrEqual(QUARTER);
      // Some bytes of input aside, the quarter is used.
      expect(limit * OUTPUT + 400 * INPUT).toBeGreaterThan(QUARTER * 0.95);
      const sent = vendor.calls.at(-1)?.body.toString() ?? "";
      expect(limitIn(sent), sent).toBe(limit);
      if (model === "compatible") expect(sent).toContain('"max_tokens":');
      const forwarded = vendor.calls.at(-1)?.protocol === protocol;
      if (forwarded && model === "any") {
        const usage = '"stream_options":{"include_usage":true},';
        expect(sent.replace(ADDED[protocol].replace("L", `${limit}`), "").replace(usage, "")).toBe(body);
      }
      const receipt = await receiptOf(reply);
      expect(BigInt(receipt.charge_nanos)).toBeGreaterThan(0n);
      expect(receipt.output_limit).toBe(limit);
      expect(Number(receipt.hold_usd)).toBeLessThanOrEqual(QUARTER / 1e9);
    },
  );

  it("serves a key whose spending limit is small, whatever the account has", async () => {
    const reply = await chat({}, "limited");
    expect([reply.status, limitOf(reply) * OUTPUT <= QUARTER]).toEqual([200, true]);
    const rich = await chat({}, "rich");
    expect([rich.status, rich.headers.get("x-faregate-output-limit")]).toEqual([200, null]);
    expect(limitIn(vendor.calls.at(-1)?.body.toString() ?? "")).toBeNaN();
    expect(await receiptOf(rich, "rich")).not.toHaveProperty("output_limit");
  });

  it("serves several at once, those that find no room after the others", async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => chat({})));
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
    for (const reply of replies) expect(limitOf(reply) * OUTPUT).toBeLessThanOrEqual(QUARTER);
  });

  it.each([0, -1])("serves a chat that says there is no limit by %d, with one in its place", async (none) => {
    for (const name of ["max_tokens", "max_completion_tokens"]) {
      const reply = await chat({ [name]: none });
      expect([reply.status, reply.text]).toEqual([200, expect.any(String)]);
      expect(JSON.parse(vendor.calls.at(-1)?.body.toString() ?? "")).toEqual({
        model: "any",
        messages: [{ role: "user", content: "Hello" }],
        [name]: limitOf(reply),
      });
      const rich = await chat({ [name]: none }, "rich");
      expect([rich.status, rich.headers.get("x-faregate-output-limit")]).toEqual([200, null]);
      expect(vendor.calls.at(-1)?.body.toString()).toContain(`"${name}":${none}`);
    }
    expect((await chat({ max_tokens: none, max_completion_tokens: 100_000 })).status).toBe(403);
  });

  it("serves messages that ask for no output, which fill the vendor's cache, as they are", async () => {
    const none = '{ "model": "any", "max_tokens": 0, "messages": [{"role":"user","content":"Hello"}] }';
    const reply = await post("/v1/messages", none);
    expect([reply.status, reply.json.stop_reason, limitOf(reply)]).toEqual([200, "max_tokens", Number.NaN]);
    expect(vendor.calls.at(-1)?.body.toString()).toBe(none);
    const receipt = await receiptOf(reply);
    expect(receipt).toMatchObject({ reason: "completed", charge_nanos: String(7 * INPUT) });
    expect(Number(receipt.hold_usd)).toBeLessThan((400 * INPUT) / 1e9);
    const asked = vendor.calls.length;
    const long = none.replace("Hello", "x".repeat(100_000));
    expect((await post("/v1/messages", long)).status).toBe(403);
    expect(vendor.calls).toHaveLength(asked);
  });

  it.each([
    ["several answers", { n: 2 }],
    ["a stated limit that is beyond the money", { max_tokens: 100_000 }],
    ["a stated limit in the other spelling", { max_completion_tokens: 100_000 }],
    ["an input that leaves no room for an answer", { user: "x".repeat(24_000) }],
  ])("refuses %s, and asks nobody", async (_, fields) => {
    const asked = vendor.calls.length;
    const reply = await chat(fields);
    expect([reply.status, codeIn(reply.json)]).toEqual([403, "insufficient_user_quota"]);
    expect(reply.json.error.message).toMatch(/may cost up to \$\d/);
    expect(reply.headers.get("x-faregate-output-limit")).toBeNull();
    expect(vendor.calls).toHaveLength(asked);
  });

  it("refuses a tool that the vendor runs, and messages, which state a limit always", async () => {
    const tools = [{ type: "mcp", server_label: "s", server_url: "https://mcp.example" }];
    const messages = [{ role: "user", content: "Hello" }];
    const refused = [
      await post("/v1/responses", { model: "any", input: "Hello", tools }),
      await post("/v1/messages", { model: "any", max_tokens: 100_000, messages }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403]);
    expect((await post("/v1/messages", { model: "any", max_tokens: 1_000, messages })).status).toBe(200);
  });

  it("leaves clean books", async () => {
    expect(await gateway.end()).toBe(0);
    const verdict = await cleanLedger(gateway);
    expect(BigInt(verdict.loss_nanos)).toBe(0n);
    expect(balanceOf(verdict, "small")).toBeGreaterThan(0n);
  });
});

describe("money that another request holds", { timeout: PATIENCE_MS }, () => {
  it("is waited for by as many and as long as the settings say", async () => {
    const held: VendorCall[] = [];
    const vendor = await vendorUpstream((call) => void held.push(call));
    const settings = "settings: { queues: { balance_waiting: 1, balance_wait_ms: 1500 } }\n";
    const gateway = await startGateway({ catalog: `${settings}${catalog(vendor.url)}` });
    try {
      const chat = (content: string): Promise<Reply> => {
        const body = { model: "any", max_tokens: 8_000, messages: [{ role: "user", content }] };
        return ask(gateway.url, "/v1/chat/completions", body, { key: "small-key-0123456789abcdef" });
      };
      const first = chat("the first holds eight of ten cents");
      await waitFor("the first at the vendor", async () => held[0]);
      const refused = await Promise.all([chat("one waits"), chat("another may not")]);
      for (const { status, json } of refused) {
        expect([status, codeIn(json)]).toEqual([429, "balance_busy"]);
        expect(json.error.message).toContain("none was released within 1.5 s");
      }
      expect(held).toHaveLength(1);
      for (const call of held) serveWell(call);
      expect((await first).status).toBe(200);
    } finally {
      await gateway.clean();
      await vendor.close();
    }
  });
});
