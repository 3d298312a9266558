import { OF_MEDIA } from "./opaque.ts";
import type { Message, Part } from "./request.ts";

/** State that stood beside its call or text, for want of a slot, goes back onto it. */
export function withOwnState(message: Message): Message {
  if (!message.parts.some((part) => part.kind === "reasoning" && part.opaque?.of !== undefined))
    return message;
  const parts: Part[] = [];
  for (const part of message.parts) {
    const opaque = part.kind === "reasoning" ? part.opaque : undefined;
    if (opaque?.of === undefined) {
      parts.push(part);
      continue;
    }
    const at = parts.findLastIndex((owner) => isOwner(owner, opaque.of));
    const owner = parts[at];
    if (owner?.kind === "text" || owner?.kind === "media" || owner?.kind === "tool-call") {
      parts[at] = { ...owner, opaque: { origin: opaque.origin, value: opaque.value } };
    }
  }
  return { ...message, parts };
}

function isOwner(part: Part, of: string | undefined): boolean {
  if (of === "") return part.kind === "text";
  if (of === OF_MEDIA) return part.kind === "media";
  return part.kind === "tool-call" && part.id === of;
}
