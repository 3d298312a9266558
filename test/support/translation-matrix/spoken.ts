import type { ChatProtocol } from "../../../src/conversation/protocol-name.ts";
import type { JsonObject } from "../../../src/conversation/request.ts";
import { wrapOpaque } from "../../../src/conversation/state/opaque.ts";
import { origin } from "../conversation-arbitraries.ts";

/** The least request of each protocol, which rows lay their fields over. */
export const LEAST: Readonly<Record<ChatProtocol, JsonObject>> = {
  "chat-completions": { model: "m", messages: [{ role: "user", content: "Rivers?" }] },
  responses: { model: "m", input: [{ role: "user", content: "Rivers?" }] },
  messages: { model: "m", max_tokens: 64_000, messages: [{ role: "user", content: "Rivers?" }] },
  "generate-content": { contents: [{ role: "user", parts: [{ text: "Rivers?" }] }] },
};

/** A body in each of some protocols. */
export type Spoken = Partial<Readonly<Record<ChatProtocol, JsonObject>>>;

/** One part of the user's words, beside a question. */
export function part(parts: Spoken): Spoken {
  return bodies(parts, {
    "chat-completions": (each) => ({ messages: [{ role: "user", content: [chatText("What?"), each] }] }),
    responses: (each) => ({
      input: [{ role: "user", content: [{ type: "input_text", text: "What?" }, each] }],
    }),
    messages: (each) => ({ messages: [{ role: "user", content: [chatText("What?"), each] }] }),
    "generate-content": (each) => ({ contents: [{ role: "user", parts: [{ text: "What?" }, each] }] }),
  });
}

/** Something that the assistant said, thought or did, after which it spoke and was asked on. */
export function saidBefore(parts: Spoken): Spoken {
  return bodies(parts, {
    "chat-completions": (each) => ({
      messages: [ASKED, { role: "assistant", content: "Bends.", ...each }, ASKED],
    }),
    responses: (each) => ({ input: [ASKED, each, { role: "assistant", content: "Bends." }, ASKED] }),
    messages: (each) => ({
      messages: [ASKED, { role: "assistant", content: [each, chatText("Bends.")] }, ASKED],
    }),
    "generate-content": (each) => ({
      contents: [ASKED_NATIVELY, { role: "model", parts: [each, { text: "Bends." }] }, ASKED_NATIVELY],
    }),
  });
}

/** A call of a tool and its result, written by each protocol's rules. */
export function round(results: Spoken): Spoken {
  const called = { id: "call_1", type: "function", function: { name: "look", arguments: '{"at":"map"}' } };
  return bodies(results, {
    "chat-completions": (each) => ({
      ...TOOL["chat-completions"],
      messages: [
        ASKED,
        { role: "assistant", content: null, tool_calls: [called] },
        { role: "tool", tool_call_id: "call_1", ...each },
      ],
    }),
    responses: (each) => ({
      ...TOOL.responses,
      input: [
        ASKED,
        { type: "function_call", call_id: "call_1", name: "look", arguments: '{"at":"map"}' },
        { type: "function_call_output", call_id: "call_1", ...each },
      ],
    }),
    messages: (each) => ({
      ...TOOL.messages,
      messages: [
        ASKED,
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "call_1", name: "look", input: { at: "map" } }],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", ...each }] },
      ],
    }),
    "generate-content": (each) => ({
      ...TOOL["generate-content"],
      contents: [
        ASKED_NATIVELY,
        { role: "model", parts: [{ functionCall: { id: "call_1", name: "look", args: { at: "map" } } }] },
        { role: "user", parts: [{ functionResponse: { id: "call_1", name: "look", ...each } }] },
      ],
    }),
  });
}

/** One tool, with more fields where a row is about them. */
export function tool(more: Spoken): Spoken {
  return bodies(more, {
    "chat-completions": (each) => ({ tools: [{ type: "function", function: DECLARED, ...each }] }),
    responses: (each) => ({ tools: [{ type: "function", strict: false, ...DECLARED, ...each }] }),
    messages: (each) => ({ tools: [{ name: "look", description: "Looks.", input_schema: PLACE, ...each }] }),
    "generate-content": (each) => ({
      tools: [
        {
          functionDeclarations: [
            { name: "look", description: "Looks.", parametersJsonSchema: PLACE, ...each },
          ],
        },
      ],
    }),
  });
}

/** Fields of generateContent's `generationConfig`. */
export function config(fields: JsonObject): JsonObject {
  return { generationConfig: fields };
}

/** State that `by` issued at the upstream that tests ask, wrapped as callers get it. */
export function stateOf(by: ChatProtocol): string {
  return wrapOpaque({ origin: origin(by), value: ISSUED[by] });
}

export const PLACE = { type: "object", properties: { at: { type: "string" } }, required: ["at"] };
export const DECLARED = { name: "look", description: "Looks.", parameters: PLACE };

export const TOOL = {
  "chat-completions": { tools: [{ type: "function", function: DECLARED }] },
  responses: { tools: [{ type: "function", strict: false, ...DECLARED }] },
  messages: { tools: [{ name: "look", description: "Looks.", input_schema: PLACE }] },
  "generate-content": {
    tools: [{ functionDeclarations: [{ name: "look", description: "Looks.", parametersJsonSchema: PLACE }] }],
  },
} as const satisfies Spoken;

/** The same fields in several protocols. */
export function alike(fields: JsonObject, ...protocols: readonly ChatProtocol[]): Spoken {
  return Object.fromEntries(protocols.map((protocol) => [protocol, fields]));
}

export function chatText(text: string): JsonObject {
  return { type: "text", text };
}

export const ASKED = { role: "user", content: "Rivers?" };
export const ASKED_NATIVELY = { role: "user", parts: [{ text: "Rivers?" }] };

type Bodies = Readonly<Record<ChatProtocol, (each: JsonObject) => JsonObject>>;

function bodies(parts: Spoken, make: Bodies): Spoken {
  const entries = Object.entries(parts) as [ChatProtocol, JsonObject][];
  return Object.fromEntries(entries.map(([protocol, each]) => [protocol, make[protocol](each)]));
}

/** State as each protocol's codec keeps it. */
const ISSUED: Readonly<Record<ChatProtocol, string>> = {
  "chat-completions": JSON.stringify([{ type: "reasoning.text", text: "Hm.", signature: "minted" }]),
  responses: JSON.stringify({ id: "rs_1", encrypted_content: "minted" }),
  messages: "minted",
  "generate-content": "bWludGVk",
};
