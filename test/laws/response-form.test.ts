import { describe, expect, it } from "vitest";
import { type Verdict, verdictOf } from "../support/judged-answer.ts";
import { TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";

/** One response with something at a place of it, as JSON and as a stream, both ended and counted. */
interface Told {
  readonly plain: object;
  readonly events: readonly object[];
}

const CHAT_USAGE = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const USAGE = { input_tokens: 7, output_tokens: 3, total_tokens: 10 };
const GEMINI_USAGE = { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 };

function chat(message: object, finish_reason = "stop"): Told {
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk" };
  return {
    plain: { id: "chatcmpl-1", choices: [{ index: 0, message, finish_reason }], usage: CHAT_USAGE },
    events: [
      { ...head, choices: [{ index: 0, delta: { role: "assistant", content: "" } }] },
      { ...head, choices: [{ index: 0, delta: message }] },
      { ...head, choices: [{ index: 0, delta: {}, finish_reason }], usage: CHAT_USAGE },
    ],
  };
}

function messages(block: object, start = block, deltas: readonly object[] = []): Told {
  const head = { id: "msg_1", type: "message", role: "assistant", stop_reason: null, content: [] };
  const end = { stop_reason: "end_turn" };
  return {
    plain: { ...head, ...end, content: [block], usage: USAGE },
    events: [
      { type: "message_start", message: head },
      { type: "content_block_start", index: 0, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index: 0, delta })),
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: end, usage: USAGE },
      { type: "message_stop" },
    ],
  };
}

function responses(item: object, pieces: readonly object[] = []): Told {
  const begun = { id: "resp_1", object: "response", created_at: 1, status: "in_progress", output: [] };
  const whole = { ...begun, status: "completed", output: [item], usage: USAGE };
  return {
    plain: whole,
    events: [
      { type: "response.created", response: begun },
      ...pieces.map((piece) => ({ item_id: "i", output_index: 0, content_index: 0, ...piece })),
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: whole },
    ],
  };
}

function gemini(content: unknown): Told {
  const candidate = { index: 0, content };
  return {
    plain: { candidates: [{ ...candidate, finishReason: "STOP" }], usageMetadata: GEMINI_USAGE },
    events: [
      { candidates: [candidate] },
      { candidates: [{ index: 0, finishReason: "STOP" }], usageMetadata: GEMINI_USAGE },
    ],
  };
}

const item = (part: unknown): object => ({ id: "i", type: "message", role: "assistant", content: part });

/** Where the protocols have words. */
const PLACES: Readonly<Record<TextProtocol, Readonly<Record<string, (value: unknown) => Told>>>> = {
  "chat-completions": {
    content: (content) => chat({ content }),
    "content[].text": (text) => chat({ content: [{ type: "text", text }] }),
    refusal: (refusal) => chat({ content: null, refusal }),
  },
  messages: {
    "text.text": (text) => messages({ type: "text", text }),
    "thinking.thinking": (thinking) => messages({ type: "thinking", thinking, signature: "" }),
    "text_delta.text": (text) =>
      messages({ type: "text", text }, { type: "text", text: "" }, [{ type: "text_delta", text }]),
  },
  responses: {
    "message.content": (content) => responses(item(content)),
    "output_text.text": (text) => responses(item([{ type: "output_text", text, annotations: [] }])),
    "output_text.delta": (text) =>
      responses(item([{ type: "output_text", text, annotations: [] }]), [
        { type: "response.output_text.delta", delta: text },
      ]),
    "refusal.refusal": (refusal) => responses(item([{ type: "refusal", refusal }])),
    "summary_text.text": (text) =>
      responses({ id: "i", type: "reasoning", summary: [{ type: "summary_text", text }] }),
  },
  "generate-content": {
    content: (content) => gemini(content),
    "content.parts": (parts) => gemini({ role: "model", parts }),
    "parts[].text": (text) => gemini({ role: "model", parts: [{ text }] }),
  },
};

/** Of no use as words. */
const KINDS: Readonly<Record<string, unknown>> = {
  "a number": 7,
  "a flag": true,
  "an object": { a: 1 },
  "an empty object": {},
  "a list of numbers": [7],
};

/** Values of these kinds that a place has for itself. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  "generate-content content": ["an object", "an empty object"],
};

const write = (told: Told, framing: keyof Told): string =>
  framing === "plain"
    ? JSON.stringify(told.plain)
    : told.events
        .map(
          (event) =>
            `${"type" in event ? `event: ${String(event.type)}\n` : ""}data: ${JSON.stringify(event)}\n\n`,
        )
        .join("");

/** The response as every caller gets it: in its own protocol and another, plain and as a stream, framed as asked and not. */
async function verdicts(upstream: TextProtocol, told: Told): Promise<readonly [string, Verdict][]> {
  const all: [string, Verdict][] = [];
  for (const client of TEXT_PROTOCOLS) {
    for (const streamed of [false, true]) {
      for (const framing of ["plain", "events"] as const) {
        const text =
          write(told, framing) +
          (upstream === "chat-completions" && framing === "events" ? "data: [DONE]\n\n" : "");
        const where = JSON.stringify({ client, streamed, framing, text });
        all.push([where, await verdictOf({ client, upstream, streamed, pieces: [text] })]);
      }
    }
  }
  return all;
}

const FAILS_OVER = { reason: "", usage: undefined, next: true, told: "" };

describe.each(TEXT_PROTOCOLS)("an answer of %s", (upstream) => {
  const places = Object.entries(PLACES[upstream]);
  const table = places.flatMap(([place, tell]) =>
    Object.keys(KINDS)
      .filter((kind) => OWN[`${upstream} ${place}`]?.includes(kind) !== true)
      .map((kind) => ({ place, tell, kind })),
  );

  it.each(table)("with $kind in $place is none, and costs nothing", async ({ tell, kind }) => {
    for (const [where, verdict] of await verdicts(upstream, tell(KINDS[kind])))
      expect(verdict, where).toMatchObject(FAILS_OVER);
  });

  it.each(places.filter(([place]) => /text|delta|refusal|thinking|^content$/.test(place)))(
    "with words in %s is one",
    async (place, tell) => {
      if (upstream === "generate-content" && place === "content") return;
      const isList = place === "message.content";
      const words = isList ? [{ type: "output_text", text: "Hello." }] : "Hello.";
      for (const [where, verdict] of await verdicts(upstream, tell(words)))
        expect(verdict, where).toMatchObject({ reason: "completed" });
    },
  );
});

const call = (name: unknown, args: unknown = '{"a":1}'): Readonly<Record<TextProtocol, Told>> => ({
  "chat-completions": chat(
    {
      content: null,
      tool_calls: [{ index: 0, id: "c", type: "function", function: { name, arguments: args } }],
    },
    "tool_calls",
  ),
  messages: messages(
    { type: "tool_use", id: "c", name, input: { a: 1 } },
    { type: "tool_use", id: "c", name, input: {} },
    [{ type: "input_json_delta", partial_json: args }],
  ),
  responses: responses({ id: "i", type: "function_call", call_id: "c", name, arguments: args }, [
    {
      type: "response.output_item.added",
      item: { id: "i", type: "function_call", call_id: "c", name, arguments: "" },
    },
    { type: "response.function_call_arguments.delta", delta: args },
  ]),
  "generate-content": gemini({ role: "model", parts: [{ functionCall: { name, args: { a: 1 } } }] }),
});

describe.each(TEXT_PROTOCOLS)("a call of a tool in an answer of %s", (upstream) => {
  it.each([[""], [undefined], [null], [7]])(
    "whose name is %j is nobody's to run, and costs nothing",
    async (name) => {
      for (const [where, verdict] of await verdicts(upstream, call(name)[upstream]))
        expect(verdict, where).toMatchObject(FAILS_OVER);
    },
  );

  it("with a name is one", async () => {
    for (const [where, verdict] of await verdicts(upstream, call("f")[upstream]))
      expect(verdict, where).toMatchObject({ reason: "completed" });
  });
});

describe("the name of a call in a stream", () => {
  const asked = { upstream: "chat-completions", streamed: true } as const;
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const piece = (id: string | undefined, name: string | undefined, text: string): string =>
    chunk({ tool_calls: [{ index: 0, id, function: { name, arguments: text } }] });
  const end = `${chunk({}, "tool_calls")}data: ${JSON.stringify({ choices: [], usage: CHAT_USAGE })}\n\ndata: [DONE]\n\n`;

  it.each(TEXT_PROTOCOLS)("may come after its id and its arguments: %s", async (client) => {
    const pieces = [
      piece("c", undefined, '{"a"'),
      piece(undefined, "f", ""),
      piece(undefined, undefined, ":1}"),
      end,
    ];
    const { reason, told } = await verdictOf({ ...asked, client, pieces });
    expect(reason).toBe("completed");
    expect(told).toContain('"f"');
  });

  it.each(TEXT_PROTOCOLS.filter((client) => client !== "chat-completions"))(
    "that never comes behind words is a failure of the stream: %s",
    async (client) => {
      const pieces = [chunk({ role: "assistant", content: "Hello." }), piece("c", undefined, "{}"), end];
      const { reason, told } = await verdictOf({ ...asked, client, pieces });
      expect(reason).toBe("upstream_failed_after_output");
      expect(told).not.toContain('"name":""');
    },
  );

  it.each(TEXT_PROTOCOLS)("is not missing of a call with nothing in it: %s", async (client) => {
    const empty = chunk({
      content: "Hello.",
      tool_calls: [{ index: 0, id: "", function: { name: "", arguments: "" } }],
    });
    const { reason, told } = await verdictOf({
      ...asked,
      client,
      pieces: [empty, end.replace("tool_calls", "stop")],
    });
    expect(reason).toBe("completed");
    if (client !== "chat-completions") expect(told).not.toContain('"name":""');
  });
});
