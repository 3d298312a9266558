import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { casesOf } from "../support/cases.ts";
import { BOOTSTRAP_PASSWORD, signIn } from "../support/console.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { type ScriptedUpstream, scriptedUpstream, type WireRequest } from "../support/scripted-upstream.ts";
import { waitFor } from "../support/wait.ts";

const LARGE_ONLY = "large-only-key-0123456789";
const POOR_KEY = "poor-account-key-0123456789";
const LIMITS = "max_output_tokens: 1000";

/** How each of the vendors' models answers, by its name there. */
let answers: Record<string, keyof typeof ANSWERS> = {};
let vendor: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  vendor = await scriptedUpstream(respond);
  gateway = await startGateway({
    catalog: `version: 1
models:
  - id: large
    context_tokens: 10000
    ${LIMITS}
    price: { input: 3, output: 15 }
    fallbacks:
      - { model: long, on: [context_length] }
      - { model: other, on: [unavailable, rate_limited, refusal] }
      - { model: last, on: [unavailable, refusal] }
  - { id: other, context_tokens: 10000, ${LIMITS}, price: { input: 30, output: 150 }, fallbacks: [{ model: last }] }
  - { id: long, context_tokens: 100000, ${LIMITS}, price: { input: 5, output: 20 } }
  - { id: last, context_tokens: 10000, max_output_tokens: 500, price: { input: 1, output: 5 } }
  - { id: lone, context_tokens: 10000, ${LIMITS}, price: { input: 3, output: 15 } }
  - { id: standard, alias_of: large }
upstreams:
  - { name: openai, kind: openai-compatible, base_url: "${vendor.url}/v1", api_key: k, models: { large: v-large, lone: v-large, long: v-long, last: v-last } }
  - { name: anthropic, kind: anthropic, base_url: "${vendor.url}", api_key: k, models: { other: v-other } }
accounts:
  - name: acme
    balance: 1000
    keys:
      - { name: test, key: ${TEST_KEY} }
      - { name: large, key: ${LARGE_ONLY}, models: [large, last] }
  - { name: poor, balance: 0.05, keys: [{ name: test, key: ${POOR_KEY} }] }
`,
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
});

afterAll(async () => {
  await gateway?.clean();
  await vendor?.close();
});

beforeEach(() => {
  answers = {};
  vendor.requests.length = 0;
});

const TOO_LONG = { message: "too long", type: "invalid_request_error", code: "context_length_exceeded" };
const ANSWERS = {
  text: (request: Asked) => json(200, said(request, "Hello")),
  broken: () => json(500, { error: { message: "no", type: "server_error" } }),
  limited: () => json(429, { error: { message: "slow down", type: "rate_limit_error" } }),
  tooLong: () => json(400, { error: TOO_LONG }),
  wrong: () => json(400, { error: { message: "bad", type: "invalid_request_error" } }),
  declined: (request: Asked) => json(200, said(request, undefined)),
  /** An event of the response, and then nothing more. */
  cutOff: () =>
    `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: ${JSON.stringify(chunk({ content: "Hel" }, null))}\n\n`,
};

interface Asked {
  readonly model: string;
  readonly stream: boolean;
  readonly isMessages: boolean;
}

function said({ model, stream, isMessages }: Asked, text: string | undefined): object | string {
  if (isMessages && stream) return messageEvents(model, text);
  if (isMessages) {
    return {
      ...message(model),
      content: text === undefined ? [] : [{ type: "text", text }],
      stop_reason: text === undefined ? "refusal" : "end_turn",
      usage: { input_tokens: 100, output_tokens: text === undefined ? 0 : 10 },
    };
  }
  const finish = text === undefined ? "content_filter" : "stop";
  const output = text === undefined ? 0 : 10;
  const usage = { prompt_tokens: 100, completion_tokens: output, total_tokens: 100 + output };
  if (!stream) {
    const choice = { index: 0, message: { role: "assistant", content: text ?? "" }, finish_reason: finish };
    return { id: "c", object: "chat.completion", created: 1, model, choices: [choice], usage };
  }
  const chunks = [
    chunk({ role: "assistant", content: "" }, null),
    ...(text === undefined ? [] : [chunk({ content: text }, null)]),
    chunk({}, finish),
    { ...chunk({}, null), choices: [], usage },
  ];
  return `${chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("")}data: [DONE]\n\n`;
}

function chunk(delta: object, finish_reason: string | null) {
  return {
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "v-large",
    choices: [{ index: 0, delta, finish_reason }],
  };
}

function message(model: string) {
  return { id: "m", type: "message", role: "assistant", model, stop_sequence: null };
}

function messageEvents(model: string, text = ""): string {
  const start = {
    ...message(model),
    content: [],
    stop_reason: null,
    usage: { input_tokens: 100, output_tokens: 1 },
  };
  const events = [
    { type: "message_start", message: start },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 10 } },
    { type: "message_stop" },
  ];
  return events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join("");
}

function json(status: number, body: object | string): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/event-stream" : "application/json";
  return `HTTP/1.1 ${status} X\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

function respond({ line, body, socket }: WireRequest): void {
  const { model, stream = false } = JSON.parse(body.toString()) as { model: string; stream?: boolean };
  const how = answers[model] ?? "text";
  socket.write(ANSWERS[how]({ model, stream, isMessages: line.includes("/messages") }));
  if (how === "cutOff") socket.end();
}

/** The vendor's models that were asked, in order. */
const asked = () =>
  vendor.requests.map(({ body }) => (JSON.parse(body.toString()) as { model: string }).model);

const CHARGES = { large: 450_000, other: 4_500_000, long: 700_000, last: 150_000 };
const messages = [{ role: "user", content: "Hello" }];

describe.each([
  ["chat/completions", false],
  ["chat/completions", true],
  ["messages", false],
  ["messages", true],
])("a request at /v1/%s, streamed: %s,", (path, stream) => {
  const body = { model: "large", max_tokens: 100, messages, stream };

  it.each(["broken", "limited", "declined"] as const)(
    "is answered by a fallback if its model is %s, and charged as that",
    async (how) => {
      answers = { "v-large": how };
      const { status, header, text, receipt } = await answered(path, body);
      expect([status, header]).toEqual([200, "other"]);
      expect(text).toContain("Hello");
      expect(text).toContain("v-other");
      expect(asked()).toEqual(["v-large", "v-other"]);
      expect(receipt).toMatchObject({ model: "other", asked_model: "large", reason: "completed" });
      expect(receipt["charge_nanos"]).toBe(String(CHARGES.other));
    },
  );

  it("goes to the model with the larger context if it is too long", async () => {
    answers = { "v-large": "tooLong" };
    const { header, receipt } = await answered(path, body);
    expect(header).toBe("long");
    expect(receipt).toMatchObject({ model: "long", charge_nanos: String(CHARGES.long) });
  });

  it("goes on through the list, and not to the fallbacks of a fallback", async () => {
    answers = { "v-large": "broken", "v-other": "broken" };
    const { header, receipt } = await answered(path, body);
    expect([header, receipt["model"], receipt["charge_nanos"]]).toEqual(["last", "last", `${CHARGES.last}`]);
    expect(asked()).toEqual(["v-large", "v-other", "v-last"]);
    vendor.requests.length = 0;
    answers = { "v-large": "limited", "v-other": "limited" };
    // For a rate limit there is no third.
    expect((await answered(path, body)).status).toBe(429);
    expect(asked()).toEqual(["v-large", "v-other"]);
  });

  it("is told of the model that it asked for where nobody answers, at no charge", async () => {
    answers = { "v-large": "limited", "v-other": "broken", "v-last": "broken" };
    const { status, header, receipt } = await answered(path, body);
    expect([status, header, receipt["charge_nanos"]]).toEqual([429, null, "0"]);
    expect([receipt["model"], receipt["asked_model"]]).toEqual(["large", undefined]);
  });

  it("has no fallback for a mistake of the caller's", async () => {
    answers = { "v-large": "wrong" };
    expect((await answered(path, body)).status).toBe(400);
    expect(asked()).toEqual(["v-large"]);
  });
});

it("has no fallback once an event of the response has been sent", async () => {
  answers = { "v-large": "cutOff" };
  const { text, header, receipt } = await answered("chat/completions", {
    ...{ model: "large", max_tokens: 100, messages, stream: true },
  });
  expect(text).toContain("Hel");
  expect([header, asked()]).toEqual([null, ["v-large"]]);
  expect(receipt).toMatchObject({ model: "large" });
});

it("passes a refusal on where the model has no fallback for it", async () => {
  answers = { "v-large": "declined" };
  const { status, text } = await answered("chat/completions", { model: "lone", max_tokens: 100, messages });
  expect([status, asked()]).toEqual([200, ["v-large"]]);
  expect(text).toContain("content_filter");
});

it("skips a fallback that its key may not use, and one whose output limit is smaller", async () => {
  answers = { "v-large": "broken" };
  const body = { model: "large", max_tokens: 100, messages };
  const allowed = await answered("chat/completions", body, LARGE_ONLY);
  expect([allowed.header, asked()]).toEqual(["last", ["v-large", "v-last"]]);
  vendor.requests.length = 0;
  const longer = await answered("chat/completions", { ...body, max_tokens: 600 }, LARGE_ONLY);
  expect([longer.status, asked()]).toEqual([502, ["v-large"]]);
});

it("holds for the most expensive of the models that may answer, and skips what the money doesn't cover", async () => {
  const body = { model: "large", max_tokens: 1000, messages };
  const [all, lone] = [
    await answered("chat/completions", body),
    await answered("chat/completions", { ...body, model: "lone" }),
  ];
  expect(Number(all.receipt["hold_usd"])).toBeCloseTo(Number(lone.receipt["hold_usd"]) * 10, 2);
  answers = { "v-large": "broken" };
  vendor.requests.length = 0;
  const poor = await answered("chat/completions", { ...body, max_tokens: 400 }, POOR_KEY);
  expect([poor.header, asked()]).toEqual(["last", ["v-large", "v-last"]]);
});

it("goes without state that another vendor has signed", async () => {
  const thought = { type: "thinking", thinking: "Hm", signature: "c2lnbmF0dXJlLW9mLWFub3RoZXItdmVuZG9y" };
  const turn = { role: "assistant", content: [thought, { type: "text", text: "Hi" }] };
  answers = { "v-large": "broken" };
  const body = { model: "large", max_tokens: 100, messages: [...messages, turn, ...messages] };
  const { header } = await answered("messages", body);
  expect(header).toBe("other");
  expect(String(vendor.requests.at(-1)?.body)).not.toContain(thought.signature);
});

it("whatever happens, asks only models that the key may use, in order, and charges the one that answers", async () => {
  const ON: Record<string, readonly string[]> = {
    long: ["tooLong"],
    other: ["broken", "limited", "declined"],
    last: ["broken", "declined"],
  };
  const how = fc.constantFrom("text", "broken", "limited", "tooLong", "wrong", "declined");
  const hows = fc.record({ large: how, other: how, long: how, last: how });
  const wish = fc.record({
    path: fc.constantFrom("chat/completions", "messages"),
    stream: fc.boolean(),
    key: fc.constantFrom(TEST_KEY, LARGE_ONLY),
    isCutOff: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(hows, wish, async (given, { path, stream, key, isCutOff }) => {
      const large = isCutOff && stream ? "cutOff" : given.large;
      answers = { "v-large": large, "v-other": given.other, "v-long": given.long, "v-last": given.last };
      vendor.requests.length = 0;
      const { header, receipt } = await answered(
        path,
        { model: "large", max_tokens: 100, messages, stream },
        key,
      );
      const models = asked().map((name) => name.slice(2)) as (keyof typeof given)[];
      const allowed = key === TEST_KEY ? ["large", "long", "other", "last"] : ["large", "last"];
      // In the order of the list, each once.
      expect(models).toEqual(allowed.filter((each) => models.includes(each as keyof typeof given)));
      models.forEach((model, index) => {
        const before = models[index - 1];
        if (before === undefined || model === "large") return;
        expect(ON[model]).toContain(before === "large" ? large : given[before]);
      });
      if (large === "cutOff" && models[0] === "large") expect(models).toEqual(["large"]);
      if (header !== null) expect([header, receipt["model"]]).toEqual([models.at(-1), header]);
      const charge = Number(receipt["charge_nanos"]);
      const isAnswered = receipt["reason"] === "completed" && charge > 0;
      const last = models.at(-1) ?? "large";
      if (isAnswered && given[last] === "text") expect(charge).toBe(CHARGES[last]);
      if (receipt["status"] !== 200) expect(charge).toBe(0);
    }),
    { numRuns: casesOf(60) },
  );
});

it("by an alias keeps the name that was asked for", async () => {
  answers = { "v-large": "broken" };
  const { receipt } = await answered("chat/completions", { model: "standard", max_tokens: 100, messages });
  expect(receipt).toMatchObject({ model: "other", asked_model: "standard" });
});

it("records each attempt with its cost by the model that was asked", async () => {
  const operator = await signIn(gateway);
  answers = { "v-large": "declined" };
  const { id } = await answered("chat/completions", { model: "large", max_tokens: 100, messages });
  const { data } = (await operator.get("/operator/accounts")).body as {
    data: { id: string; name: string }[];
  };
  const account = data.find(({ name }) => name === "acme")?.id;
  // The receipt of a request is there before its row in the usage log.
  const cost = await waitFor("the request in the usage log", async () => {
    const { body } = await operator.get(`/accounts/${account}/requests/${id}`);
    return body.request === null ? undefined : body.cost;
  });
  expect(cost.attempts).toMatchObject([
    { upstream: "openai", upstream_model: "v-large", cost_nanos: "300000", used: "billed" },
    { upstream: "anthropic", upstream_model: "v-other", cost_nanos: String(CHARGES.other), used: "billed" },
  ]);
});

it("is declared by hand, refused where it makes no sense, and exported", async () => {
  const operator = await signIn(gateway);
  const { body: shown } = await operator.get("/operator/models/lone");
  const { id: _, price_since, upstreams, callable_in, revision, ...terms } = shown;
  const put = (model: string, on: string[] = ["refusal"]) =>
    operator.put("/operator/models/lone", { ...terms, fallbacks: [{ model, on }] });
  for (const name of ["lone", "standard", "nothing"])
    expect((await put(name)).body.error.param).toBe("fallbacks[0].model");
  expect((await put("last")).body).toMatchObject({ fallbacks: [{ model: "last", on: ["refusal"] }] });
  const { stdout } = await gateway.run("export");
  expect(stdout).toContain("fallbacks:\n      - model: last\n        on: [refusal]\n");
});

it("leaves books that agree", async () => {
  await cleanLedger(gateway);
});

async function answered(path: string, body: object, key = TEST_KEY) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`${gateway.url}/v1/${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const id = response.headers.get("x-request-id");
  const receipt = await fetch(`${gateway.url}/v1/receipts/${id}`, { headers });
  const told = (await receipt.json()) as Record<string, unknown>;
  expect(Number(told["charge_usd"])).toBeLessThanOrEqual(Number(told["hold_usd"]));
  return {
    id,
    status: response.status,
    header: response.headers.get("x-faregate-model"),
    text,
    receipt: told,
  };
}
