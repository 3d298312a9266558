import { appendAll } from "../../base/append-all.ts";
import type { ResponseFrame } from "../../conversation/lower/plan.ts";
import type { ChatResponse, Choice, Finish } from "../../conversation/response.ts";
import type { TokenUsage } from "../../usage/usage.ts";
import type { JsonObject } from "../json.ts";
import { encodeResponsePart, isBeside } from "./encode-parts.ts";
import { encodeUsage } from "./encode-usage.ts";
import { encodeBlock, encodeFinish } from "./finish.ts";
import { type CitedText, encodeGrounding } from "./grounding.ts";

/** Writes a caller's plain response. */
export function encodeResponse(response: ChatResponse, frame: ResponseFrame): JsonObject {
  const [first] = response.choices;
  const blocked = first?.parts.length === 0 ? encodeBlock(first.finish) : undefined;
  return {
    candidates: blocked === undefined ? response.choices.map(encodeCandidate) : undefined,
    promptFeedback: blocked === undefined ? undefined : encodeFeedback(blocked, first?.finish),
    ...encodeHead(response.model, response.usage?.tokens, frame),
  };
}

/** The last fields of a response and of each chunk. */
export function encodeHead(
  model: string | undefined,
  usage: TokenUsage | undefined,
  frame: ResponseFrame,
): JsonObject {
  return {
    usageMetadata: usage === undefined ? undefined : encodeUsage(usage),
    modelVersion: model ?? frame.model,
    responseId: frame.id,
  };
}

export function encodeFeedback(blockReason: string, finish: Finish | undefined): JsonObject {
  return { blockReason, blockReasonMessage: finish?.message };
}

function encodeCandidate({ parts: told, finish }: Choice, index: number): JsonObject {
  const parts: JsonObject[] = [];
  const texts: CitedText[] = [];
  let beside: JsonObject = {};
  for (const part of told) {
    if (part.kind === "foreign" && isBeside(part.value)) beside = { ...beside, ...part.value };
    if (part.kind === "text" && part.citations !== undefined) {
      texts.push({ part: parts.length, text: part.text, citations: part.citations });
    }
    appendAll(parts, encodeResponsePart(part));
  }
  return {
    content: { parts: parts.length === 0 ? [NOTHING] : parts, role: "model" },
    ...encodeEnd(finish),
    index,
    ...encodeSources(texts, beside),
  };
}

/** Why a candidate ended. */
export function encodeEnd(finish: Finish): JsonObject {
  return {
    finishReason: encodeFinish(finish),
    finishMessage: finish.message,
  };
}

/** The vendor's own account of its sources, else what others cite. */
export function encodeSources(texts: readonly CitedText[], beside: JsonObject): JsonObject {
  if ("groundingMetadata" in beside) return beside;
  const groundingMetadata = encodeGrounding(texts);
  return groundingMetadata === undefined ? beside : { ...beside, groundingMetadata };
}

/** A content without parts cannot be sent back; the vendor itself ends streams with this one. */
export const NOTHING: JsonObject = { text: "" };
