import type { ProtocolTraits } from "../../conversation/traits.ts";

/** What responses has slots for. */
export const responsesTraits: ProtocolTraits = {
  protocol: "responses",
  slots: new Set([
    "system",
    "messages",
    "media",
    "mediaName",
    "detail",
    "reasoningState",
    "isError",
    "tools",
    "toolChoice",
    "parallelToolCalls",
    "strict",
    "temperature",
    "topP",
    "maxOutputTokens",
    "reasoning",
    "responseFormat",
    "verbosity",
    "user",
    "cacheKey",
    "cacheRetention",
  ]),
  // The first vendor takes 128 letters in a declaration, but 64 in a call of an earlier turn.
  toolNames: { maxLength: 64, also: "" },
  callIds: { maxLength: 64, also: "any" },
  // The vendor refuses more, and Claude Code sends 150.
  maxUserLength: 64,
  maxStops: 0,
  customTools: true,
  namespaces: true,
  manyAnswers: false,
  // The first vendor does not look into `instructions`.
  jsonWord: "in-messages",
  prefill: "refuse",
  media: { inline: ["image", "document"], byUrl: ["image", "document"], schemes: ["https:", "http:"] },
  assistantMedia: true,
  answerMedia: ["image"],
  argumentsAs: "text",
  blocksInTurn: true,
  stateSlots: ["reasoning"],
  thoughtsRideOn: [],
  stateAfterWords: true,
  answerCitations: "urls",
};
