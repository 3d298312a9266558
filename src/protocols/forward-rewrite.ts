import type { BodyScan } from "../base/json/json-scan.ts";
import type { Edit } from "../base/json/json-splice.ts";
import type { Quirks } from "../conversation/lower/quirks.ts";
import type { TokenUsage } from "../usage/usage.ts";

/** A request that is forwarded, as far as its protocol tells it otherwise than it came. */
export interface ForwardedRequest {
  readonly scan: BodyScan;
  readonly body: readonly Buffer[];
  readonly streamed: boolean;
  readonly responses: number;
  /** The gateway writes an output limit into it, as it states none. */
  readonly isLimited: boolean;
}

/** The changes that forwarding makes to the request and to the response. */
export interface ForwardRewrite {
  /** The edits of the request, in any order. */
  readonly edits: readonly Edit[];
  /** The client of a stream gets its usage. */
  readonly sendsUsage: boolean;
  /** A plain response is told otherwise too, by `RewriteForwarded.whole`. */
  readonly rewritesWhole: boolean;
  openStream(): ForwardedStream;
}

/** A stream of chunks on its way to the caller. Neither method is called after `closing`. */
export interface ForwardedStream {
  /** The bytes to pass on now. */
  write(chunk: Uint8Array): readonly Uint8Array[];
  /** No more bytes: what was held of a frame. */
  end(): readonly Uint8Array[];
  /**
   * The end of the stream: the usage that the caller asked for, as its vendor counted it or else as it was charged, and
   * `[DONE]`.
   */
  closing(charged: TokenUsage): readonly Uint8Array[];
}

/** The rewriting of one protocol. */
export interface RewriteForwarded {
  open(request: ForwardedRequest, quirks: Quirks): ForwardRewrite;
  /** A plain response as its caller reads it. */
  whole(chunks: readonly Buffer[]): readonly Uint8Array[];
}
