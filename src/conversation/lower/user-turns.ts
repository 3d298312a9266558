import { MessageRun } from "../message-run.ts";
import type { Message } from "../request.ts";

/**
 * The same messages, in which each of the user's knows whether its caller put it right behind another one. To be asked before
 * any message is moved, added or left out.
 */
export function markConsecutiveUserMessages(messages: readonly Message[]): readonly Message[] {
  return messages.map((message, index) =>
    isUserMessage(message) && isUserMessage(messages[index - 1])
      ? { ...message, followsUser: true }
      : message,
  );
}

/**
 * Without two messages of the user's in a row, which many chat vendors refuse, but for those of the caller's own: what the
 * results of tools show, what the assistant made, and what was said on both sides of a turn that is lost are one message
 * with what follows.
 */
export function joinedUserMessages(messages: readonly Message[]): readonly Message[] {
  const run = new MessageRun();
  for (const message of messages) {
    if (joinsPrevious(run, message)) run.grow(message.parts, message.name);
    else run.push(message);
  }
  return run.messages;
}

function joinsPrevious({ last, endsInResults }: MessageRun, next: Message): boolean {
  if (last?.role !== "user" || next.role !== "user") return false;
  if (last.parts.length > 0 && endsInResults) return true;
  return isUserMessage(next) && !holdsResult(next) && next.followsUser !== true && last.name === next.name;
}

/** Results alone are no message of the user's. */
function isUserMessage(message: Message | undefined): boolean {
  if (message?.role !== "user") return false;
  return message.parts.length === 0 || message.parts.some(({ kind }) => kind !== "tool-result");
}

function holdsResult({ parts }: Message): boolean {
  return parts.some(({ kind }) => kind === "tool-result");
}
