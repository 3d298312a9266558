import { describe, expect, it } from "vitest";
import { writeExact } from "../../src/base/json/exact-json.ts";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/conversation/protocol-name.ts";
import type { JsonObject } from "../../src/conversation/request.ts";
import { decodeRequest, encodeRequest } from "../../src/relay/mode/translate-request.ts";

/** More than a call of a function may have arguments, and within the values that are translated. */
const MANY = 180_000;
const FEW = 5_000;
const TIMES = 4;
/** Work that grows with the values is 4 times as much, work that grows with their square 16 times. */
const MAX_GROWTH = 10;
/** Less is noise, and no harm. */
const FLOOR_MS = 250;
/** Whatever else the machine does only ever adds: what is slow each time is slow. */
const TRIES = 5;

type Make = (count: number) => JsonObject;

const list = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const fields: Make = (count) => Object.fromEntries(list(count, (index) => [`field_${index}`, 1]));
const chat = (content: unknown, role = "user") => ({ messages: [{ role, content }, ASKED] });
const ASKED = { role: "user", content: "hello" };
const call = (index: number) => ({ id: `call_${index}`, type: "function", function: CALLED });
const CALLED = { name: "find", arguments: "{}" };

/** Where a caller may write as much as it likes: lists, and fields that no specification knows. */
const BODIES: Readonly<Record<ChatProtocol, Readonly<Record<string, Make>>>> = {
  "chat-completions": {
    messages: (count) => ({ messages: list(count, () => ASKED) }),
    parts: (count) => chat(list(count, () => ({ type: "text", text: "a" }))),
    "system parts": (count) =>
      chat(
        list(count, () => ({ type: "text", text: "a" })),
        "system",
      ),
    "messages of the system": (count) => ({
      messages: [...list(count, () => ({ role: "system", content: "a" })), ASKED],
    }),
    "parts of two messages": (count) => ({
      messages: [ASKED, { role: "user", content: list(count, () => ({ type: "text", text: "a" })) }],
    }),
    calls: (count) => ({ messages: [ASKED, { role: "assistant", tool_calls: list(count, call) }] }),
    tools: (count) => ({
      messages: [ASKED],
      tools: list(count, (index) => ({ type: "function", function: { name: `tool_${index}` } })),
    }),
    "unknown fields": (count) => ({ messages: [ASKED], ...fields(count) }),
    "unknown fields of a part": (count) => chat([{ type: "text", text: "a", ...fields(count) }]),
    "unknown fields of a tool": (count) => ({
      messages: [ASKED],
      tools: [{ type: "function", function: { name: "find", ...fields(count) } }],
    }),
    "stop sequences": (count) => ({ messages: [ASKED], stop: list(count, (index) => `stop ${index}`) }),
  },
  responses: {
    messages: (count) => ({ input: list(count, () => ASKED) }),
    parts: (count) => ({
      input: [{ role: "user", content: list(count, () => ({ type: "input_text", text: "a" })) }],
    }),
    "parts of two messages": (count) => ({
      input: [ASKED, { role: "user", content: list(count, () => ({ type: "input_text", text: "a" })) }],
    }),
    "system parts": (count) => ({
      input: [{ role: "system", content: list(count, () => ({ type: "input_text", text: "a" })) }, ASKED],
    }),
    calls: (count) => ({
      input: [ASKED, ...list(count, (index) => ({ type: "function_call", call_id: `c${index}`, ...CALLED }))],
    }),
    tools: (count) => ({
      input: "hello",
      tools: list(count, (index) => ({ type: "function", name: `tool_${index}` })),
    }),
    "unknown fields": (count) => ({ input: "hello", ...fields(count) }),
    "unknown fields of an item": (count) => ({ input: [{ ...ASKED, ...fields(count) }] }),
    "unknown fields of a part": (count) => ({
      input: [{ role: "user", content: [{ type: "input_text", text: "a", ...fields(count) }] }],
    }),
  },
  messages: {
    messages: (count) => ({ max_tokens: 10, messages: list(count, () => ASKED) }),
    parts: (count) => ({ max_tokens: 10, ...chat(list(count, () => ({ type: "text", text: "a" }))) }),
    "parts of two messages": (count) => ({
      max_tokens: 10,
      messages: [ASKED, { role: "user", content: list(count, () => ({ type: "text", text: "a" })) }],
    }),
    "system parts": (count) => ({
      max_tokens: 10,
      messages: [ASKED],
      system: list(count, () => ({ type: "text", text: "a" })),
    }),
    calls: (count) => ({
      max_tokens: 10,
      messages: [
        ASKED,
        {
          role: "assistant",
          content: list(count, (index) => ({
            type: "tool_use",
            id: `toolu_${index}`,
            name: "find",
            input: {},
          })),
        },
      ],
    }),
    results: (count) => ({
      max_tokens: 10,
      ...chat(list(count, (index) => ({ type: "tool_result", tool_use_id: `toolu_${index}` }))),
    }),
    tools: (count) => ({
      max_tokens: 10,
      messages: [ASKED],
      tools: list(count, (index) => ({ name: `tool_${index}`, input_schema: {} })),
    }),
    "unknown fields": (count) => ({ max_tokens: 10, messages: [ASKED], ...fields(count) }),
    "unknown fields of a message": (count) => ({
      max_tokens: 10,
      messages: [{ ...ASKED, ...fields(count) }],
    }),
    "unknown fields of a part": (count) => ({
      max_tokens: 10,
      ...chat([{ type: "text", text: "a", ...fields(count) }]),
    }),
    "unknown fields of metadata": (count) => ({ max_tokens: 10, messages: [ASKED], metadata: fields(count) }),
  },
  "generate-content": {
    contents: (count) => ({ contents: list(count, () => ({ role: "user", parts: [{ text: "a" }] })) }),
    parts: (count) => ({ contents: [{ role: "user", parts: list(count, () => ({ text: "a" })) }] }),
    "parts of two contents": (count) => ({
      contents: [
        { role: "user", parts: [{ text: "a" }] },
        { role: "user", parts: list(count, () => ({ text: "a" })) },
      ],
    }),
    "system parts": (count) => ({
      contents: [{ parts: [{ text: "a" }] }],
      systemInstruction: { parts: list(count, () => ({ text: "a" })) },
    }),
    calls: (count) => ({
      contents: [{ role: "model", parts: list(count, () => ({ functionCall: { name: "find", args: {} } })) }],
    }),
    tools: (count) => ({
      contents: [{ parts: [{ text: "a" }] }],
      tools: [{ functionDeclarations: list(count, (index) => ({ name: `tool_${index}` })) }],
    }),
    "unknown fields": (count) => ({ contents: [{ parts: [{ text: "a" }] }], ...fields(count) }),
    "unknown fields of a part": (count) => ({ contents: [{ parts: [{ text: "a", ...fields(count) }] }] }),
    "unknown fields of a config": (count) => ({
      contents: [{ parts: [{ text: "a" }] }],
      generationConfig: fields(count),
    }),
  },
};

const ROWS = CHAT_PROTOCOLS.flatMap((protocol) =>
  Object.entries(BODIES[protocol]).map(([what, make]) => ({ protocol, what, make })),
);

describe("the work of a translated request", () => {
  it.each(ROWS)("grows with the values: $what of $protocol", ({ protocol, make }) => {
    const [few, many] = [bodyOf(make(FEW)), bodyOf(make(FEW * TIMES))];
    const growths: number[] = [];
    do {
      const once = Math.max(
        msOf(() => translated(protocol, few)),
        FLOOR_MS / MAX_GROWTH,
      );
      growths.push(msOf(() => translated(protocol, many)) / once);
    } while (growths.length < TRIES && Math.min(...growths) >= MAX_GROWTH);
    expect(Math.min(...growths)).toBeLessThan(MAX_GROWTH);
  });
});

describe(`a request with ${MANY} values in one list`, () => {
  it.each([
    ["chat-completions", "system parts"],
    ["responses", "parts of two messages"],
    ["messages", "unknown fields of a part"],
    ["generate-content", "unknown fields of a config"],
  ] as const)("of %s, its %s, is translated", (protocol, what) => {
    expect(translated(protocol, bodyOf(BODIES[protocol][what]?.(MANY) ?? {}))).toBe(CHAT_PROTOCOLS.length);
  });
});

function bodyOf(fields: JsonObject): Buffer {
  return Buffer.from(writeExact({ model: "m", ...fields }));
}

/** The number of protocols that it was translated to. */
function translated(protocol: ChatProtocol, body: Buffer): number {
  const decoded = decodeRequest({ protocol, model: "m", streamed: false, body });
  if ("refused" in decoded) throw new Error(decoded.refused.message);
  const outcomes = CHAT_PROTOCOLS.map((upstream) =>
    encodeRequest(decoded.value, {
      model: "m",
      origin: { protocol: upstream, upstream: "u", model: "m" },
      quirks: {},
      seed: "s",
      maxOutputTokens: undefined,
    }),
  );
  return outcomes.filter((outcome) => "value" in outcome).length;
}

/** Of processor time: what other programs take of it does not count. */
function msOf(work: () => unknown): number {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
}
