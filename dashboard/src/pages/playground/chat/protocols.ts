import { chatCompletions } from "./chat-completions.ts";
import type { Protocol, ProtocolName } from "./conversation.ts";
import { generateContent } from "./generate-content.ts";
import { messages } from "./messages.ts";
import { responses } from "./responses.ts";

/** Every protocol the playground speaks. */
export const PROTOCOLS: Readonly<Record<ProtocolName, Protocol>> = {
  "chat-completions": chatCompletions,
  responses,
  messages,
  "generate-content": generateContent,
};
