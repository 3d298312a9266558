import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  Answer,
  ChatRequest,
  ProtocolName,
  Turn,
} from "../../dashboard/src/pages/playground/chat/conversation.ts";
import { PROTOCOLS } from "../../dashboard/src/pages/playground/chat/protocols.ts";
import { serverEvents } from "../../dashboard/src/pages/playground/chat/server-events.ts";
import { formFields } from "../../dashboard/src/pages/playground/media/form-fields.ts";
import { requestBody } from "../../dashboard/src/pages/playground/media/request-body.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

let gateway: TestGateway;
/** The playground's own key of the demo account. */
let key: string;
let operator: SignedIn;

beforeAll(async () => {
  gateway = await startGateway({ env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD } });
  operator = await signIn(gateway);
  const [account] = operator.session.accounts;
  const { status, body } = await operator.post(`/accounts/${account?.id}/playground-key`);
  expect(status).toBe(201);
  key = body.secret;
});

afterAll(() => gateway?.clean());

const NAMES = Object.keys(PROTOCOLS) as ProtocolName[];

const REQUEST: Omit<ChatRequest, "turns"> = {
  model: "text-large",
  system: "Be brief.",
  temperature: undefined,
  topP: undefined,
  maxTokens: 1_000,
  effort: "low",
  tools: [
    {
      name: "weather",
      description: "The weather of a city",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  ],
};

/** Of one pixel. */
const IMAGE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

describe.each(NAMES)("the playground by %s", (first) => {
  it.each(NAMES)("calls a tool, and goes on with its result by %s, and pays for both", async (second) => {
    const turns: Turn[] = [{ role: "user", text: "the weather in Oslo", images: [IMAGE], results: [] }];
    const { response: called } = await converse(first, turns);
    expect(called.calls).toMatchObject([{ name: "weather" }]);
    expect(called.thinking).not.toBe("");
    turns.push(
      { role: "assistant", protocol: first, answer: called },
      {
        role: "user",
        text: "",
        images: [],
        results: called.calls.map(({ id, name }) => ({ callId: id, name, text: "rain all day" })),
      },
    );
    const { response, requestId } = await converse(second, turns);
    expect(response).toMatchObject({ problem: undefined, calls: [] });
    expect(response.text).toContain("rain all day");
    const receipt = await ask(`/v1/receipts/${requestId}`);
    const { charge_nanos: charge } = (await receipt.json()) as { charge_nanos: string };
    expect(Number(charge)).toBeGreaterThan(0);
  });
});

it("makes forms of every model of pictures and videos whose requests the gateway takes and prices", async () => {
  const { data } = (await (await ask("/v1/capabilities")).json()) as {
    data: { id: string; family: string; submit: string; request: unknown }[];
  };
  expect(new Set(data.map(({ family }) => family)).size).toBe(4);
  for (const { id, submit, request } of data) {
    const fields = formFields(request);
    const body = requestBody(id, fields, {
      prompt: "the sea",
      content: [{ type: "text", text: "the sea" }],
      duration: 5,
      image_urls: ["https://example.com/a.png"],
    });
    const response = await ask(`${submit}?dry_run=1`, body);
    expect(await response.json()).toMatchObject({
      fail_reason: "",
      max_charge_nanos: expect.stringMatching(/^\d+$/),
    });
  }
});

it("ends streams of events when the gateway stops, so that no open page holds it up", async () => {
  const [account] = operator.session.accounts;
  const events = await fetch(`${gateway.url}/api/accounts/${account?.id}/tasks/events`, {
    headers: { cookie: operator.cookie },
  });
  const ended = gateway.end();
  // A stream that is cut would reject.
  expect(await events.text()).toBe("");
  expect(await ended).toBe(0);
});

async function converse(
  name: ProtocolName,
  turns: readonly Turn[],
): Promise<{ response: Answer; requestId: string }> {
  const { path, body, read } = PROTOCOLS[name];
  const response = await ask(path(REQUEST.model), body({ ...REQUEST, turns }));
  const reader = read();
  if (response.status !== 200 || response.body === null) throw new Error(await response.text());
  for await (const event of serverEvents(response.body)) reader.take(event);
  return { response: reader.answer(), requestId: response.headers.get("x-request-id") ?? "" };
}

function ask(path: string, body?: object): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
}
