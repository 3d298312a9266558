import { appendAll } from "../../base/append-all.ts";
import type { MediaPart, Message, Part, TextPart, ToolCallPart } from "../request.ts";
import { asPart, splitState } from "./attached-reasoning.ts";
import { OF_MEDIA, OF_REASONING, type Opaque } from "./opaque.ts";

/**
 * State that stood beside its call, text or media for want of a slot goes back onto it, wherever in the turn clients
 * have put it since: some send all thoughts first. Thoughts whose state rode on what followed them stand in their
 * place again. A turn is what the assistant said in a row: some clients keep each piece of a stream as a message.
 */
export function attachState(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(({ parts }) => parts.some((part) => isDetachedState(part) || carriesReasoning(part))))
    return messages;
  const parts = messages.map((message): readonly Part[] => message.parts);
  for (let from = 0; from < messages.length; from += 1) {
    if (messages[from]?.role !== "assistant") continue;
    let to = from + 1;
    while (messages[to]?.role === "assistant") to += 1;
    const turn = parts.slice(from, to).flatMap((said, at) => said.map((part) => ({ at: from + at, part })));
    const restored = restoreAttachedReasoning(restoreDetachedState(turn));
    for (let at = from; at < to; at += 1) {
      parts[at] = restored.filter((placed) => placed.at === at).map(({ part }) => part);
    }
    from = to;
  }
  return messages.map((message, at) => ({ ...message, parts: parts[at] ?? [] }));
}

/** A part of the message with this number. */
interface Placed {
  readonly at: number;
  readonly part: Part;
}

type Owner = TextPart | MediaPart | ToolCallPart;

function restoreDetachedState(turn: readonly Placed[]): readonly Placed[] {
  const all = [...turn];
  for (const [index, { part }] of turn.entries()) {
    if (!isDetachedState(part)) continue;
    const { origin, value, of = "" } = part.opaque;
    const bare = (placed: Placed): boolean => isOwner(placed.part, of) && placed.part.opaque === undefined;
    const before = all.slice(0, index).findLastIndex(bare);
    const found = before === -1 ? all.findIndex(bare) : before;
    const owner = all[found];
    if (owner !== undefined)
      all[found] = { ...owner, part: withState(owner.part as Owner, { origin, value }) };
  }
  return all.filter(({ part }) => !isDetachedState(part));
}

function restoreAttachedReasoning(turn: readonly Placed[]): readonly Placed[] {
  let out: Placed[] = [];
  /** The first position for the state that the next carrier carries. */
  let from = 0;
  for (const placed of turn) {
    const split = carriesReasoning(placed.part) ? splitState(placed.part.opaque) : undefined;
    if (split === undefined || !carriesReasoning(placed.part)) {
      out.push(placed);
      continue;
    }
    const reasoning = split.reasoning.map((reasoning) => ({ reasoning, part: asPart(reasoning) }));
    // Clients that keep thoughts have sent the same words without their state.
    if (reasoning.length > 0)
      out = [...out.slice(0, from), ...out.slice(from).filter(isNotUnsignedReasoning)];
    const words = Math.max(from, 1 + out.findLastIndex(({ part }) => part.kind !== "text"));
    const ahead = reasoning.filter(({ reasoning }) => reasoning.beforeWords).map(({ part }) => part);
    const close = reasoning.filter(({ reasoning }) => !reasoning.beforeWords).map(({ part }) => part);
    const opening = out[words]?.at ?? placed.at;
    out.splice(words, 0, ...ahead.map((part) => ({ at: opening, part })));
    appendAll(
      out,
      close.map((part) => ({ at: placed.at, part })),
    );
    const carrier = withState(placed.part, split.state);
    if (carrier.kind !== "text" || carrier.text !== "" || carrier.opaque !== undefined) {
      out.push({ at: placed.at, part: carrier });
    }
    from = out.length;
  }
  return out;
}

function withState(owner: Owner, opaque: Opaque | undefined): Owner {
  const { opaque: _, ...bare } = owner;
  return opaque === undefined ? bare : { ...bare, opaque };
}

/** A thought that holds what was taken off another part, and nothing else. */
function isDetachedState(part: Part): part is Part & { readonly kind: "reasoning"; readonly opaque: Opaque } {
  return part.kind === "reasoning" && part.opaque?.of !== undefined;
}

function carriesReasoning(part: Part): part is Owner & { readonly opaque: Opaque } {
  return isOwnerKind(part) && part.opaque?.of === OF_REASONING;
}

function isNotUnsignedReasoning({ part }: Placed): boolean {
  return part.kind !== "reasoning" || part.opaque !== undefined;
}

function isOwner(part: Part, of: string): part is Owner {
  if (of === "") return part.kind === "text";
  if (of === OF_MEDIA) return part.kind === "media";
  return part.kind === "tool-call" && part.id === of;
}

function isOwnerKind(part: Part): part is Owner {
  return part.kind === "text" || part.kind === "media" || part.kind === "tool-call";
}
