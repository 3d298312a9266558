import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type Gateways, startGateways } from "../support/gateways.ts";
import { modelsFile } from "../support/models-file.ts";
import { hasRedis, type RedisServer, startRedis } from "../support/redis-server.ts";
import { report } from "../support/report.ts";
import { call } from "../support/text-caller.ts";
import { type VendorCall, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";
import { ask, type Reply } from "../support/world.ts";

const LIMIT = 5_000;
const TOGETHER = 100;
const INPUT = 900;
const OUTPUT = 100;
const TOKENS = INPUT + OUTPUT;

/** 900 tokens and somewhat more bytes than four times that, as English has. */
const PROMPT = "word ".repeat(INPUT);

/** 900 tokens each, as one byte of them is one token. */
const DENSE: Readonly<Record<string, string>> = {
  digits: "7301946285".repeat(INPUT / 10),
  signs: "~#]&^;|@=".repeat(INPUT / 9),
  script: "\ua188\ua3a9\ua1b2".repeat(INPUT / 9),
};

const keyOf = (name: string): string => `${name}-key-0123456789abcdef`;
const KEYS = ["stated", "unstated", "streamed", "refused", "left", "shared", "shared-dense"];
const KEY_LINES = [...KEYS, ...Object.keys(DENSE)].map(
  (name) => `{ name: ${name}, key: ${keyOf(name)}, rate_limits: { tokens_per_minute: ${LIMIT} } }`,
);

/** Holds what it is asked until the test says so. */
let vendor: VendorUpstream;
const held: VendorCall[] = [];
beforeAll(async () => {
  vendor = await vendorUpstream((call) => {
    if (call.body.includes("refuse-this")) {
      const error = { message: "no", type: "invalid_request_error", param: null, code: "bad" };
      call.response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
    } else if (call.body.includes("at-once")) answer(call);
    else held.push(call);
  });
});
afterAll(() => vendor?.close());

describe("H6, tokens per minute of one process", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ catalog: catalogOf(vendor) });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
  });

  const send = (name: string, wish: Wish = {}): Promise<Reply> => sendTo(gateway.url, name, wish);

  it("hold for requests of one moment, and tell the others how long to wait", async () => {
    const replies = await together(() => send("stated", { max_tokens: OUTPUT }));
    const passed = tokensPassed(replies);
    report(`H6: ${passed} tokens of ${TOGETHER} requests at once pass a limit of ${LIMIT} in one process`);
    expect(passed).toBeGreaterThanOrEqual(LIMIT - TOKENS);
    expect(passed).toBeLessThanOrEqual(LIMIT + TOKENS);
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBe(TOGETHER - passed / TOKENS);
    for (const { headers, json } of refused) {
      expect(json.error.code).toBe("rate_limit_exceeded");
      expect(headers.get("x-ratelimit-limit-tokens")).toBe(String(LIMIT));
      expect(headers.get("x-ratelimit-remaining-tokens")).toBe("0");
      // At most one request's estimate is owed beyond the limit.
      const seconds = Number(headers.get("retry-after"));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(20);
    }
  });

  it("hold for requests that do not say how long their answers may be, plain and streamed", async () => {
    for (const name of ["unstated", "streamed"]) {
      const passed = tokensPassed(await together(() => send(name, { stream: name === "streamed" })));
      expect(passed).toBeGreaterThan(0);
      expect(passed).toBeLessThanOrEqual(LIMIT + TOKENS);
    }
  });

  it.each(Object.keys(DENSE))("hold for text of which each byte is a token: %s", async (name) => {
    const messages = [{ role: "user", content: DENSE[name] }];
    const passed = tokensPassed(await together(() => send(name, { messages, max_tokens: OUTPUT })));
    report(`H6: ${passed} tokens of dense text (${name}) pass a limit of ${LIMIT} in one process`);
    expect(passed).toBeGreaterThanOrEqual(LIMIT - TOKENS);
    expect(passed).toBeLessThanOrEqual(LIMIT + TOKENS);
  });

  it("are not used up by requests that the vendor refused or that their callers left", async () => {
    for (let index = 0; index < 10; index += 1) {
      const { status } = await send("refused", { max_tokens: OUTPUT, user: "refuse-this" });
      expect(status).toBe(400);
      const leaving = new AbortController();
      const wish = {
        protocol: "chat-completions",
        prompt: PROMPT,
        streamed: true,
        maxTokens: OUTPUT,
      } as const;
      const left = call(gateway.url, wish, { key: keyOf("left"), signal: leaving.signal });
      await waitFor("the request to be under way", () => held.length === 1);
      const [under] = held.splice(0);
      const closed = under && once(under.response, "close");
      leaving.abort();
      expect((await left).status).toBe(0);
      await closed;
    }
    for (const name of ["refused", "left"]) {
      const { status, headers } = await send(name, { max_tokens: OUTPUT, user: "at-once" });
      expect(status).toBe(200);
      expect(Number(headers.get("x-ratelimit-remaining-tokens"))).toBeGreaterThan(LIMIT - 2 * TOKENS);
    }
  });
});

if (!hasRedis) report("tokens per minute through Redis are not tested: redis-server is not installed");

describe.skipIf(!hasRedis)("H6, tokens per minute of three processes with Redis", () => {
  let redis: RedisServer;
  let gateways: Gateways;
  beforeAll(async () => {
    redis = await startRedis();
    gateways = await startGateways(3, { catalog: catalogOf(vendor), env: { REDIS_URL: redis.url } });
  });
  afterAll(async () => {
    await gateways?.end();
    await gateways?.clean();
    await redis?.end();
  });

  it("hold over all of them together", async () => {
    const replies = await together((index) =>
      sendTo(gateways.urls[index % 3] ?? "", "shared", { max_tokens: OUTPUT }),
    );
    const passed = tokensPassed(replies);
    report(
      `H6: ${passed} tokens of ${TOGETHER} requests at once pass a limit of ${LIMIT} in three processes`,
    );
    expect(passed).toBeGreaterThanOrEqual(LIMIT - TOKENS);
    expect(passed).toBeLessThanOrEqual(LIMIT + TOKENS);
  });

  it("hold over all of them together for text of which each byte is a token", async () => {
    const messages = [{ role: "user", content: DENSE["script"] }];
    const replies = await together((index) =>
      sendTo(gateways.urls[index % 3] ?? "", "shared-dense", { messages, max_tokens: OUTPUT }),
    );
    const passed = tokensPassed(replies);
    report(`H6: ${passed} tokens of dense text pass a limit of ${LIMIT} in three processes`);
    expect(passed).toBeGreaterThanOrEqual(LIMIT - TOKENS);
    expect(passed).toBeLessThanOrEqual(LIMIT + TOKENS);
  });
});

type Wish = Readonly<Record<string, unknown>>;

function sendTo(url: string, name: string, wish: Wish, signal?: AbortSignal): Promise<Reply> {
  const body = { model: "text", messages: [{ role: "user", content: PROMPT }], ...wish };
  const options = { key: keyOf(name) };
  return ask(url, "/v1/chat/completions", body, signal === undefined ? options : { ...options, signal });
}

/** Sends them all in one moment: nothing is answered before each of them is refused or under way. */
async function together(send: (index: number) => Promise<Reply>): Promise<Reply[]> {
  let over = 0;
  const replies = Array.from({ length: TOGETHER }, async (_, index) => {
    const reply = await send(index);
    over += 1;
    return reply;
  });
  await waitFor("all to be refused or under way", () => over + held.length === TOGETHER);
  for (const call of held.splice(0)) answer(call);
  return Promise.all(replies);
}

function tokensPassed(replies: readonly Reply[]): number {
  return replies.filter(({ status }) => status === 200).length * TOKENS;
}

function answer({ streamed, response }: VendorCall): void {
  const usage = { prompt_tokens: INPUT, completion_tokens: OUTPUT, total_tokens: TOKENS };
  const head = { id: "chatcmpl-1", created: 1_754_000_000, model: "text" };
  if (!streamed) {
    const choice = { index: 0, finish_reason: "stop", message: { role: "assistant", content: "Yes." } };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ ...head, object: "chat.completion", choices: [choice], usage }));
    return;
  }
  const chunk = { ...head, object: "chat.completion.chunk" };
  const choice = { index: 0, finish_reason: "stop", delta: { role: "assistant", content: "Yes." } };
  const frames = [
    { ...chunk, choices: [choice] },
    { ...chunk, choices: [], usage },
  ];
  response
    .writeHead(200, { "content-type": "text/event-stream" })
    .end(`${frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("")}data: [DONE]\n\n`);
}

function catalogOf({ url }: VendorUpstream): string {
  return modelsFile({ models: ["text"], upstreams: [{ name: "vendor", url }], keys: KEY_LINES });
}
