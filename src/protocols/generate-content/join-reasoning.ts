import type { Message, Part, ReasoningPart } from "../../conversation/request.ts";

/**
 * Thoughts that were streamed come back as the pieces in which they were sent, often each a content of
 * its own, and the state that vouches for them follows on an empty piece. State binds the whole text, so
 * the pieces before it are one thought again. Pieces without state stay as they are.
 */
export function joinThoughts(messages: readonly Message[]): readonly Message[] {
  let pieces: ReasoningPart[] = [];
  const joined = new Set<Part>();
  const whole = messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => {
      if (message.role !== "assistant" || part.kind !== "reasoning") {
        pieces = [];
        return part;
      }
      if (part.opaque === undefined) {
        pieces.push(part);
        return part;
      }
      const before = part.text === "" ? pieces : [];
      pieces = [];
      for (const piece of before) joined.add(piece);
      return { ...part, text: before.map(({ text }) => text).join("") };
    }),
  }));
  if (joined.size === 0) return messages;
  return whole
    .map((message) => ({ ...message, parts: message.parts.filter((part) => !joined.has(part)) }))
    .filter(({ parts }, index) => parts.length > 0 || messages[index]?.parts.length === 0);
}
