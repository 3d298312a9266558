import type { ProtocolTraits } from "../../conversation/traits.ts";

/** What chat completions has slots for. */
export const chatCompletionsTraits: ProtocolTraits = {
  protocol: "chat-completions",
  slots: new Set([
    "system",
    "messages",
    "name",
    "media",
    "mediaName",
    "detail",
    "tools",
    "toolChoice",
    "parallelToolCalls",
    "strict",
    "temperature",
    "topP",
    "seed",
    "presencePenalty",
    "frequencyPenalty",
    "maxOutputTokens",
    "stop",
    "reasoning",
    "responseFormat",
    "verbosity",
    "user",
    "cacheKey",
    "n",
  ]),
  toolNames: { maxLength: 64, also: "" },
  callIds: { maxLength: 64, also: "any" },
  // The vendor refuses more, and Claude Code sends 150.
  maxUserLength: 64,
  maxStops: 4,
  // The vendor that invented this protocol knows custom tools; the many that took it over do not.
  customTools: false,
  namespaces: false,
  manyAnswers: true,
  jsonWord: "anywhere",
  prefill: "refuse",
  media: { inline: ["image", "audio", "document"], byUrl: ["image"], schemes: ["https:", "http:"] },
  // No slot in the first vendor's schema; `images` is what the others write and clients read.
  answerMedia: ["image"],
  blocksInTurn: false,
  stateSlots: ["tool-call", "thought-before-call"],
  stateAfterWords: false,
  answerCitations: "urls",
};
