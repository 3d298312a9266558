import type { Loss } from "../../conversation/loss.ts";
import type { ErrorStatement } from "../../errors.ts";
import type { UpstreamError } from "../../protocols/errors/upstream-error-policy.ts";
import type { BrokenStream } from "../../protocols/protocol.ts";
import type { TellCall } from "../../protocols/translation.ts";
import type { TokenUsage } from "../../usage/usage.ts";
import type { WholeForm } from "./whole-response.ts";

/**
 * The way through between a caller's protocol and an upstream's, both directions: `forward.ts` passes
 * bytes as they are, `translate.ts` goes through the neutral form. Receivers do not know which it is.
 */
export interface RelayMode {
  /** The request's bytes for the upstream. */
  readonly pieces: readonly Uint8Array[];
  /** How often to send them; with more than one, answers come back in the form of `joined-form.ts`. */
  readonly copies: number;
  /** The bytes of each copy where they differ, as many as there are copies. */
  readonly apart?: readonly Uint8Array[];
  /** Streams come as a JSON array and not as events (only ever the caller's own wish, forwarded). */
  readonly arrayStream: boolean;
  /** The vendor keeps the answer, so its id must lead back there. */
  readonly storesResponse: boolean;
  /** What of the request has no slot there. */
  readonly losses: readonly Loss[];
  /** Values of state that stand before those which this place has made itself, and were taken out. */
  readonly foreignValues: number;
  /** `content-type` of a successful answer, where it is not the upstream's own. */
  readonly contentType: string | undefined;
  /** Each event is read and written anew, a hundred times the work of passing it on: long streams are worked off in slices. */
  readonly inSlices?: true;
  openStream(): StreamRewriter;
  /** How a whole answer, framed as it came, becomes what the caller asked for. */
  wholeForm(framing: Framing): WholeForm;
  /** Is told each call of a whole answer and its state; absent = nobody keeps them. */
  readonly tellCall?: TellCall | undefined;
}

/**
 * How an answer under a status of success is framed, whatever was asked for: one JSON object, server-sent events, or the
 * array in which generateContent streams.
 */
export type Framing = "whole" | "events" | "array";

/** A stream on its way to the caller, in whole frames. */
export interface StreamRewriter {
  write(chunk: Buffer): readonly Uint8Array[];
  /** After the upstream's proper end; `missingEnd` is what it left out of its protocol's form. */
  end(missingEnd: string): readonly Uint8Array[];
  /** What ends it once it is charged, to be sent behind everything else; absent = nothing more. */
  readonly closing?: (charged: TokenUsage) => readonly Uint8Array[];
  /** What was written told of a failure that the upstream's own meter does not see: `fail` is to follow. */
  readonly failed?: () => boolean;
  /** What it keeps of the answer until its end; absent = nothing. */
  readonly keptBytes?: () => number;
  /** Ends it badly, in the caller's form; `broken` tells where the upstream's stream stood. */
  fail(error: ErrorStatement, broken: BrokenStream): readonly Uint8Array[];
  /** What of the answer had no slot so far; it comes too late for the header and goes to the log. */
  losses(): readonly Loss[];
  /** An upstream's own error event reaches the caller by `write`, so that it needs no second one. */
  readonly passesErrors: boolean;
}

export type BodyRewrite =
  | { readonly body: readonly Uint8Array[]; readonly losses: readonly Loss[] }
  | { readonly error: UpstreamError };
