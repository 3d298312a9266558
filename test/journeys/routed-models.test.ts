import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UnpricedUsage } from "../../src/console/catalog/contract.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { type VendorCall, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";

/** Requests that list models in `models`, of which OpenRouter bills the one that its response names. */

/** What the upstreams answer with. */
let model = "";
let failFirst = false;
let first: VendorUpstream;
let second: VendorUpstream;
let gateway: TestGateway;
let operator: SignedIn;

beforeAll(async () => {
  first = await vendorUpstream((call) => (failFirst ? failAfterUsage(call) : respond(call)));
  second = await vendorUpstream(respond);
  const text = "endpoints: [oa, oa-response, an], context_tokens: 200000, max_output_tokens: 32000";
  const at = "kind: sandbox, api_keys: [secret], protocols: [chat-completions, responses, messages]";
  const models = "{ asked: vendor/asked, clever: vendor/clever, other: vendor/other }";
  gateway = await startGateway({
    catalog: `version: 1
groups:
  - { name: default, factor: 2 }
models:
  - { id: asked, ${text}, price: { input: 1, output: 5 } }
  - { id: clever, ${text}, price: { input: 10, output: 50 } }
  - { id: other, ${text}, price: { input: 100, output: 500 } }
upstreams:
  - { name: first, base_url: "${first.url}", priority: 0, ${at}, models: ${models} }
  - { name: second, base_url: "${second.url}", priority: 1, ${at}, models: ${models}, cost: { factor: 0.5 } }
accounts:
  - { name: acme, group: default, balance: 1000, keys: [{ name: test, key: "${TEST_KEY}" }] }
`,
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  operator = await signIn(gateway);
});

afterAll(async () => {
  await gateway?.end();
  await gateway?.clean();
  await first?.close();
  await second?.close();
});

const SAID = [{ role: "user", content: "Hello" }];
const REQUESTS = [
  { path: "/v1/chat/completions", body: { model: "asked", messages: SAID } },
  { path: "/v1/responses", body: { model: "asked", input: "Hello" } },
  { path: "/v1/messages", body: { model: "asked", max_tokens: 1_000, messages: SAID } },
].flatMap(({ path, body }) => [false, true].map((stream) => ({ path, stream, body: { ...body, stream } })));

describe.each(REQUESTS)(
  "an answer of one of the models that a request lists, $path, streamed: $stream,",
  ({ path, body }) => {
    const MODELS = ["vendor/asked", "vendor/clever"];

    it.each(["vendor/clever", "vendor/clever-2026-03-01", "vendor/clever:nitro"])(
      "is charged and costed at the price of %s, and listed under its name",
      async (served) => {
        model = served;
        const { receipt, cost } = await settled(path, { ...body, models: MODELS });
        expect(linesOf(receipt)).toEqual(["clever input_uncached 100", "clever output_visible 20"]);
        expect(receipt["charge_nanos"]).toBe(String(2 * (100 * 10_000 + 20 * 50_000)));
        expect(receipt["unpriced"]).toBeUndefined();
        expect(cost.attempts).toMatchObject([{ upstream: "first", cost_nanos: String(2_000_000) }]);
      },
    );

    it.each(["vendor/asked", "vendor/asked-20260301"])(
      "is that of the model that was asked: %s",
      async (served) => {
        model = served;
        const { receipt } = await settled(path, { ...body, models: MODELS });
        expect(linesOf(receipt)).toEqual(["input_uncached 100", "output_visible 20"]);
        expect(receipt["charge_nanos"]).toBe(String(2 * (100 * 1_000 + 20 * 5_000)));
      },
    );

    it.each(["vendor/other", "somebody/else"])(
      "is charged at the highest price that was asked where it is none of them, and says so: %s",
      async (served) => {
        model = served;
        const { receipt } = await settled(path, { ...body, models: MODELS });
        expect(receipt["unpriced"]).toEqual([`model ${served}`]);
        expect(receipt["charge_nanos"]).toBe(String(2 * (100 * 1_000 + 20 * 5_000)));
        // A name that the upstream lists has a price already, which requests that list the model get.
        const { data } = (await operator.get("/operator/unpriced-usage")).body as UnpricedUsage;
        const rows = data.map(({ model: asked, what, prices }) => [asked, what, prices]);
        if (served === "vendor/other") expect(rows).not.toContainEqual(["asked", "model vendor/other", []]);
        else expect(rows).toEqual([["asked", "model somebody/else", []]]);
      },
    );

    it("has the price of the model that was asked whatever it names where the request lists none", async () => {
      for (const served of ["vendor/clever", "vendor/other", "somebody/else"]) {
        model = served;
        const { receipt } = await settled(path, body);
        expect(receipt["unpriced"]).toBeUndefined();
        expect(receipt["charge_nanos"]).toBe(String(2 * (100 * 1_000 + 20 * 5_000)));
      }
    });
  },
);

it("costs what the listed model has used at an upstream that failed before its output", async () => {
  failFirst = true;
  model = "vendor/clever";
  const body = { model: "asked", messages: SAID, stream: true, models: ["vendor/clever"] };
  const { receipt, cost } = await settled("/v1/chat/completions", body);
  failFirst = false;
  expect(cost.attempts).toMatchObject([
    { upstream: "first", used: "billed", cost_nanos: String(40 * 10_000) },
    { upstream: "second", used: "billed", cost_nanos: String((100 * 10_000 + 20 * 50_000) / 2) },
  ]);
  expect(receipt["charge_nanos"]).toBe(String(2 * (100 * 10_000 + 20 * 50_000)));
});

it("leaves books that agree", async () => {
  expect((await gateway.run("ledger", "verify")).code).toBe(0);
});

function failAfterUsage({ response }: VendorCall): void {
  const usage = { prompt_tokens: 40, completion_tokens: 0, total_tokens: 40 };
  const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model, choices: [], usage };
  response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${JSON.stringify(chunk)}\n\n`);
}

const ANSWERS = { "chat-completions": chat, responses, messages };

function respond({ protocol, streamed, response }: VendorCall): void {
  if (protocol === "generate-content") throw new Error("no upstream here speaks it");
  const answer = ANSWERS[protocol]();
  if (!streamed) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer.whole));
    return;
  }
  const text = answer.events.map((event) => {
    const type = "type" in event ? `event: ${event.type}\n` : "";
    return `${type}data: ${JSON.stringify(event)}\n\n`;
  });
  response.writeHead(200, { "content-type": "text/event-stream" }).end(text.join("") + answer.end);
}

function chat() {
  const about = { id: "c", created: 1, model };
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  const message = { role: "assistant", content: "Hi" };
  const chunk = { ...about, object: "chat.completion.chunk" };
  return {
    whole: {
      ...about,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage,
    },
    events: [
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      { ...chunk, choices: [], usage },
    ],
    end: "data: [DONE]\n\n",
  };
}

function responses() {
  const item = {
    id: "msg_1",
    type: "message",
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", text: "Hi", annotations: [] }],
  };
  const whole = {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model,
    output: [item],
    usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
  };
  const begun = { ...whole, status: "in_progress", output: [], usage: null };
  return {
    whole,
    events: [
      { type: "response.created", sequence_number: 0, response: begun },
      {
        type: "response.output_item.added",
        sequence_number: 1,
        output_index: 0,
        item: { ...item, content: [] },
      },
      {
        type: "response.output_text.delta",
        sequence_number: 2,
        output_index: 0,
        content_index: 0,
        item_id: "msg_1",
        delta: "Hi",
      },
      { type: "response.output_item.done", sequence_number: 3, output_index: 0, item },
      { type: "response.completed", sequence_number: 4, response: whole },
    ],
    end: "",
  };
}

function messages() {
  const about = { id: "msg_1", type: "message", role: "assistant", model };
  const usage = { input_tokens: 100, output_tokens: 20 };
  return {
    whole: { ...about, content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn", usage },
    events: [
      { type: "message_start", message: { ...about, content: [], usage: { ...usage, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 20 } },
      { type: "message_stop" },
    ],
    end: "",
  };
}

function linesOf(receipt: Record<string, unknown>): string[] {
  const lines = receipt["lines"] as { model?: string; bucket: string; tokens: number }[];
  return lines
    .filter(({ tokens }) => tokens > 0)
    .map(({ model: of, bucket, tokens }) => [...(of ? [of] : []), bucket, tokens].join(" "));
}

function send(path: string, body: object): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** What the usage log says of a request; its charge is within its hold. */
async function settled(path: string, body: object) {
  const response = await send(path, body);
  expect(response.status, await response.text()).toBe(200);
  const id = response.headers.get("x-request-id");
  const detail = await waitFor("the request in the usage log", async () => {
    const { status, body: found } = await operator.get(`/accounts/1/requests/${id}`);
    return status === 200 && found.receipt?.state === "posted" ? found : undefined;
  });
  const { receipt, cost } = detail;
  expect(Number(receipt["charge_usd"])).toBeLessThanOrEqual(Number(receipt["hold_usd"]));
  return { receipt, cost } as {
    receipt: Record<string, unknown>;
    cost: { attempts: readonly Record<string, unknown>[] };
  };
}
