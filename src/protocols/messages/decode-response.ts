import { textOfArguments } from "../../conversation/adapt/whole-calls.ts";
import { makeCallId } from "../../conversation/lower/names.ts";
import type { ResponsePlan } from "../../conversation/lower/plan.ts";
import type { ToolCallPart } from "../../conversation/request.ts";
import type { ChatResponse, ResponsePart } from "../../conversation/response.ts";
import { decodeStatedError } from "../errors/upstream-error.ts";
import { asName, asObject, asObjects, asText, type JsonObject } from "../json.ts";
import type { DecodedResponse } from "../translation.ts";
import { decodeCitation } from "./citations.ts";
import { decodeFinish } from "./finish.ts";
import { isSigned } from "./signature.ts";
import { messagesUsage } from "./usage.ts";

/**
 * Reads an upstream's plain messages answer; no response at all is an error. An empty one is valid (rule 33), be its
 * content an empty list or, as some servers write it, null.
 */
export function decodeResponse(raw: unknown, plan: ResponsePlan): DecodedResponse {
  const body = asObject(raw);
  const content = body?.["content"] ?? [];
  if (body === undefined || !Array.isArray(content)) return { error: decodeStatedError(raw) };
  const { error, usage } = messagesUsage.readPlain(body);
  if (error !== undefined) return { error };
  const parts = asObjects(content).flatMap((block, index) => decodeBlock(block, index, plan));
  const response: ChatResponse = {
    id: asName(body["id"]),
    model: asName(body["model"]),
    choices: [{ parts, finish: decodeFinish(body) }],
    usage,
  };
  return { response };
}

function decodeBlock(block: JsonObject, index: number, plan: ResponsePlan): readonly ResponsePart[] {
  const { origin } = plan;
  switch (block["type"]) {
    case "text": {
      const citations = asObjects(block["citations"]).map(decodeCitation);
      const text = asText(block["text"]);
      return [{ kind: "text", text, citations: citations.length === 0 ? undefined : citations }];
    }
    case "thinking": {
      const value = asText(block["signature"]);
      const state = isSigned(value) ? { opaque: { origin, value } } : {};
      return [{ kind: "reasoning", text: asText(block["thinking"]), ...state }];
    }
    case "redacted_thinking":
      return [
        { kind: "reasoning", text: "", redacted: true, opaque: { origin, value: asText(block["data"]) } },
      ];
    case "tool_use":
      return [
        {
          kind: "tool-call",
          id: asText(block["id"]) || makeCallId(plan.seed, index),
          name: asText(block["name"]),
          arguments: textOfArguments(block["input"]),
          ...calledByCode(block),
        },
      ];
    default:
      return [foreignBlock(block, index)];
  }
}

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/programmatic-tool-calling: `caller` is `direct` or code. */
export function calledByCode(block: JsonObject): Pick<ToolCallPart, "byCode"> {
  const caller = asObject(block["caller"]);
  return caller === undefined || caller["type"] === "direct" ? {} : { byCode: caller };
}

/** A block of the vendor's own tools; the response stands without it. */
export function foreignBlock(value: JsonObject, index: number): ResponsePart & { readonly kind: "foreign" } {
  return { kind: "foreign", protocol: "messages", value, ifUnsupported: "drop", path: `content[${index}]` };
}
