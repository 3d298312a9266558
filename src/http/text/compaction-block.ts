import { GatewayError } from "../../errors.ts";
import { compactionBlock } from "../../protocols/compaction.ts";
import { asObject, asObjects, asText, type JsonObject } from "../../protocols/json.ts";
import type { Adapter } from "./adapted-response.ts";

/**
 * `compaction: {type: summarize}` of messages for upstreams that have none: one request for a summary, whose response becomes
 * the one block that clients send back in the conversation's place. Where the model writes no whole summary, the response has no
 * content and the reason why, as the vendor has it: https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand
 */
export function blockCompaction(): Adapter {
  const heard: string[] = [];
  let calls = false;
  return {
    request: requestOf,
    plain(response) {
      const blocks = asObjects(response["content"]);
      const texts = blocks.filter(({ type }) => type === "text").map(({ text }) => asText(text));
      const block = blockOf(response, texts, blocks.some(isCall));
      return {
        ...response,
        ...stopOf(block),
        content: block === undefined ? [] : [block],
        usage: usageOf(asObject(response["usage"])),
      };
    },
    event(event) {
      switch (event["type"]) {
        case "message_start": {
          const message = asObject(event["message"]) ?? {};
          return [{ ...event, message: { ...message, usage: startOf(asObject(message["usage"])) } }];
        }
        case "content_block_start": {
          const block = asObject(event["content_block"]) ?? {};
          calls ||= isCall(block);
          if (block["type"] === "text") heard.push(asText(block["text"]));
          return [];
        }
        case "content_block_delta": {
          const delta = asObject(event["delta"]) ?? {};
          if (delta["type"] === "text_delta") heard.push(`${heard.pop() ?? ""}${asText(delta["text"])}`);
          return [];
        }
        case "message_delta": {
          const delta = asObject(event["delta"]) ?? {};
          const block = blockOf(delta, heard, calls);
          const usage = usageOf(asObject(event["usage"]));
          return [...whole(block), { ...event, delta: { ...delta, ...stopOf(block) }, usage }];
        }
        case "message_stop":
        case "ping":
          return [event];
        default:
          return [];
      }
    },
  };
}

/**
 * The instruction to the model if the caller has none of its own: the next request has nothing but the response to it.
 */
export const ASK =
  "Write a summary of this conversation for whoever continues it and has nothing else. State what was asked for, decided and " +
  "done, every fact, name, path, number and open question that is still needed, and what comes next. Write the summary alone.";

/**
 * The same conversation and tools, with the wish for a summary at its end; no tool is called. What the vendor refuses beside a
 * compaction, as it would do nothing, is left out.
 */
function requestOf(body: JsonObject): JsonObject {
  const { compaction, stop_sequences: _, output_format: __, tool_choice: ___, output_config, ...rest } = body;
  const messages = asObjects(body["messages"]);
  if (messages.length === 0) refuse("`messages` is empty: there is nothing to summarize.");
  const last = messages.at(-1);
  if (last?.["role"] === "assistant" && asObjects(last["content"]).some(isCall))
    refuse("The last turn ends with a tool call without a result. Send the results first.");
  const stated = asText(asObject(compaction)?.["instructions"]);
  const asked = stated.trim() === "" ? ASK : stated;
  const { format: ____, ...config } = asObject(output_config) ?? {};
  return {
    ...rest,
    messages: [...messages, { role: "user", content: [{ type: "text", text: asked }] }],
    output_config: output_config === undefined ? undefined : config,
    tool_choice: asObjects(body["tools"]).length > 0 ? { type: "none" } : undefined,
  };
}

function refuse(message: string): never {
  throw new GatewayError("invalid_request", message, { param: "messages" });
}

function isCall({ type }: JsonObject): boolean {
  return type === "tool_use";
}

/** undefined = the response is cut, declined, a call or without a word, and can stand in no conversation's place. */
function blockOf(
  { stop_reason: reason }: JsonObject,
  texts: readonly string[],
  calls: boolean,
): JsonObject | undefined {
  const summary = texts.join("\n");
  const isWhole = (reason === "end_turn" || reason === "stop_sequence") && !calls && summary.trim() !== "";
  return isWhole ? compactionBlock(summary) : undefined;
}

function stopOf(block: JsonObject | undefined): JsonObject {
  return block === undefined ? {} : { stop_reason: "compaction", stop_sequence: null };
}

/** It comes whole, without deltas. */
function whole(block: JsonObject | undefined): readonly JsonObject[] {
  if (block === undefined) return [];
  return [
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_stop", index: 0 },
  ];
}

/** Nothing was written behind the summary, whose tokens stand apart. */
function usageOf(usage: JsonObject | undefined): JsonObject {
  const { output_tokens, ...input } = counts(usage);
  return { ...startOf(usage), iterations: [{ type: "compaction", ...input, output_tokens }] };
}

function startOf(usage: JsonObject | undefined): JsonObject {
  const { cache_creation, ...rest } = counts(usage);
  const none = (of: JsonObject): JsonObject => Object.fromEntries(Object.keys(of).map((name) => [name, 0]));
  return { ...usage, ...none(rest), cache_creation: none(asObject(cache_creation) ?? {}) };
}

function counts(usage: JsonObject | undefined): JsonObject {
  return Object.fromEntries(COUNTS.map((name) => [name, usage?.[name] ?? 0]));
}

const COUNTS = [
  "input_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
  "cache_creation",
  "output_tokens",
];
