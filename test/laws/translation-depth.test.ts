import { describe, expect, it } from "vitest";
import { parseExact, writeExact } from "../../src/base/json/exact-json.ts";
import { openLosses } from "../../src/conversation/loss.ts";
import { blankPlan } from "../../src/conversation/lower/plan.ts";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import type { WireFrame } from "../../src/protocols/translation.ts";
import { frame } from "../support/conversation-arbitraries.ts";

/** Far beyond what a walk by recursion bears. */
const LEVELS = 20_000;
const DEEP = `${`{"a":`.repeat(LEVELS)}1${"}".repeat(LEVELS)}`;
const VALUE: unknown = JSON.parse(DEEP);
/** What the longest of a vendor's own arguments come near. */
const AUDIO = `${`{"a":`.repeat(20)}1${"}".repeat(20)}`;

interface Response {
  readonly plain: unknown;
  readonly frames: readonly string[];
}

const call = (more: object) => ({ id: "t", type: "function", function: { name: "f", ...more } });
const chat = (args: unknown): Response => ({
  plain: {
    choices: [
      { index: 0, message: { tool_calls: [call({ arguments: args })] }, finish_reason: "tool_calls" },
    ],
  },
  frames: [
    written({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call({ arguments: args }) }] } }] }),
    `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
    "[DONE]",
  ],
});
const item = (args: string) => ({ type: "function_call", call_id: "t", name: "f", arguments: args });

const RESPONSES: Readonly<Record<ChatProtocol, (text: string, value: unknown) => readonly Response[]>> = {
  "chat-completions": (text, value) => [chat(text), chat(value)],
  responses: (text) => [
    {
      plain: { status: "completed", output: [item(text)] },
      frames: [
        written({ type: "response.completed", response: { status: "completed", output: [item(text)] } }),
      ],
    },
  ],
  messages: (text, input) => [
    {
      plain: { content: [{ type: "tool_use", id: "t", name: "f", input }], stop_reason: "tool_use" },
      frames: [
        written({
          type: "content_block_start",
          index: 0,
          content_block: { type: "tool_use", id: "t", name: "f", input },
        }),
        `{"type":"content_block_stop","index":0}`,
        written({ type: "content_block_start", index: 1, content_block: { type: "tool_use", name: "g" } }),
        written({
          type: "content_block_delta",
          index: 1,
          delta: { type: "input_json_delta", partial_json: text },
        }),
        `{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`,
        `{"type":"message_stop"}`,
      ],
    },
  ],
  "generate-content": (_, args) => {
    const parts = [{ functionCall: { name: "f", args } }];
    const plain = { candidates: [{ content: { parts }, finishReason: "STOP" }] };
    return [{ plain, frames: [written(plain)] }];
  },
};

const PAIRS = CHAT_PROTOCOLS.flatMap((upstream) => CHAT_PROTOCOLS.map((caller) => ({ upstream, caller })));

describe("arguments that are nested without end", () => {
  it.each(PAIRS)(
    "are cut short, and named, and break nothing: $upstream to $caller",
    ({ upstream, caller }) => {
      const isText = PROTOCOLS[caller].translation?.capabilities.argumentsAs === "text";
      for (const response of RESPONSES[upstream](DEEP, VALUE)) {
        const plain = plainly(upstream, caller, response);
        const streamed = asStream(upstream, caller, response);
        for (const { losses, text } of [plain, streamed]) {
          // Text is its caller's to read, however deep; an object would have to be written as one.
          if (!isText || !text.includes('{\\"a\\":{\\"a\\":')) expect(losses).toContain("toolCalls");
          if (!isText && text === plain.text) expect(text).not.toContain('"f"');
        }
      }
      for (const response of RESPONSES[upstream](AUDIO, JSON.parse(AUDIO))) {
        for (const { losses, text } of [
          plainly(upstream, caller, response),
          asStream(upstream, caller, response),
        ]) {
          expect(losses).toEqual([]);
          expect(text).toMatch(/"name":"f"/);
        }
      }
    },
  );
});

describe("JSON nested without end", () => {
  it("is written as it came, long numbers in it", () => {
    const text = `${"[".repeat(LEVELS)}{"a":12345678901234567890,"b":[],"c":{},"d":"\\n","e":null}${"]".repeat(LEVELS)}`;
    expect(writeExact(parseExact(text)) === text).toBe(true);
  });
});

interface Written {
  readonly text: string;
  readonly losses: readonly string[];
}

function plainly(upstream: ChatProtocol, caller: ChatProtocol, { plain }: Response): Written {
  const decoded = PROTOCOLS[upstream].translation?.decodeResponse(plain, PLAN);
  if (decoded === undefined || "error" in decoded) throw new Error("no answer");
  const encoded = PROTOCOLS[caller].translation?.encodeResponse(decoded.response, frame);
  return {
    text: writeExact(encoded?.body),
    losses: encoded?.losses.map(({ path }) => path) ?? [],
  };
}

function asStream(upstream: ChatProtocol, caller: ChatProtocol, { frames }: Response): Written {
  const losses = openLosses({});
  const decoder = PROTOCOLS[upstream].translation?.decodeStream(PLAN);
  const encoder = PROTOCOLS[caller].translation?.encodeStream(frame, losses, () => undefined);
  if (decoder === undefined || encoder === undefined) throw new Error("no codec");
  const events = [...frames.flatMap((data) => decoder.step({ data })), ...decoder.end()];
  const out: WireFrame[] = [...events.flatMap((event) => encoder.step(event)), ...encoder.end()];
  return { text: out.map(({ data }) => data).join("\n"), losses: losses.list().map(({ path }) => path) };
}

function written(value: unknown): string {
  return writeExact(value);
}

const PLAN = blankPlan({ protocol: "messages" }, "req_1");
