import type { BodyScan } from "../../base/json/json-scan.ts";
import { GatewayError } from "../../errors.ts";
import { compactionItem } from "../../protocols/compaction.ts";
import type { EndpointTable } from "../../protocols/endpoint-table.ts";
import { asObject, asObjects, asText, type JsonObject } from "../../protocols/json.ts";
import type { CompactionForm } from "../../relay/text-request.ts";
import type { Adapter } from "./adapted-response.ts";
import { ASK, blockCompaction } from "./compaction-block.ts";

/** The compaction that a request asks for; undefined = none. `hasTrigger`: its bytes hold the word of an item that asks. */
export function readCompactionForm(
  { compactField }: EndpointTable,
  scan: BodyScan,
  body: readonly Buffer[],
  hasTrigger: boolean,
): CompactionForm | undefined {
  if (compactField !== undefined)
    return scan.last(compactField.path)?.value === compactField.value ? "field" : undefined;
  return hasTrigger && asksToCompact(body) ? "item" : undefined;
}

/** The gateway's own way to answer it, for models whose upstreams have none. */
export function ownCompaction(form: CompactionForm): Adapter {
  return form === "field" ? blockCompaction() : compaction(form === "call" ? "whole" : "response");
}

/** The item by which clients ask for it at the end of an ordinary request's input. */
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

/** True if the word is an item's type: it may as well be somebody's text. */
function asksToCompact(body: readonly Buffer[]): boolean {
  const asked = asObject(JSON.parse(Buffer.concat(body).toString("utf8")));
  return asObjects(asked?.["input"]).some(({ type }) => type === "compaction_trigger");
}

/**
 * Compaction for models whose upstreams have none: one request for a summary, whose response becomes the one item that clients
 * send back in the conversation's place. `whole`: the response of `/v1/responses/compact`; else that of a response, maybe streamed.
 */
function compaction(form: "whole" | "response"): Adapter {
  // Some servers' last event leaves out what the events before it held.
  let heard = "";
  return {
    request: (body) => requestOf(body, form),
    plain(response) {
      if (form === "response" && response["status"] === "incomplete") return { ...response, output: [] };
      const output = [itemOf(response, summaryIn(response) ?? refuse())];
      if (form === "response") return { ...response, output };
      const { id, created_at, usage } = response;
      return { id, object: "response.compaction", created_at, output, usage };
    },
    event(event) {
      const type = asText(event["type"]);
      if (type === "response.output_text.delta") heard += asText(event["delta"]);
      if (!ENDS.has(type)) return PASSED.has(type) ? [event] : [];
      const response = asObject(event["response"]) ?? {};
      if (response["status"] === "incomplete") return [{ ...event, response: { ...response, output: [] } }];
      const summary = summaryIn(response, heard);
      if (summary === undefined) return [failed(response)];
      const item = itemOf(response, summary);
      const at = { output_index: 0, item };
      return [
        { type: "response.output_item.added", sequence_number: 2, ...at },
        { type: "response.output_item.done", sequence_number: 3, ...at },
        {
          type: "response.completed",
          sequence_number: 4,
          response: { ...response, status: "completed", incomplete_details: null, output: [item] },
        },
      ];
    },
  };
}

/** The events before the item, and those that end a response without one. */
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
    tool_choice: Array.isArray(rest["tools"]) && rest["tools"].length > 0 ? "none" : undefined,
    stream: form === "whole" ? false : rest["stream"],
  };
}

function itemOf({ id }: JsonObject, summary: string): JsonObject {
  return compactionItem(`cmp_gw${asText(id).replace(/^resp_/, "")}`, summary);
}

/**
 * The words of a response that can stand in the conversation's place. undefined = it has none, as it is cut, filtered, refused or
 * without a word: whoever went on from it would have forgotten what it was about.
 */
function summaryIn(response: JsonObject, heard = ""): string | undefined {
  const texts = asObjects(response["output"])
    .filter(({ type }) => type === "message")
    .flatMap(({ content }) => asObjects(content));
  const isWhole = response["status"] === "completed" && texts.every(({ type }) => type !== "refusal");
  const words = texts.length === 0 ? heard : texts.map(({ text }) => asText(text)).join("\n");
  return isWhole && words.trim() !== "" ? words : undefined;
}

const NO_SUMMARY = "The model didn't complete the summary, so the conversation was not compacted. Try again.";

function refuse(): never {
  throw new GatewayError("upstream_error", NO_SUMMARY);
}

function failed(response: JsonObject): JsonObject {
  const error = { code: "upstream_error", message: NO_SUMMARY };
  return {
    type: "response.failed",
    sequence_number: 2,
    response: { ...response, status: "failed", incomplete_details: null, error, output: [] },
  };
}
