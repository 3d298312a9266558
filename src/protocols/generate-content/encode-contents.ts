import type { LossList } from "../../conversation/loss.ts";
import { alternatingTurns } from "../../conversation/lower/alternating-turns.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import type { ChatRequest, Part, ToolResultPart } from "../../conversation/request.ts";
import type { JsonObject } from "../json.ts";
import { NO_STATE } from "./decode-parts.ts";
import { encodeMedia } from "./encode-media.ts";
import { encodeCall } from "./encode-parts.ts";
import { encodeResult } from "./tool-results.ts";

/** The instructions as parts; empty ones are refused by the vendor. */
export function encodeSystem({ system }: ChatRequest): readonly JsonObject[] {
  return system.filter(({ text }) => text !== "").map(({ text }) => ({ text }));
}

/** The conversation as alternating contents (rules 23 and 32). Throws RefusedField. */
export function encodeContents(
  request: ChatRequest,
  target: EncodeTarget,
  losses: LossList,
): readonly JsonObject[] {
  const own = request.protocol === "generate-content";
  return alternatingTurns(request, losses).map(({ role, parts }) => {
    const encode = (part: Part): readonly JsonObject[] => encodePart(part, own, losses);
    if (role === "user") return { role: "user", parts: encodeUser(parts, own, losses) };
    return { role: "model", parts: vouched(parts, target).flatMap(encode) };
  });
}

function encodePart(part: Part, own: boolean, losses: LossList): readonly JsonObject[] {
  switch (part.kind) {
    case "text":
      return [{ text: part.text, ...stateOf(part) }];
    case "media":
      return [{ ...encodeMedia(part, own, losses), ...stateOf(part) }];
    case "reasoning":
      return [{ text: part.text, thought: true, ...stateOf(part) }];
    case "tool-call": {
      const call = encodeCall(part);
      // A call that was cut short was never made; its result, if any, still finds it.
      if (call === undefined) losses.field("messages", "weakened");
      return [{ functionCall: call ?? { id: part.id, name: part.name, args: {} }, ...stateOf(part) }];
    }
    case "tool-result":
      return [{ functionResponse: encodeToolResult(part, own, losses) }];
    case "foreign":
      return [part.value];
  }
}

function encodeToolResult(part: ToolResultPart, own: boolean, losses: LossList): JsonObject {
  const text = part.parts.flatMap((inner) => (inner.kind === "text" ? [inner.text] : [])).join("\n");
  const shown = part.parts.filter((inner) => inner.kind === "media");
  const inside = own ? shown.map((media) => encodeMedia(media, own, losses)) : [];
  return {
    id: part.callId,
    // The name is a must, and every call has one: a result of no known call keeps at least its id's word.
    name: part.name ?? part.callId,
    response: encodeResult({ text, isError: part.isError }),
    parts: inside.length === 0 ? undefined : inside,
  };
}

/**
 * Media of results follow them in the same content, because only the newest models accept media inside results (rule
 * 25).
 */
function encodeUser(parts: readonly Part[], own: boolean, losses: LossList): readonly JsonObject[] {
  const results = parts.filter((part) => part.kind === "tool-result");
  const shown = own ? [] : results.flatMap((result) => shownBy(result, losses));
  const said = parts.filter((part) => part.kind !== "tool-result");
  const encode = (part: Part): readonly JsonObject[] => encodePart(part, own, losses);
  return [...results.flatMap(encode), ...shown, ...said.flatMap(encode)];
}

function shownBy(result: ToolResultPart, losses: LossList): readonly JsonObject[] {
  const media = result.parts.filter((inner) => inner.kind === "media");
  if (media.length === 0) return [];
  const inner = media.map((part) => encodeMedia(part, false, losses));
  return [{ text: `Shown by ${result.name ?? result.callId}:` }, ...inner];
}

/**
 * Models with levels are those that refuse a step whose first call has no signature (rule 37); the vendor
 * gives a word for calls that it never signed.
 */
function vouched(parts: readonly Part[], { quirks, origin }: EncodeTarget): readonly Part[] {
  if (quirks.thinking !== "level") return parts;
  const first = parts.findIndex((part) => part.kind === "tool-call");
  return parts.map((part, index) =>
    index === first && part.kind === "tool-call" && part.opaque === undefined
      ? { ...part, opaque: { origin, value: NO_STATE } }
      : part,
  );
}

/** State that still stands is the target's own, so it goes back as that vendor wrote it. */
function stateOf(part: { readonly opaque?: { readonly value: string } | undefined }): JsonObject {
  return part.opaque === undefined ? {} : { thoughtSignature: part.opaque.value };
}
