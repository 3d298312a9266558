import { CHAT_PROTOCOLS } from "../protocol-name.ts";
import type { ReasoningPart } from "../request.ts";
import { OF_REASONING, type Opaque, type Origin } from "./opaque.ts";

/**
 * A thought that rides on the call or text that follows it. Many clients keep no thoughts, and send of a response only
 * calls and words back; its issuer wants the text with the state, and some models want it though it has none.
 */
export interface AttachedReasoning {
  readonly text: string;
  readonly redacted: boolean;
  /** Undefined where nobody signed it. */
  readonly opaque: Opaque | undefined;
  /** Words stand between it and its carrier. */
  readonly beforeWords: boolean;
}

/** The state of a carrier and of the thoughts that ride on it, as one; undefined where there is none. */
export function joinState(
  state: Opaque | undefined,
  reasoning: readonly AttachedReasoning[],
): Opaque | undefined {
  if (reasoning.length === 0) return state;
  const entries = reasoning.map(({ text, redacted, beforeWords, opaque }) => [
    text,
    opaque?.value ?? null,
    Number(redacted),
    Number(beforeWords),
  ]);
  // One response has one issuer.
  const signed = state ?? reasoning.find(({ opaque }) => opaque !== undefined)?.opaque;
  const origin = signed?.origin ?? NOBODY;
  return { origin, value: JSON.stringify([state?.value ?? null, ...entries]), of: OF_REASONING };
}

/** Splits state that `joinState` joined; undefined of any other state. */
export function splitState(opaque: Opaque): SplitState | undefined {
  if (opaque.of !== OF_REASONING) return undefined;
  const { origin } = opaque;
  const [own, ...entries] = listIn(opaque.value);
  return {
    state: typeof own === "string" ? { origin, value: own } : undefined,
    reasoning: entries.flatMap((each) => {
      const [text, value, redacted, beforeWords] = Array.isArray(each) ? each : [];
      if (typeof text !== "string" || (typeof value !== "string" && value !== null)) return [];
      const opaque = value === null ? undefined : { origin, value };
      return [{ text, redacted: redacted === 1, beforeWords: beforeWords === 1, opaque }];
    }),
  };
}

export interface SplitState {
  readonly state: Opaque | undefined;
  readonly reasoning: readonly AttachedReasoning[];
}

export function asPart({ text, redacted, opaque }: AttachedReasoning): ReasoningPart {
  return { kind: "reasoning", text, redacted: redacted ? redacted : undefined, opaque };
}

/** Thoughts that nobody signed are no vendor's own: any may read them, whichever protocol the form must name. */
const NOBODY: Origin = { protocol: CHAT_PROTOCOLS[0] };

/** It passed through a client, so it may be anything. */
function listIn(value: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
