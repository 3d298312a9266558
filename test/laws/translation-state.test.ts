import { describe, expect, it } from "vitest";
import { collectEvents } from "../../src/conversation/adapt/collect.ts";
import { openLosses } from "../../src/conversation/loss.ts";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/conversation/protocol-name.ts";
import type { Part } from "../../src/conversation/request.ts";
import type { ChatResponse, ResponsePart } from "../../src/conversation/response.ts";
import type { Opaque } from "../../src/conversation/state/opaque.ts";
import type { JsonObject } from "../../src/protocols/json.ts";
import { codecOf } from "../support/codec-of.ts";
import { eventsOf, frame, origin, plan, target } from "../support/conversation-arbitraries.ts";

const PNG = "iVBORw0KGgo=";
const CALL = { kind: "tool-call", id: "call_1", name: "look", arguments: "{}" } as const;
const SAID = { kind: "text", text: "They bend." } as const;
const IMAGE = {
  kind: "media",
  media: "image",
  mimeType: "image/png",
  source: { from: "base64", data: PNG },
} as const;

/** Where vendors put state, and the callers whose protocols can carry it there and back. */
const PLACES: readonly {
  readonly what: string;
  readonly upstream: ChatProtocol;
  readonly clients: readonly ChatProtocol[];
  parts(opaque: Opaque): readonly ResponsePart[];
}[] = [
  ...(["responses", "messages", "generate-content"] as const).map((upstream) => ({
    what: "a thought before a call",
    upstream,
    clients: CHAT_PROTOCOLS,
    parts: (opaque: Opaque) => [{ kind: "reasoning", text: "Hm.", opaque } as const, CALL],
  })),
  {
    what: "a hidden thought before a call",
    upstream: "messages",
    clients: CHAT_PROTOCOLS,
    parts: (opaque) => [{ kind: "reasoning", text: "", redacted: true, opaque }, CALL],
  },
  {
    what: "a call",
    upstream: "generate-content",
    clients: CHAT_PROTOCOLS,
    parts: (opaque) => [SAID, { ...CALL, opaque }, { ...CALL, id: "call_2" }],
  },
  {
    what: "words before a call",
    upstream: "generate-content",
    clients: ["responses", "messages", "generate-content"],
    parts: (opaque) => [{ ...SAID, opaque }, CALL],
  },
  {
    what: "last words",
    upstream: "generate-content",
    clients: ["responses", "generate-content"],
    parts: (opaque) => [{ ...SAID, opaque }],
  },
  {
    what: "a picture",
    upstream: "generate-content",
    clients: ["responses", "generate-content"],
    parts: (opaque) => [SAID, { ...IMAGE, opaque }],
  },
];

const WAYS = PLACES.flatMap(({ clients, ...place }) =>
  clients.flatMap((client) => [false, true].map((streamed) => ({ ...place, client, streamed }))),
);

describe("state goes back to its minter, onto the part that it came with", () => {
  it.each(WAYS)("$what of $upstream by a caller of $client, streamed $streamed", (way) => {
    const { upstream, client, streamed, parts } = way;
    const opaque = { origin: origin(upstream), value: ISSUED[upstream] };
    const answered = parts(opaque);
    const calls = answered.some(({ kind }) => kind === "tool-call");
    const response: ChatResponse = {
      choices: [{ parts: answered, finish: { unified: calls ? "tool-calls" : "stop", protocol: upstream } }],
    };
    const told = streamed ? streamedResponse(client, response) : plainResponse(client, response);
    const asked = codecOf(client).decodeRequest(NEXT_TURN[client](told));
    if (!("value" in asked)) throw asked.refused;
    const encoded = codecOf(upstream).encodeRequest(asked.value, target(upstream));
    if (!("value" in encoded)) throw encoded.refused;
    const back = codecOf(upstream).decodeRequest(JSON.parse(JSON.stringify(encoded.value.body)));
    if (!("value" in back)) throw back.refused;
    const turn = back.value.messages.find(({ role }) => role === "assistant");
    expect(statedIn(turn?.parts ?? [])).toEqual(statedIn(answered));
    // No other vendor, nor the same with another account, sees any of it.
    for (const other of CHAT_PROTOCOLS) {
      const elsewhere = { origin: { protocol: other, upstream: "elsewhere", model: "model-1" } };
      const shown = codecOf(other).encodeRequest(asked.value, target(other, elsewhere));
      if ("value" in shown) expect(JSON.stringify(shown.value.body)).not.toMatch(/minted|bWludGVk|gw1\./);
    }
  });
});

/** State and what it stands on, in order. */
function statedIn(parts: readonly Part[]): unknown {
  return parts.flatMap((part) =>
    part.kind === "foreign" || part.kind === "tool-result" || part.opaque === undefined
      ? []
      : [[part.kind, part.kind === "reasoning" && part.redacted === true, part.opaque.value]],
  );
}

function plainResponse(client: ChatProtocol, response: ChatResponse): JsonObject {
  return JSON.parse(JSON.stringify(codecOf(client).encodeResponse(response, frame).body));
}

/** What a client makes of the stream: here, what the same codec reads, written as the plain response. */
function streamedResponse(client: ChatProtocol, response: ChatResponse): JsonObject {
  const run = codecOf(client).encodeStream(frame, openLosses({}));
  const frames = [...eventsOf(response).flatMap((event) => run.step(event)), ...run.end()];
  if (client === "responses") {
    const last = JSON.parse(frames.at(-1)?.data ?? "{}");
    return last.response;
  }
  // State in slots is read bare here, as the callers' own.
  const reading = codecOf(client).decodeStream({ ...plan(client), origin: { protocol: client } });
  const collected = collectEvents([...frames.flatMap((each) => reading.step(each)), ...reading.end()]);
  if (!("response" in collected)) throw new Error("the stream has no end");
  return plainResponse(client, collected.response);
}

/** A request that goes on after the response, as the SDKs of each protocol make it. */
const NEXT_TURN: Readonly<Record<ChatProtocol, (told: JsonObject) => JsonObject>> = {
  "chat-completions"({ choices }) {
    const [choice] = choices as readonly { message: { tool_calls?: readonly { id: string }[] } }[];
    const results = (choice?.message.tool_calls ?? []).map(({ id }) => ({
      role: "tool",
      tool_call_id: id,
      content: "r",
    }));
    return { model: "m", messages: [ASKED, choice?.message, ...results, ...(results.length ? [] : [ASKED])] };
  },
  responses({ output }) {
    const items = output as readonly { type: string; call_id: string }[];
    const results = items
      .filter(({ type }) => type === "function_call")
      .map(({ call_id }) => ({ type: "function_call_output", call_id, output: "r" }));
    return { model: "m", input: [ASKED, ...items, ...(results.length ? results : [ASKED])] };
  },
  messages({ content }) {
    const blocks = content as readonly { type: string; id: string }[];
    const results = blocks
      .filter(({ type }) => type === "tool_use")
      .map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "r" }));
    const next = results.length > 0 ? { role: "user", content: results } : ASKED;
    return { model: "m", max_tokens: 9, messages: [ASKED, { role: "assistant", content }, next] };
  },
  "generate-content"({ candidates }) {
    const [candidate] = candidates as readonly { content: { parts: readonly JsonObject[] } }[];
    const results = (candidate?.content.parts ?? []).flatMap(({ functionCall }) =>
      functionCall === undefined
        ? []
        : [
            {
              functionResponse: {
                ...(functionCall as JsonObject),
                args: undefined,
                response: { output: "r" },
              },
            },
          ],
    );
    const asked = { role: "user", parts: [{ text: "x" }] };
    const next = results.length > 0 ? { role: "user", parts: results } : asked;
    return { contents: [asked, candidate?.content, next] };
  },
};

const ASKED = { role: "user", content: "x" };

/** State as each protocol's codec keeps it. */
const ISSUED: Readonly<Record<ChatProtocol, string>> = {
  "chat-completions": JSON.stringify({ google: { thought_signature: "minted" } }),
  responses: JSON.stringify({ id: "rs_1", encrypted_content: "minted" }),
  messages: "minted",
  "generate-content": "bWludGVk",
};

describe("a conversation that ends in a thought, as clients keep it of an answer that broke off", () => {
  it.each(CHAT_PROTOCOLS.filter((upstream) => upstream !== "responses"))(
    "goes on without it at %s",
    (upstream) => {
      const thought = {
        ...({ kind: "reasoning", text: "Hm." } as const),
        opaque: { origin: origin(upstream), value: '[{"type":"reasoning.text","text":"Hm."}]' },
      };
      const finish = { unified: "stop", protocol: upstream } as const;
      const { body } = codecOf("responses").encodeResponse(
        { choices: [{ parts: [thought], finish }] },
        frame,
      );
      const kept = body["output"] as readonly JsonObject[];
      expect(kept).toMatchObject([{ type: "reasoning" }]);
      const input = [{ role: "user", content: "Go." }, ...kept];
      const asked = codecOf("responses").decodeRequest({ model: "m", input });
      if ("refused" in asked) throw asked.refused;
      const encoded = codecOf(upstream).encodeRequest(asked.value, target(upstream));
      if ("refused" in encoded) throw encoded.refused;
      const read = codecOf(upstream).decodeRequest(encoded.value.body);
      expect("value" in read && read.value.messages).toMatchObject([{ role: "user" }]);
      expect(encoded.value.losses).toMatchObject([{ reason: "no-slot" }]);
    },
  );
});
