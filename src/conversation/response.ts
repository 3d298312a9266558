import type { MeteredUsage } from "../usage/usage.ts";
import type { ChatProtocol } from "./protocol-name.ts";
import type { ForeignPart, MediaPart, ReasoningPart, TextPart, ToolCallPart } from "./request.ts";

/**
 * A whole response in no protocol's words. What is about the serving and not the response (fingerprints,
 * service tiers, timings, log probabilities that nobody asked for) is not part of it.
 */
export interface ChatResponse {
  /** The upstream's; absent where it states none. */
  readonly id?: string | undefined;
  /** The upstream's own name of the model, which callers are told. */
  readonly model?: string | undefined;
  /** Unix time, seconds. */
  readonly created?: number | undefined;
  /** One, unless several were asked for. Never empty. */
  readonly choices: readonly Choice[];
  readonly usage?: MeteredUsage | undefined;
}

export interface Choice {
  readonly parts: readonly ResponsePart[];
  readonly finish: Finish;
}

export type ResponsePart = TextPart | MediaPart | ReasoningPart | ToolCallPart | ForeignPart;

/** Why a response ended. An encoder of the same protocol writes `raw` again where it has one. */
export interface Finish {
  readonly unified: FinishKind;
  readonly raw?: string | undefined;
  /** The protocol that `raw` is a word of. */
  readonly protocol: ChatProtocol;
  /** The caller's stop sequence that was met, where the vendor tells. */
  readonly stopSequence?: string | undefined;
  /** The vendor's explanation, e.g. of a refusal. */
  readonly message?: string | undefined;
}

/** `pause`: the vendor wants the turn sent back to go on. `other`: a word that nobody knows, told as a stop. */
export type FinishKind = "stop" | "length" | "tool-calls" | "content-filter" | "pause" | "other";
