import type { ProtocolTraits } from "../../conversation/traits.ts";
import { isCompiled, sizeOf } from "./schema-size.ts";

/** What messages has slots for. */
export const messagesTraits: ProtocolTraits = {
  protocol: "messages",
  slots: new Set([
    "system",
    "messages",
    "media",
    "mediaName",
    "reasoningState",
    "thoughts",
    "cache",
    "citations",
    "isError",
    "tools",
    "toolChoice",
    "parallelToolCalls",
    "strict",
    "temperature",
    "topP",
    "topK",
    "maxOutputTokens",
    "stop",
    "reasoning",
    "responseFormat",
    "user",
  ]),
  toolNames: { maxLength: 128, also: "" },
  // No length is stated; what is longer than this is state that a vendor packed into an id.
  callIds: { maxLength: 256, also: "" },
  // The vendor's schema allows no more.
  maxUserLength: 512,
  maxStops: Number.POSITIVE_INFINITY,
  customTools: false,
  namespaces: false,
  manyAnswers: false,
  jsonWord: "always",
  takesSchema: (schema) => isCompiled(sizeOf(schema)),
  prefill: "continue",
  media: {
    inline: ["image", "document"],
    byUrl: ["image", "document"],
    schemes: ["https:"],
    documentTypes: ["application/pdf"],
  },
  assistantMedia: false,
  answerMedia: [],
  blocksInTurn: true,
  stateSlots: ["reasoning"],
  stateAfterWords: false,
  answerCitations: "urls",
};
