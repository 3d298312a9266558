import { appendAll } from "../../base/append-all.ts";
import { textOfArguments } from "../../conversation/adapt/whole-calls.ts";
import { makeCallId } from "../../conversation/lower/names.ts";
import type { ResponsePlan } from "../../conversation/lower/plan.ts";
import type { ForeignPart, ToolCallPart } from "../../conversation/request.ts";
import type { ChatResponse, ResponsePart } from "../../conversation/response.ts";
import { decodeStatedError } from "../errors/upstream-error.ts";
import { asName, asObject, asObjects, asText, type JsonObject } from "../json.ts";
import type { DecodedResponse } from "../translation.ts";
import { decodeAnnotation, decodeImageCall } from "./decode-parts.ts";
import { decodeFinish } from "./finish.ts";
import { decodeReasoningItem } from "./reasoning-item.ts";
import { responsesUsage } from "./usage.ts";

/** Reads an upstream's plain response, whatever it is. */
export function decodeResponse(raw: unknown, plan: ResponsePlan): DecodedResponse {
  const body = asObject(Array.isArray(raw) ? raw[0] : raw) ?? {};
  const { error, failed, usage } = responsesUsage.readPlain(body);
  if (error !== undefined) return { error };
  if (failed)
    return { error: decodeStatedError({ error: { message: "The upstream's response has no output." } }) };
  const parts: ResponsePart[] = [];
  for (const [index, item] of asObjects(body["output"]).entries()) {
    appendAll(parts, decodeItem(item, index, parts.length, plan));
  }
  const response: ChatResponse = {
    ...decodeHead(body),
    choices: [{ parts, finish: decodeFinish(body) }],
    usage,
  };
  return { response };
}

/** The fields that a response has about itself. */
export function decodeHead(body: JsonObject): Pick<ChatResponse, "id" | "model" | "created"> {
  const { id, model, created_at: created } = body;
  return {
    id: asName(id),
    model: asName(model),
    created: typeof created === "number" && Number.isFinite(created) ? Math.floor(created) : undefined,
  };
}

/** `index`: the item's place in the output; `block`: its place among all parts. Empty items are nothing. */
function decodeItem(
  item: JsonObject,
  index: number,
  block: number,
  plan: ResponsePlan,
): readonly ResponsePart[] {
  switch (item["type"]) {
    case "message":
      return asObjects(item["content"]).flatMap(decodeContent);
    case "reasoning":
      return decodeReasoningItem(item, plan.origin);
    case "function_call":
    case "custom_tool_call": {
      const { id, ...head } = decodeCallHead(item);
      const call: ToolCallPart = {
        kind: "tool-call",
        id: id === "" ? makeCallId(plan.seed, block) : id,
        ...head,
        arguments: argumentsOf(item),
      };
      return [call];
    }
    default:
      return [decodeImageCall(item) ?? foreignOutput(item, index)];
  }
}

function decodeContent(part: JsonObject): readonly ResponsePart[] {
  const refusal = asText(part["refusal"]);
  if (refusal !== "") return [{ kind: "text", text: refusal, refusal: true }];
  const text = asText(part["text"]);
  if (text === "") return [];
  const citations = asObjects(part["annotations"]).map(decodeAnnotation);
  return [{ kind: "text", text, citations: citations.length === 0 ? undefined : citations }];
}

/** The function that is called; `id` is "" if the vendor left it out. */
export function decodeCallHead(item: JsonObject): {
  readonly id: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly custom?: true | undefined;
} {
  const namespace = asText(item["namespace"]);
  return {
    id: asText(item["call_id"]) || asText(item["id"]),
    name: asText(item["name"]),
    namespace: namespace === "" ? undefined : namespace,
    custom: item["type"] === "custom_tool_call" ? true : undefined,
  };
}

export function argumentsOf(item: JsonObject): string {
  return textOfArguments(item["type"] === "custom_tool_call" ? item["input"] : item["arguments"]);
}

/** Output of the vendor's own tools, for callers who know it. */
export function foreignOutput(item: JsonObject, index: number): ForeignPart {
  return {
    kind: "foreign",
    protocol: "responses",
    value: item,
    ifUnsupported: "drop",
    path: `output[${index}]`,
  };
}
