import { describe, expect, it } from "vitest";
import { openLosses } from "../../src/conversation/loss.ts";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import type { ChatResponse, ResponsePart } from "../../src/conversation/response.ts";
import { wrapOpaque } from "../../src/conversation/state/opaque.ts";
import { asObjects, type JsonObject } from "../../src/protocols/json.ts";
import type { WireFrame } from "../../src/protocols/translation.ts";
import { codecOf } from "../support/codec-of.ts";
import { eventsOf, frame, origin, target } from "../support/conversation-arbitraries.ts";
import { blocksIn, CLIENTS, contentOf, deltasIn, NEXT } from "../support/keeping-clients.ts";

const CALL = { kind: "tool-call", name: "look", arguments: '{"at":"map"}' } as const;

const CALLED = { ...CALL, id: "c1" };

/** Steps with thoughts and two calls at once, as the vendors of each protocol state them. */
const STEPS: readonly {
  readonly what: string;
  readonly upstream: ChatProtocol;
  readonly parts: readonly ResponsePart[];
}[] = [
  {
    what: "details of thoughts, and state of a call",
    upstream: "chat-completions",
    parts: [
      thought("Hm.", "chat-completions", '[{"type":"reasoning.encrypted","data":"minted+1/="}]'),
      { kind: "text", text: "I look." },
      {
        ...CALL,
        id: "c1",
        opaque: issued("chat-completions", '{"google":{"thought_signature":"minted+2/="}}'),
      },
      { ...CALL, id: "c2" },
    ],
  },
  {
    what: "two thoughts, one without words",
    upstream: "responses",
    parts: [
      thought("Hm.", "responses", '{"id":"rs_1","encrypted_content":"minted+1/="}'),
      { kind: "text", text: "I look." },
      thought("", "responses", '{"id":"rs_2","encrypted_content":"minted+2/="}'),
      { ...CALL, id: "c1" },
      { ...CALL, id: "c2" },
    ],
  },
  {
    what: "thoughts before each call, one hidden",
    upstream: "messages",
    parts: [
      thought("Hm.", "messages", "minted+1/="),
      { kind: "text", text: "I look." },
      { ...CALL, id: "c1" },
      { ...thought("", "messages", "minted+2/="), redacted: true },
      { ...CALL, id: "c2" },
    ],
  },
  {
    what: "a thought without words",
    upstream: "messages",
    parts: [thought("", "messages", "minted+1/="), { ...CALL, id: "c1" }, { ...CALL, id: "c2" }],
  },
  {
    what: "the first call",
    upstream: "generate-content",
    parts: [
      { kind: "reasoning", text: "Hm." },
      { kind: "text", text: "I look." },
      { ...CALL, id: "c1", opaque: issued("generate-content", "bWludGVkKzEvPQ==") },
      { ...CALL, id: "c2" },
    ],
  },
];

const WAYS = STEPS.flatMap((step) =>
  CLIENTS.flatMap((client) => [false, true].map((streamed) => ({ ...step, client, streamed }))),
)
  // The vendor's own empty thoughts stay as it writes them, also for those who drop them.
  .filter(
    ({ upstream, client }) =>
      upstream !== "messages" ||
      client.keeps !== "no thoughts that are empty" ||
      client.protocol !== upstream,
  )
  .map((way) => ({ ...way, name: `${way.client.protocol}, which keep ${way.client.keeps}` }));

describe("an upstream gets its state back byte for byte, whatever clients keep of an answer", () => {
  it.each(WAYS)("$what of $upstream, by clients of $name, streamed: $streamed", (way) => {
    const { upstream, parts, client, streamed } = way;
    const response: ChatResponse = {
      choices: [{ parts, finish: { unified: "tool-calls", protocol: upstream } }],
    };
    const codec = codecOf(client.protocol);
    const turn = streamed
      ? client.streamed(streamOf(client.protocol, response))
      : client.plain(JSON.parse(JSON.stringify(codec.encodeResponse(response, frame).body)));
    const asked = codec.decodeRequest(NEXT[client.protocol](turn));
    if ("refused" in asked) throw asked.refused;
    const encoded = codecOf(upstream).encodeRequest(asked.value, target(upstream));
    if ("refused" in encoded) throw encoded.refused;
    const sent = JSON.parse(JSON.stringify(encoded.value.body));
    expect(stateIn(sent, upstream)).toEqual(statesOn(parts));
    expect(encoded.value.losses.filter(({ reason }) => reason === "other-issuer")).toEqual([]);
    expect(JSON.stringify(sent)).not.toContain("gw1");
  });
});

describe("where state stands", () => {
  const signed = { ...CALL, id: "c1", opaque: issued("generate-content", "bWludGVk") };
  const response = (...parts: readonly ResponsePart[]): ChatResponse => ({
    choices: [{ parts, finish: { unified: "tool-calls", protocol: "generate-content" } }],
  });

  it("is before the call for callers of messages, in a block that clients keep", () => {
    const plain = codecOf("messages").encodeResponse(response(signed), frame).body;
    for (const blocks of [asObjects(plain["content"]), blocksIn(streamOf("messages", response(signed)))]) {
      expect(blocks.map(({ type }) => type)).toEqual(["redacted_thinking", "tool_use"]);
    }
  });

  it("is the call's first piece for callers of chat completions, as bytes in base64", () => {
    const first = deltasIn(
      streamOf("chat-completions", response(thought("Hm.", "messages", "s"), CALLED)),
    ).find(({ tool_calls }) => tool_calls !== undefined);
    expect(first).toMatchObject({
      tool_calls: [
        {
          id: "c1",
          function: { name: "look" },
          extra_content: { google: { thought_signature: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) } },
        },
      ],
    });
  });

  it("is the first call of a step for callers of generateContent, or its last words", () => {
    const said = { kind: "text", text: "I look." } as const;
    const signs = (...parts: readonly ResponsePart[]): unknown => {
      const { body } = codecOf("generate-content").encodeResponse(response(...parts), frame);
      const told = asObjects(contentOf(body)["parts"]);
      return told.map((part) => `${Object.keys(part)[0]} ${"thoughtSignature" in part}`);
    };
    const hm = thought("Hm.", "messages", "s");
    const next = { ...CALLED, id: "c2" };
    expect(signs(hm, said, CALLED, next)).toEqual([
      "text false",
      "text false",
      "functionCall true",
      "functionCall false",
    ]);
    expect(signs(hm, said)).toEqual(["text false", "text true"]);
    expect(signs(hm)).toEqual(["text false", "text true"]);
  });

  it("may be where earlier versions put it, in conversations that go on", () => {
    const opaque = issued("messages", "s");
    const chat = {
      role: "assistant",
      tool_calls: [
        {
          id: "c1",
          type: "function",
          function: { name: "look", arguments: "{}" },
          extra_content: {
            faregate: { thoughts: [wrapOpaque({ ...opaque, value: JSON.stringify(["Hm.", false, "s"]) })] },
          },
        },
      ],
    };
    const thoughtSignature = Buffer.from(wrapOpaque(opaque)).toString("base64");
    const parts = [
      { text: "Hm.", thought: true, thoughtSignature },
      { functionCall: { id: "c1", name: "look", args: {} } },
    ];
    for (const asked of [
      codecOf("chat-completions").decodeRequest(NEXT["chat-completions"](chat)),
      codecOf("generate-content").decodeRequest(
        NEXT["generate-content"]({ contents: [{ role: "model", parts }] }),
      ),
    ]) {
      if ("refused" in asked) throw asked.refused;
      const encoded = codecOf("messages").encodeRequest(asked.value, target("messages"));
      if ("refused" in encoded) throw encoded.refused;
      expect(encoded.value.body["messages"]).toMatchObject([
        {},
        { content: [{ type: "thinking", thinking: "Hm.", signature: "s" }, { type: "tool_use" }] },
        {},
      ]);
    }
  });

  it("may be a genuine signature of the vendor's chats, which is the same in its own protocol", () => {
    const turn = {
      role: "assistant",
      tool_calls: [
        {
          id: "c1",
          type: "function",
          function: { name: "look", arguments: "{}" },
          extra_content: { google: { thought_signature: "Z2VudWluZQ==" } },
        },
      ],
    };
    const asked = codecOf("chat-completions").decodeRequest(NEXT["chat-completions"](turn));
    if ("refused" in asked) throw asked.refused;
    const sentTo = (upstream: ChatProtocol): string => {
      const encoded = codecOf(upstream).encodeRequest(asked.value, target(upstream));
      return "value" in encoded ? JSON.stringify(encoded.value) : "";
    };
    expect(sentTo("generate-content")).toContain('"thoughtSignature":"Z2VudWluZQ=="');
    expect(sentTo("chat-completions")).toContain('{"google":{"thought_signature":"Z2VudWluZQ=="}}');
    for (const other of ["messages", "responses"] as const) {
      expect(sentTo(other)).toContain('"reason":"other-issuer"');
      expect(sentTo(other)).not.toContain("Z2VudWluZQ==");
    }
  });
});

/** Each state with what it stands on, sorted: some clients change the order. */
function statesOn(parts: readonly ResponsePart[]): unknown {
  return parts
    .flatMap((part) => {
      if (part.kind === "foreign" || part.opaque === undefined) return [];
      const on = part.kind === "tool-call" ? part.id : part.kind;
      return [`${on} ${"redacted" in part && part.redacted ? "hidden " : ""}${part.opaque.value}`];
    })
    .sort();
}

/** The state that an upstream finds in the body, as its own codec keeps it. */
function stateIn(body: JsonObject, upstream: ChatProtocol): unknown {
  const read = codecOf(upstream).decodeRequest(body);
  if ("refused" in read) throw read.refused;
  return statesOn(
    read.value.messages.flatMap(({ parts }) => parts.filter((part) => part.kind !== "tool-result")),
  );
}

function streamOf(protocol: ChatProtocol, response: ChatResponse): readonly WireFrame[] {
  const run = codecOf(protocol).encodeStream(frame, openLosses({}));
  return [...eventsOf(response).flatMap((event) => run.step(event)), ...run.end()];
}

function thought(text: string, protocol: ChatProtocol, value: string) {
  return { kind: "reasoning", text, opaque: issued(protocol, value) } as const;
}

function issued(protocol: ChatProtocol, value: string) {
  return { origin: origin(protocol), value };
}
