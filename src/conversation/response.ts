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
  /** Whose word `raw` is. */
  readonly protocol: ChatProtocol;
  /** The caller's stop sequence that was met, where the vendor tells. */
  readonly stopSequence?: string | undefined;
  /** What the vendor says about it (a refusal's explanation). */
  readonly message?: string | undefined;
}

/** `pause`: the vendor wants the turn sent back to go on. `other`: a word that nobody knows, told as a stop. */
export type FinishKind = "stop" | "length" | "tool-calls" | "content-filter" | "pause" | "other";
