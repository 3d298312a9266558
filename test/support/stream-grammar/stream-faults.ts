import type { ChatProtocol } from "../../../src/conversation/protocol-name.ts";
import { chatCompletionsFaults } from "./chat-completions.ts";
import type { SentFrame } from "./faults.ts";
import { generateContentFaults } from "./generate-content.ts";
import { messagesFaults } from "./messages.ts";
import { responsesFaults } from "./responses.ts";

/** What is wrong with a stream as callers of the protocol know it, written apart from the product; [] where nothing is. */
export function streamFaults(protocol: ChatProtocol, frames: readonly SentFrame[]): readonly string[] {
  return GRAMMARS[protocol](frames);
}

const GRAMMARS: Readonly<Record<ChatProtocol, (frames: readonly SentFrame[]) => readonly string[]>> = {
  "chat-completions": chatCompletionsFaults,
  responses: responsesFaults,
  messages: messagesFaults,
  "generate-content": generateContentFaults,
};
