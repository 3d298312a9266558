import type { JsonObject } from "./json.ts";
import type { Prompt, TextProtocolName } from "./prompt.ts";
import type { ResponseStore } from "./protocols/responses/response-store.ts";
import type { VendorError } from "./refusal.ts";
import type { Response } from "./response.ts";
import type { UsageFault } from "./scenario.ts";
import type { Mint } from "./signature.ts";
import type { Usage } from "./usage.ts";

/** One planned answer to one request, ready to be written down by its protocol. */
export interface Exchange {
  prompt: Prompt;
  responses: Response[];
  /** The truth. What is reported may be spoiled by `usageFault`. */
  usage: Usage;
  usageFault: UsageFault | undefined;
  createdSeconds: number;
  /** The response's own id, with the vendor's prefix. */
  id: string;
  mint: Mint;
  store: ResponseStore;
  /** generateContent without `alt=sse` streams one JSON array. */
  framing: "sse" | "array";
}

/** One write of a stream. Frames with content are the chunks that directives count. */
export interface Frame {
  bytes: string | Buffer;
  content?: string;
  /** The content is a thought: it counts as reasoning. */
  thought?: boolean;
}

/** The input of a decoder besides the body. */
export interface DecodeContext {
  /** Model and action of a path like `/v1beta/models/{model}:{action}`. */
  pathModel: string;
  pathStream: boolean;
  mint: Mint;
  store: ResponseStore;
}

/** A protocol knows wire forms only: no sockets, no faults but its own error form. */
export interface TextProtocol {
  name: TextProtocolName;
  /** Throws Refusal where the vendor answers 4xx. */
  decodeRequest(body: JsonObject, context: DecodeContext): Prompt;
  newId(): string;
  encodeResponse(exchange: Exchange): JsonObject;
  encodeStream(exchange: Exchange): Iterable<Frame>;
  /** The vendor's way of failing after the stream has begun; `sentFrames` frames went before. */
  encodeStreamError(exchange: Exchange, error: VendorError, sentFrames: number): string | Buffer;
  encodeError(error: VendorError, requestId: string): JsonObject;
  /** The vendor's words for a status, for scripted faults. */
  scriptedError(status: number): VendorError;
  badKey: VendorError;
  noCredit: VendorError;
  /** The header that carries the request id. */
  requestIdHeader: string;
  newRequestId(): string;
  /** Type of its streams; absent = events. */
  streamType?: string;
  /** The vendor's headers of an error. */
  errorHeaders?(error: VendorError): Record<string, string>;
}
