import type { ProtocolCapabilities } from "../../conversation/capabilities.ts";

/** What generateContent has slots for. */
export const generateContentCapabilities: ProtocolCapabilities = {
  protocol: "generate-content",
  slots: new Set([
    "system",
    "messages",
    "media",
    "reasoningState",
    "thoughts",
    "isError",
    "tools",
    "toolChoice",
    "temperature",
    "topP",
    "topK",
    "seed",
    "presencePenalty",
    "frequencyPenalty",
    "maxOutputTokens",
    "stop",
    "reasoning",
    "responseFormat",
  ]),
  toolNames: { maxLength: 128, also: ".:", beginsWithLetter: true },
  // No limit is stated; this one keeps ids from growing without bound.
  callIds: { maxLength: 256, also: "any" },
  maxStops: 5,
  customTools: false,
  namespaces: false,
  // `candidateCount` exists, but most models answer 400 to more than one.
  manyAnswers: false,
  prefill: "continue",
  media: {
    inline: ["image", "audio", "video", "document"],
    byUrl: ["image", "audio", "video", "document"],
    schemes: ["https:"],
  },
  assistantMedia: true,
  responseMedia: ["image", "audio", "video", "document"],
  argumentsAs: "object",
  blocksInTurn: false,
  stateSlots: ["text", "media", "tool-call"],
  reasoningRideOn: ["tool-call", "text"],
  stateAfterWords: true,
  responseCitations: "any",
};
