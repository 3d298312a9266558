import type { ChatProtocol } from "../../../src/conversation/protocol-name.ts";
import { chatCompletionsFaults } from "./chat-completions.ts";
import type { SentFrame } from "./faults.ts";
import { generateContentFaults } from "./generate-content.ts";
import { messagesFaults } from "./messages.ts";
import { responsesFaults } from "./responses.ts";

/**
 * The faults of a stream in the eyes of the protocol's callers, written apart from the product; [] if there are none.
 */
export function streamFaults(protocol: ChatProtocol, frames: readonly SentFrame[]): readonly string[] {
  return GRAMMARS[protocol](frames);
}

const GRAMMARS: Readonly<Record<ChatProtocol, (frames: readonly SentFrame[]) => readonly string[]>> = {
  "chat-completions": chatCompletionsFaults,
  responses: responsesFaults,
  messages: messagesFaults,
  "generate-content": generateContentFaults,
};
