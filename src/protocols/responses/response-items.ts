import type { ResponseFrame } from "../../conversation/lower/plan.ts";
import type { Citation, MediaPart, ToolCallPart } from "../../conversation/request.ts";
import type { JsonObject } from "../json.ts";
import { encodeAnnotation, encodeImageCall } from "./encode-parts.ts";
import { itemId } from "./reasoning-item.ts";

/** The items of a response, plain and streamed alike. */

export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** `index`: the item's place in the output, which makes the id unique. */
export function responseItemId(prefix: string, frame: ResponseFrame, index: number): string {
  return itemId(prefix, `${frame.id}_${index}`);
}

export function messageItem(id: string, content: readonly JsonObject[], status: ItemStatus): JsonObject {
  return { type: "message", id, role: "assistant", status, content };
}

/** A text as a part of a message. */
export function contentPart(text: string, refusal: boolean, citations: readonly Citation[] = []): JsonObject {
  if (refusal) return { type: "refusal", refusal: text };
  return { type: "output_text", text, annotations: citations.map(encodeAnnotation), logprobs: [] };
}

export type CallHead = Pick<ToolCallPart, "id" | "name"> & {
  readonly namespace?: string | undefined;
  readonly custom?: true | undefined;
};

export function callItem(id: string, call: CallHead, text: string, status: ItemStatus): JsonObject {
  const called = {
    id,
    call_id: call.id,
    name: call.name,
    namespace: call.namespace,
    status,
  };
  return call.custom
    ? { type: "custom_tool_call", ...called, input: text }
    : { type: "function_call", ...called, arguments: text };
}

/** A call without arguments is `{}`, which clients parse. */
export function wholeArguments(call: CallHead, text: string): string {
  return text === "" && !call.custom ? "{}" : text;
}

export function callPrefix(call: CallHead): string {
  return call.custom ? "ctc" : "fc";
}

/** An image as the protocol's own are found; undefined where only its address is known. */
export function imageItem(id: string, part: MediaPart): JsonObject | undefined {
  return encodeImageCall(part, id)?.[0];
}

/** An image that lies elsewhere: the item takes bytes only, so its address is said. */
export function imageAddress(part: MediaPart): string {
  return part.source.from === "url" ? `![image](${part.source.url})` : "";
}
