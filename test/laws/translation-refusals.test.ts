import { describe, expect, it } from "vitest";
import { collectEvents } from "../../src/conversation/adapt/collect.ts";
import { openLosses } from "../../src/conversation/loss.ts";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/conversation/protocol-name.ts";
import type { ResponsePart } from "../../src/conversation/response.ts";
import { type JsonObject, parseWhole } from "../../src/protocols/json.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import type { WireFrame } from "../../src/protocols/translation.ts";
import { codecOf } from "../support/codec-of.ts";
import { frame, plan, target } from "../support/conversation-arbitraries.ts";

const WORDS = "I cannot help.";
const declined = { type: "refusal", refusal: WORDS };

/** How chats say that they decline: beside the content, or as one of its parts. */
const CHATS: readonly JsonObject[] = [
  { role: "assistant", content: null, refusal: WORDS },
  { role: "assistant", content: [declined] },
];

const RESPONSE: JsonObject = {
  object: "response",
  status: "completed",
  output: [{ type: "message", role: "assistant", content: [declined] }],
};

/** Responses that decline, plain and as the frames of a stream. */
const RESPONSES: readonly (readonly [
  upstream: ChatProtocol,
  body: JsonObject,
  frames: readonly WireFrame[],
])[] = [
  ...CHATS.map((message) => {
    const choice = { index: 0, finish_reason: "stop" };
    const chunk = { choices: [{ ...choice, delta: message }] };
    const frames = [{ data: JSON.stringify(chunk) }, { data: "[DONE]" }];
    return ["chat-completions", { choices: [{ ...choice, message }] }, frames] as const;
  }),
  ["responses", RESPONSE, [{ data: JSON.stringify({ type: "response.completed", response: RESPONSE }) }]],
];

/** What a caller finds of it. */
const FOUND: Readonly<Record<ChatProtocol, JsonObject>> = {
  "chat-completions": { choices: [{ message: { content: null, refusal: WORDS }, finish_reason: "stop" }] },
  responses: { status: "completed", output: [{ type: "message", content: [declined] }] },
  messages: { content: [{ type: "text", text: WORDS }], stop_reason: "refusal" },
  "generate-content": { candidates: [{ content: { parts: [{ text: WORDS }] }, finishReason: "STOP" }] },
};

const PAIRS = RESPONSES.flatMap((response) => CHAT_PROTOCOLS.map((client) => [client, ...response] as const));

describe("words that decline to answer", () => {
  it.each(PAIRS)("reach callers of %s from %s, plain and streamed: %j", (client, upstream, body, frames) => {
    const read = codecOf(upstream).decodeResponse(body, plan(upstream));
    if ("error" in read) throw new Error(read.error.message);
    expect(codecOf(client).encodeResponse(read.response, frame).body).toMatchObject(FOUND[client]);

    const reading = codecOf(upstream).decodeStream(plan(upstream));
    const writing = codecOf(client).encodeStream(frame, openLosses({}));
    const events = [...frames.flatMap((each) => reading.step(each)), ...reading.end()];
    const written = [...events.flatMap((each) => writing.step(each)), ...writing.end()];
    expect(partsOf(client, written)).toEqual(partsOfPlain(client));
    if (client === "messages") {
      const ends = written
        .map(({ data }) => parseWhole(data))
        .filter((event) => typeOf(event) === "message_delta");
      expect(ends).toMatchObject([{ delta: { stop_reason: "refusal" } }]);
    }
  });

  it.each(CHATS)("are counted where a chat says them as %j", (message) => {
    const { usage } = PROTOCOLS["chat-completions"];
    const body = { choices: [{ index: 0, message, finish_reason: "stop" }] };
    expect(usage.readPlain(body).outputText().visible).toBe(WORDS);
  });

  it.each(CHATS)("stay in the conversation when a chat sends %j back", (message) => {
    const user = { role: "user", content: "Go on." };
    const asked = codecOf("chat-completions").decodeRequest({ model: "m", messages: [user, message, user] });
    if ("refused" in asked) throw asked.refused;
    for (const upstream of CHAT_PROTOCOLS) {
      const encoded = codecOf(upstream).encodeRequest(asked.value, target(upstream));
      if ("refused" in encoded) throw encoded.refused;
      expect(JSON.stringify(encoded.value.body), upstream).toContain(WORDS);
      expect(encoded.value.losses, upstream).toEqual([]);
    }
  });
});

/** What a stream told, as its own protocol reads it. */
function partsOf(client: ChatProtocol, frames: readonly WireFrame[]): readonly ResponsePart[] {
  const reading = codecOf(client).decodeStream(plan(client));
  const outcome = collectEvents([...frames.flatMap((each) => reading.step(each)), ...reading.end()]);
  if (!("response" in outcome)) throw new Error(`no answer: ${JSON.stringify(outcome)}`);
  return outcome.response.choices.flatMap(({ parts }) => parts);
}

function partsOfPlain(client: ChatProtocol): readonly ResponsePart[] {
  const marked = client === "chat-completions" || client === "responses";
  return [{ kind: "text", text: WORDS, ...(marked ? { refusal: true } : {}) }];
}

function typeOf(event: unknown): unknown {
  return (event as JsonObject)["type"];
}
