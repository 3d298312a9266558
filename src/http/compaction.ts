import { compactionItem } from "../conversation/compaction.ts";
import { asObject, asObjects, asText, type JsonObject } from "../protocols/json.ts";
import type { Adapter } from "./adapted-response.ts";

/** As clients ask for it at the end of an ordinary request's input. */
const TRIGGER = Buffer.from('"compaction_trigger"');

/** Looks for the trigger's word in a body as it arrives, since nearly none has it and none is parsed to be forwarded. */
export function openTriggerSearch(): { write(chunk: Buffer): void; found(): boolean } {
  let found = false;
  let tail: Buffer = Buffer.alloc(0);
  return {
    write(chunk) {
      found ||= chunk.includes(TRIGGER);
      if (tail.length > 0)
        found ||= Buffer.concat([tail, chunk.subarray(0, TRIGGER.length)]).includes(TRIGGER);
      tail = chunk.subarray(-TRIGGER.length);
    },
    found: () => found,
  };
}

/** Whether the word is an item's type: it may as well be somebody's text. */
export function asksToCompact(body: readonly Buffer[]): boolean {
  const asked = asObject(JSON.parse(Buffer.concat(body).toString("utf8")));
  return asObjects(asked?.["input"]).some(({ type }) => type === "compaction_trigger");
}

/** What the model is asked: whoever goes on has nothing but its answer. */
const ASK =
  "Write a summary of this conversation for whoever continues it and has nothing else. State what was asked for, decided and " +
  "done, every fact, name, path, number and open question that is still needed, and what comes next. Write the summary alone.";

/**
 * Compaction for models whose upstreams have none: one request for a summary, whose answer becomes the one item that clients
 * send back in the conversation's place. `whole`: the answer of `/v1/responses/compact`; else that of a response, maybe streamed.
 */
export function compaction(form: "whole" | "response"): Adapter {
  return {
    request: (body) => requestOf(body, form),
    plain(response) {
      const output = [itemOf(response)];
      if (form === "response") return { ...response, output };
      const { id, created_at, usage } = response;
      return { id, object: "response.compaction", created_at, output, usage };
    },
    event(event) {
      const type = asText(event["type"]);
      if (!ENDS.has(type)) return PASSED.has(type) ? [event] : [];
      const response = asObject(event["response"]) ?? {};
      const item = itemOf(response);
      const at = { output_index: 0, item };
      return [
        { type: "response.output_item.added", sequence_number: 2, ...at },
        { type: "response.output_item.done", sequence_number: 3, ...at },
        {
          ...{ type: "response.completed", sequence_number: 4 },
          response: { ...response, status: "completed", incomplete_details: null, output: [item] },
        },
      ];
    },
  };
}

/** What comes before the item, and what ends an answer that has none. */
const PASSED: ReadonlySet<string> = new Set([
  "response.created",
  "response.in_progress",
  "response.failed",
  "error",
]);
const ENDS: ReadonlySet<string> = new Set(["response.completed", "response.incomplete"]);

/** The same conversation and tools, with the wish for a summary at its end; no tool is called, nothing is kept. */
function requestOf(body: JsonObject, form: "whole" | "response"): JsonObject {
  const { input, text: _, tool_choice: __, ...rest } = body;
  const items = typeof input === "string" ? [{ role: "user", content: input }] : asObjects(input);
  const kept = items.filter(({ type }) => type !== "compaction_trigger");
  return {
    ...rest,
    input: [...kept, { type: "message", role: "user", content: [{ type: "input_text", text: ASK }] }],
    store: false,
    ...(Array.isArray(rest["tools"]) && rest["tools"].length > 0 ? { tool_choice: "none" } : {}),
    ...(form === "whole" ? { stream: false } : {}),
  };
}

function itemOf(response: JsonObject): JsonObject {
  const texts = asObjects(response["output"])
    .filter(({ type }) => type === "message")
    .flatMap(({ content }) => asObjects(content).map((part) => asText(part["text"])));
  return compactionItem(`cmp_gw${asText(response["id"]).replace(/^resp_/, "")}`, texts.join("\n"));
}
