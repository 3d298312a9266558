import { describe, expect, it } from "vitest";
import { callKey, withCallStates } from "../../src/conversation/adapt/calls-with-state.ts";
import { openLosses } from "../../src/conversation/loss.ts";
import type { EncodeTarget } from "../../src/conversation/lower/plan.ts";
import type { Quirks } from "../../src/conversation/lower/quirks.ts";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import type { ChatResponse, ResponsePart } from "../../src/conversation/response.ts";
import type { Opaque } from "../../src/conversation/state/opaque.ts";
import { asObjects, type JsonObject } from "../../src/protocols/json.ts";
import type { OnCall, WireFrame } from "../../src/protocols/translation.ts";
import { presetQuirks } from "../../src/upstreams/upstream-quirks.ts";
import { codecOf } from "../support/codec-of.ts";
import { bareRequest, eventsOf, frame, target } from "../support/conversation-arbitraries.ts";
import { CLIENTS, type Client, NEXT } from "../support/keeping-clients.ts";

const CALL = { kind: "tool-call", name: "look", arguments: '{"at":"map"}' } as const;

/** Models that want their thoughts back, although they sign none. */
const UPSTREAMS: readonly {
  readonly what: string;
  readonly quirks: Quirks;
  readonly parts: readonly ResponsePart[];
  readonly field?: string;
}[] = [
  ...["kimi-k2-thinking", "deepseek-chat", "glm-4.6", "MiniMax-M2"].map((model) => ({
    what: model,
    quirks: presetQuirks("openai-compatible", model),
    parts: [{ kind: "reasoning", text: "Hm. 漢" }] as const,
  })),
  {
    what: "thoughts in the field `reasoning`",
    quirks: { reasoningReplay: "kept", reasoningField: "reasoning" },
    parts: [{ kind: "reasoning", text: "Hm. 漢" }],
    field: "reasoning",
  },
  {
    what: "thoughts in tags",
    quirks: { reasoningReplay: "kept", thinkTags: true },
    parts: [{ kind: "text", text: "<think>Hm. 漢</think>" }],
  },
];

/** A client of chats that keeps of a call nothing but what the gateway can remember it by. */
const FORGETFUL: Client = {
  keeps: "ids of calls alone",
  protocol: "chat-completions",
  plain: (body) => bare(client("everything").plain(body)),
  streamed: (frames) => bare(client("everything").streamed(frames)),
};

const WAYS = UPSTREAMS.flatMap((upstream) =>
  [...CLIENTS, FORGETFUL].flatMap((client) =>
    ["", "I look."].flatMap((words) =>
      [false, true].map((streamed) => ({
        ...upstream,
        client,
        words,
        streamed,
        name: `${client.protocol}, which keep ${client.keeps}`,
      })),
    ),
  ),
);

describe("a model that wants its thoughts back gets them, though it signs none and whatever clients keep", () => {
  it.each(WAYS)("$what, by clients of $name, words: $words, streamed: $streamed", (way) => {
    const { quirks, client, streamed, words, field = "reasoning_content" } = way;
    const to = target("chat-completions", { quirks });
    const parts = [...withWords(way.parts, words), { ...CALL, id: "c1" }, { ...CALL, id: "c2" }];
    const known = new Map<string, Opaque>();
    const turn = turnOf(client, streamed, answered(parts, to, streamed), (call) => {
      known.set(callKey(call), call.opaque);
    });
    const { messages, losses } = sentOn(
      client.protocol,
      NEXT[client.protocol](turn),
      to,
      client === FORGETFUL ? known : undefined,
    );
    const assistant = messages.filter(({ role }) => role === "assistant");
    expect(assistant.map((message) => message[field])).toEqual(["Hm. 漢"]);
    expect(assistant.map(({ content }) => content)).toEqual([words === "" ? null : words]);
    expect(asObjects(assistant[0]?.["tool_calls"]).map(({ id }) => id)).toEqual(["c1", "c2"]);
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(results).toEqual(["r", "r"]);
    expect(losses).toEqual([]);
    expect(JSON.stringify(messages)).not.toContain("gw1");
  });

  it("has them with the last words of a turn without calls, from clients of generateContent that drop thoughts", () => {
    const to = target("chat-completions", { quirks: { reasoningReplay: "kept" } });
    const gemini = client("no thoughts");
    for (const streamed of [false, true]) {
      const parts = [{ kind: "reasoning", text: "Hm." } as const, { kind: "text", text: "Hi." } as const];
      const turn = turnOf(gemini, streamed, answered(parts, to, streamed));
      const next = { contents: [...asObjects(turn["contents"]), { parts: [{ text: "And?" }] }] };
      const { messages } = sentOn(gemini.protocol, next, to);
      expect(messages[0]).toMatchObject({ content: "Hi.", reasoning_content: "Hm." });
    }
  });

  it("is asked for none where models want none: calls carry nothing then", () => {
    const to = target("chat-completions");
    const parts = [{ kind: "reasoning", text: "Hm." } as const, { ...CALL, id: "c1" }];
    for (const { protocol } of CLIENTS.filter(({ protocol }) => protocol !== "responses")) {
      const { body } = codecOf(protocol).encodeResponse(wholeOf(answered(parts, to, false)), frame);
      expect(JSON.stringify(body)).not.toMatch(/thoughtSignature|extra_content/);
    }
  });
});

/** What the gateway reads of an upstream's response that says this. */
function answered(parts: readonly ResponsePart[], to: EncodeTarget, streamed: boolean) {
  const codec = codecOf("chat-completions");
  const asked = bareRequest({ messages: [{ role: "user", parts: [{ kind: "text", text: "x" }] }] });
  const encoded = codec.encodeRequest(asked, to);
  if ("refused" in encoded) throw encoded.refused;
  const { plan } = encoded.value;
  const isCall = parts.some(({ kind }) => kind === "tool-call");
  const response: ChatResponse = {
    choices: [{ parts, finish: { unified: isCall ? "tool-calls" : "stop", protocol: "chat-completions" } }],
  };
  if (!streamed) {
    const body = JSON.parse(JSON.stringify(codec.encodeResponse(response, frame).body));
    return { decoded: codec.decodeResponse(body, plan) };
  }
  const told = through(codec.encodeStream(frame, openLosses({})), eventsOf(response));
  return { events: through(codec.decodeStream(plan), told) };
}

function turnOf(
  { protocol, plain, streamed: joined }: Client,
  streamed: boolean,
  answer: ReturnType<typeof answered>,
  tell: OnCall = () => undefined,
): JsonObject {
  const codec = codecOf(protocol);
  if (!streamed) {
    return plain(JSON.parse(JSON.stringify(codec.encodeResponse(wholeOf(answer), frame, tell).body)));
  }
  const frames: readonly WireFrame[] = through(
    codec.encodeStream(frame, openLosses({}), tell),
    answer.events ?? [],
  );
  return joined(frames);
}

function wholeOf({ decoded }: ReturnType<typeof answered>): ChatResponse {
  if (decoded === undefined || "error" in decoded) throw new Error("no answer");
  return decoded.response;
}

/** What the model gets of the next request. */
function sentOn(
  protocol: ChatProtocol,
  body: JsonObject,
  to: EncodeTarget,
  known: ReadonlyMap<string, Opaque> = new Map(),
) {
  const asked = codecOf(protocol).decodeRequest(body);
  if ("refused" in asked) throw asked.refused;
  const encoded = codecOf("chat-completions").encodeRequest(withCallStates(asked.value, known), to);
  if ("refused" in encoded) throw encoded.refused;
  const sent: JsonObject = JSON.parse(JSON.stringify(encoded.value.body));
  return { messages: asObjects(sent["messages"]), losses: encoded.value.losses };
}

/** The words behind the thoughts, in the same text where these are in tags. */
function withWords(parts: readonly ResponsePart[], words: string): readonly ResponsePart[] {
  const [first] = parts;
  if (words === "") return parts;
  return first?.kind === "text"
    ? [{ ...first, text: first.text + words }]
    : [...parts, { kind: "text", text: words }];
}

function bare({ content, tool_calls }: JsonObject): JsonObject {
  const calls = asObjects(tool_calls).map(({ extra_content: _, ...call }) => call);
  return { role: "assistant", content, tool_calls: calls };
}

function client(keeps: string): Client {
  const found = CLIENTS.find((each) => each.keeps === keeps);
  if (found === undefined) throw new Error(`no client keeps ${keeps}`);
  return found;
}

function through<In, Out>(
  run: { step(input: In): readonly Out[]; end(): readonly Out[] },
  inputs: readonly In[],
): readonly Out[] {
  return [...inputs.flatMap((input) => run.step(input)), ...run.end()];
}
