import type { StreamRun } from "../adapt/stream-transform.ts";
import type { ChatEvent } from "../event.ts";
import type { LossList } from "../loss.ts";
import type { ProtocolCapabilities } from "../lower/capabilities.ts";
import type { ReasoningPart } from "../request.ts";
import type { ResponsePart } from "../response.ts";
import { type AttachedReasoning, joinState } from "./attached-reasoning.ts";
import { OF_MEDIA, type Opaque } from "./opaque.ts";

/**
 * State in the places where the caller's clients keep it. Where parts have no slot, it stands in a thought beside
 * them: before a call, as vendors of such protocols put what they thought before it; behind words, which are out by
 * the time it is known. Where clients drop thoughts, their state rides on what follows them, and so do thoughts that
 * their model wants back without any. `attach-state.ts` undoes both.
 */
export function placeState(
  parts: readonly ResponsePart[],
  capabilities: ProtocolCapabilities,
  losses: LossList,
): readonly ResponsePart[] {
  return capabilities.reasoningRideOn.length === 0
    ? parts.flatMap((part) => detachState(part, capabilities, losses))
    : attachReasoning(parts, capabilities, losses);
}

function detachState(
  part: ResponsePart,
  capabilities: ProtocolCapabilities,
  losses: LossList,
): readonly ResponsePart[] {
  if (part.kind === "foreign" || part.opaque === undefined || hasSlot(part.kind, capabilities)) return [part];
  const { opaque, ...stateless } = part;
  if (!hasSlot("reasoning", capabilities)) {
    losses.field("reasoningState");
    return [stateless];
  }
  const of = part.kind === "media" ? OF_MEDIA : part.kind === "tool-call" ? part.id : "";
  const reasoning: ReasoningPart = { kind: "reasoning", text: "", opaque: { ...opaque, of } };
  return part.kind === "tool-call" ? [reasoning, stateless] : [stateless, reasoning];
}

function attachReasoning(
  parts: readonly ResponsePart[],
  capabilities: ProtocolCapabilities,
  losses: LossList,
): readonly ResponsePart[] {
  const out: ResponsePart[] = [];
  let attached: readonly AttachedReasoning[] = [];
  let lastText = -1;
  for (const part of parts) {
    switch (part.kind) {
      case "reasoning": {
        const { opaque, redacted, requested, ...words } = part;
        if (words.text !== "") out.push(words);
        if (opaque !== undefined || (requested && words.text !== ""))
          attached = [...attached, attachedReasoning(part.text, redacted === true, opaque)];
        break;
      }
      case "tool-call":
        out.push(withState(part, joinState(part.opaque, attached)));
        attached = [];
        break;
      case "text":
        attached = attached.map(beforeText);
        lastText = out.length;
        out.push(slotted(part, capabilities, losses));
        break;
      case "media":
        out.push(slotted(part, capabilities, losses));
        break;
      case "foreign":
        out.push(part);
    }
  }
  if (attached.length === 0) return out;
  if (!capabilities.reasoningRideOn.includes("text")) {
    if (attached.some(isSigned)) losses.field("reasoningState");
    return out;
  }
  const last = out[lastText];
  if (last?.kind === "text" && attached.every(({ beforeWords }) => beforeWords)) {
    out[lastText] = withState(last, joinState(last.opaque, attached));
    return out;
  }
  const state = joinState(undefined, attached);
  return state === undefined ? out : [...out, { kind: "text", text: "", opaque: state }];
}

/** The same for a stream. */
export function placeStateEvents(
  capabilities: ProtocolCapabilities,
  losses: LossList,
): StreamRun<ChatEvent, ChatEvent> {
  return capabilities.reasoningRideOn.length === 0
    ? detachStateInStream(capabilities, losses)
    : attachReasoningInStream(capabilities, losses);
}

function detachStateInStream(
  capabilities: ProtocolCapabilities,
  losses: LossList,
): StreamRun<ChatEvent, ChatEvent> {
  const owners = new Map<number, { readonly choice: number; readonly of: string }>();
  let beside = 0;
  /** A thought of its own, under a number that no block of the stream has. */
  const reasoning = (opaque: Opaque, choice: number, of: string): readonly ChatEvent[] => {
    if (!hasSlot("reasoning", capabilities)) {
      losses.field("reasoningState");
      return [];
    }
    beside -= 1;
    return [
      { type: "reasoning-start", block: beside, choice },
      { type: "reasoning-end", block: beside, opaque: { ...opaque, of } },
    ];
  };
  const ended = (event: BlockEnd, kind: "text" | "tool-call"): readonly ChatEvent[] => {
    const { choice, of } = owners.get(event.block) ?? { choice: 0, of: "" };
    owners.delete(event.block);
    const { opaque, ...stateless } = event;
    if (opaque === undefined || hasSlot(kind, capabilities)) return [event];
    return [stateless, ...reasoning(opaque, choice, of)];
  };
  return {
    step(event) {
      switch (event.type) {
        case "text-start":
          owners.set(event.block, { choice: event.choice, of: "" });
          return [event];
        case "tool-call-start": {
          const { opaque, ...stateless } = event;
          owners.set(event.block, { choice: event.choice, of: event.id });
          if (opaque === undefined || hasSlot("tool-call", capabilities)) return [event];
          return [...reasoning(opaque, event.choice, event.id), stateless];
        }
        case "media": {
          const { opaque, ...stateless } = event.part;
          if (opaque === undefined || hasSlot("media", capabilities)) return [event];
          return [{ ...event, part: stateless }, ...reasoning(opaque, event.choice, OF_MEDIA)];
        }
        case "text-end":
          return ended(event, "text");
        case "tool-call-end":
          return ended(event, "tool-call");
        default:
          return [event];
      }
    },
    end: () => [],
  };
}

function attachReasoningInStream(
  capabilities: ProtocolCapabilities,
  losses: LossList,
): StreamRun<ChatEvent, ChatEvent> {
  /** Thoughts that wait for a carrier, by choice; words stand behind the first `spoken` of them. */
  const attached = new Map<number, { readonly reasoning: AttachedReasoning[]; spoken: number }>();
  const ridersOf = (choice: number): readonly AttachedReasoning[] => {
    const { reasoning, spoken } = attached.get(choice) ?? { reasoning: [], spoken: 0 };
    return reasoning.map((reasoning, at) => (at < spoken ? beforeText(reasoning) : reasoning));
  };
  const open = new Map<number, { readonly choice: number; text: string }>();
  /** The reasoning that travels with each call, in case it states state of its own at its end. */
  const carried = new Map<number, readonly AttachedReasoning[]>();
  const slotless = (kind: "text" | "media", opaque: Opaque | undefined): boolean => {
    if (opaque === undefined || hasSlot(kind, capabilities)) return false;
    losses.field("reasoningState");
    return true;
  };
  return {
    step(event) {
      switch (event.type) {
        case "reasoning-start":
          open.set(event.block, { choice: event.choice, text: "" });
          return [event];
        case "reasoning-delta": {
          const reasoning = open.get(event.block);
          if (reasoning !== undefined) reasoning.text += event.text;
          return [event];
        }
        case "reasoning-end": {
          const { block, opaque, redacted, requested } = event;
          const { choice, text } = open.get(block) ?? { choice: 0, text: "" };
          open.delete(block);
          if (opaque === undefined && !(requested && text !== "")) return [event];
          const reasoning = attachedReasoning(text, redacted === true, opaque);
          const waiting = attached.get(choice);
          if (waiting === undefined) attached.set(choice, { reasoning: [reasoning], spoken: 0 });
          else waiting.reasoning.push(reasoning);
          return [{ type: "reasoning-end", block }];
        }
        case "text-start": {
          const waiting = attached.get(event.choice);
          if (waiting !== undefined) waiting.spoken = waiting.reasoning.length;
          return [event];
        }
        case "tool-call-start": {
          const reasoning = ridersOf(event.choice);
          attached.delete(event.choice);
          if (reasoning.length === 0) return [event];
          carried.set(event.block, reasoning);
          return [withState(event, joinState(event.opaque, reasoning))];
        }
        case "tool-call-end": {
          const reasoning = carried.get(event.block) ?? [];
          carried.delete(event.block);
          if (event.opaque === undefined) return [event];
          return [withState(event, joinState(event.opaque, reasoning))];
        }
        case "text-end":
          return [slotless("text", event.opaque) ? withState(event, undefined) : event];
        case "media":
          return [
            slotless("media", event.part.opaque)
              ? { ...event, part: withState(event.part, undefined) }
              : event,
          ];
        case "finish": {
          const { choice } = event;
          const riders = ridersOf(choice);
          const opaque = joinState(undefined, riders);
          if (opaque === undefined) return [event];
          if (!capabilities.reasoningRideOn.includes("text")) {
            if (riders.some(isSigned)) losses.field("reasoningState");
            return [event];
          }
          const block = -1 - choice;
          return [{ type: "text-start", block, choice }, { type: "text-end", block, opaque }, event];
        }
        default:
          return [event];
      }
    },
    end: () => [],
  };
}

type BlockEnd = Extract<ChatEvent, { readonly type: "text-end" | "tool-call-end" }>;

function hasSlot(
  kind: "text" | "media" | "reasoning" | "tool-call",
  { stateSlots }: ProtocolCapabilities,
): boolean {
  return stateSlots.includes(kind);
}

function slotted<P extends ResponsePart & { readonly kind: "text" | "media" }>(
  part: P,
  capabilities: ProtocolCapabilities,
  losses: LossList,
): P {
  if (part.opaque === undefined || hasSlot(part.kind, capabilities)) return part;
  losses.field("reasoningState");
  return withState(part, undefined);
}

function withState<P extends { readonly opaque?: Opaque | undefined }>(
  holder: P,
  opaque: Opaque | undefined,
): P {
  const { opaque: _, ...stateless } = holder;
  return (opaque === undefined ? stateless : { ...stateless, opaque }) as P;
}

function attachedReasoning(text: string, redacted: boolean, opaque: Opaque | undefined): AttachedReasoning {
  return { text, redacted, opaque, beforeWords: false };
}

function isSigned({ opaque }: AttachedReasoning): boolean {
  return opaque !== undefined;
}

function beforeText(reasoning: AttachedReasoning): AttachedReasoning {
  return { ...reasoning, beforeWords: true };
}
