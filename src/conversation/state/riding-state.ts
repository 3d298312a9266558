import type { ReasoningPart } from "../request.ts";
import { OF_RIDERS, type Opaque } from "./opaque.ts";

/**
 * A thought whose state rides on the call or text that follows it. Many clients keep no thoughts, and send of an
 * answer only calls and words back; its issuer wants the text with the state.
 */
export interface RidingReasoning {
  readonly text: string;
  readonly redacted: boolean;
  readonly opaque: Opaque;
  /** Words stand between it and its carrier. */
  readonly beforeWords: boolean;
}

/** The state of a carrier and of the thoughts that ride on it, as one; undefined where there is none. */
export function joinState(
  state: Opaque | undefined,
  reasoning: readonly RidingReasoning[],
): Opaque | undefined {
  const [first] = reasoning;
  if (first === undefined) return state;
  const told = reasoning.map(({ text, redacted, beforeWords, opaque }) => [
    text,
    opaque.value,
    Number(redacted),
    Number(beforeWords),
  ]);
  // One answer has one issuer.
  const { origin } = first.opaque;
  return { origin, value: JSON.stringify([state?.value ?? null, ...told]), of: OF_RIDERS };
}

/** What `joinState` joined; undefined of any other state. */
export function splitState(opaque: Opaque): SplitState | undefined {
  if (opaque.of !== OF_RIDERS) return undefined;
  const { origin } = opaque;
  const [own, ...told] = listIn(opaque.value);
  return {
    state: typeof own === "string" ? { origin, value: own } : undefined,
    reasoning: told.flatMap((each) => {
      const [text, value, redacted, beforeWords] = Array.isArray(each) ? each : [];
      if (typeof text !== "string" || typeof value !== "string") return [];
      return [{ text, redacted: redacted === 1, beforeWords: beforeWords === 1, opaque: { origin, value } }];
    }),
  };
}

export interface SplitState {
  readonly state: Opaque | undefined;
  readonly reasoning: readonly RidingReasoning[];
}

export function asPart({ text, redacted, opaque }: RidingReasoning): ReasoningPart {
  return { kind: "reasoning", text, redacted: redacted ? redacted : undefined, opaque };
}

/** It passed through a client, so it may be anything. */
function listIn(value: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
