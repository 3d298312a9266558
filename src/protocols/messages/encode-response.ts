import type { ResponseFrame } from "../../conversation/lower/plan.ts";
import type { ToolCallPart } from "../../conversation/request.ts";
import type { ChatResponse, Choice, ResponsePart } from "../../conversation/response.ts";
import type { JsonObject } from "../json.ts";
import { encodeCitation } from "./citations.ts";
import { readInput } from "./encode-parts.ts";
import { encodeUsage } from "./encode-usage.ts";
import { encodeFinish } from "./finish.ts";
import { encodeSignature, encodeWordless } from "./signature.ts";

/** Writes a plain messages answer. There is one choice; callers cannot ask for more. */
export function encodeResponse(response: ChatResponse, frame: ResponseFrame): JsonObject {
  const { parts, finish } = response.choices[0] ?? NO_CHOICE;
  return {
    ...messageHead(frame, response.model),
    content: parts.flatMap(encodeBlock),
    ...encodeFinish(
      finish,
      parts.some((part) => part.kind === "text" && part.refusal === true),
    ),
    container: null,
    usage: encodeUsage(response.usage?.tokens ?? {}),
  };
}

/** The first fields of a plain response and of a stream's `message_start`. */
export function messageHead(frame: ResponseFrame, model: string | undefined): JsonObject {
  return { id: `msg_${frame.id}`, type: "message", role: "assistant", model: model ?? frame.model };
}

function encodeBlock(part: ResponsePart): readonly JsonObject[] {
  switch (part.kind) {
    case "text": {
      // Callers send blocks back, and empty texts are refused then (rule 33).
      if (part.text === "") return [];
      const citations = (part.citations ?? []).flatMap((citation) => encodeCitation(citation) ?? []);
      return [{ type: "text", text: part.text, citations: citations.length === 0 ? undefined : citations }];
    }
    case "reasoning": {
      const { text, opaque, redacted } = part;
      if (text !== "") return [{ type: "thinking", thinking: text, signature: encodeSignature(opaque) }];
      return opaque === undefined ? [] : [encodeWordless(opaque, redacted === true)];
    }
    case "tool-call":
      return [{ ...callBlock(part), input: readInput(part.arguments) ?? {} }];
    case "foreign":
      return [part.value];
    case "media":
      return [];
  }
}

/** A call before its arguments; unless code of the vendor's made it, the model itself called. */
export function callBlock({ id, name, byCode }: Pick<ToolCallPart, "id" | "name" | "byCode">): JsonObject {
  return { type: "tool_use", id, name, input: {}, caller: byCode ?? { type: "direct" } };
}

const NO_CHOICE: Choice = { parts: [], finish: { unified: "other", protocol: "messages" } };
