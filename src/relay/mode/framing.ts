import { writeFrame } from "../../base/sse.ts";
import type { Loss } from "../../conversation/loss.ts";
import type { ErrorStatement } from "../../errors.ts";
import type { UpstreamError } from "../../protocols/errors/upstream-error-policy.ts";
import type { StreamMeter, TruncatedStream } from "../../protocols/protocol.ts";
import type { WireFrame } from "../../protocols/translation.ts";
import { type ModelTokens, sumTokens, type TokenUsage } from "../../usage/usage.ts";

/**
 * Framing of a successful response, whatever was requested: one JSON object, server-sent events, or the array in which
 * generateContent streams.
 */
export type Framing = "whole" | "events" | "array";

/** A stream under way: who meters it, and who writes it for the caller. Bytes go to the meter first. */
export interface RelayedStream {
  readonly meter: StreamMeter;
  readonly rewriter: StreamRewriter;
}

/** A stream on its way to the caller, in whole frames. */
export interface StreamRewriter {
  write(chunk: Buffer): readonly Uint8Array[];
  /** This chunk is passed over: nothing of it is a response's. Absent = there is nothing to be done. */
  readonly skip?: (chunk: Buffer) => void;
  /** After the upstream's proper end; `missingEnd` is what it left out of its protocol's form. */
  end(missingEnd: string): readonly Uint8Array[];
  /** Returns the final bytes of a stream, sent after it is charged; absent = none. */
  readonly closing?: (charged: ChargedUsage) => readonly Uint8Array[];
  /** True if the written bytes report a failure that the upstream's meter doesn't see; `fail` must follow. */
  readonly failed?: () => boolean;
  /** Bytes that it keeps until the response ends; absent = none. */
  readonly keptBytes?: () => number;
  /** Ends the stream with an error in the caller's format; `truncated` tells where the upstream's stream stopped. */
  fail(error: ErrorStatement, truncated: TruncatedStream): readonly Uint8Array[];
  /** Parts of the response without a slot so far. They come too late for the header and go to the log. */
  losses(): readonly Loss[];
  /** An upstream's own error event reaches the caller by `write`, so that it needs no second one. */
  readonly passesErrors: boolean;
}

/** The usage that was charged for a response. */
export interface ChargedUsage {
  /** The tokens of the asked model. */
  readonly usage: TokenUsage;
  /** The tokens of other models, of which one may have served the response; absent = there are none. */
  readonly additionalUsage?: readonly ModelTokens[] | undefined;
  /** Some of it is the gateway's word and not the upstream's. */
  readonly estimated: boolean;
}

export const UNCHARGED: ChargedUsage = { usage: {}, estimated: false };

/** The charged tokens of the response itself, whichever model has served it. */
export function tokensOfResponse({ usage, additionalUsage }: ChargedUsage): TokenUsage {
  const served = additionalUsage?.filter(({ hasServed }) => hasServed === true) ?? [];
  return served.length === 0 ? usage : sumTokens([usage, ...served.map(({ tokens }) => tokens)]);
}

/** A whole response as its caller gets it, or the error that it turned out to be. */
export type BodyRewrite =
  | { readonly body: readonly Uint8Array[]; readonly losses: readonly Loss[] }
  | { readonly error: UpstreamError };

/** Puts a stream's frames on the wire. */
export interface FrameWriter {
  frame(frame: WireFrame): string;
  /** Returns the bytes that close the stream, or "". */
  end(): string;
}

/** Server-sent events. */
export const EVENT_WRITER: FrameWriter = {
  frame: ({ data, name }) => writeFrame(data, name === "" ? undefined : name),
  end: () => "",
};

/** The elements of one JSON array: the native protocol's stream without `alt=sse`. */
export function openArrayWriter(): FrameWriter {
  let begun = false;
  return {
    frame({ data }) {
      const head = begun ? ",\r\n" : "[";
      begun = true;
      return head + data;
    },
    end: () => (begun ? "]" : "[]"),
  };
}
