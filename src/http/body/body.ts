import type { IncomingMessage } from "node:http";
import type { Readable, Transform } from "node:stream";
import { deferToBatch } from "../../base/async/event-loop-batch.ts";
import { type MemoryGrant, SMALL_BYTES } from "../../base/async/memory-budget.ts";
import { PoolFull, WorkerLost } from "../../base/async/worker-pool.ts";
import { packChunk } from "../../base/pack-chunk.ts";
import { GatewayError } from "../../errors.ts";
import { sendContinue } from "../core/valid-head.ts";
import { CODINGS, DecodedTooLarge, decoderOf, type OpenDecoder } from "./body-codings.ts";
import { memoryRefused } from "./body-memory.ts";
import { type BodyPace, hasTinyChunks } from "./body-pace.ts";

/** Maximum size of text bodies; the largest that a vendor accepts is 32 MB. */
export const TEXT_BODY_BYTES = 32 * 1024 * 1024;

/** Maximum size of bodies for images and videos, from the specification; data URLs are large. */
export const MEDIA_BODY_BYTES = 64 * 1024 * 1024;

/** Reads the chunks of a body as they arrive; it may throw to refuse the rest. */
export interface BodyReader {
  write(chunk: Buffer): void;
}

/** Reader and limits of a body. */
export interface BodyTerms {
  readonly limitBytes: number;
  /** Holds the memory of the bytes that were read, also after a failure. Its owner releases it. */
  readonly grant: MemoryGrant;
  readonly pace: BodyPace;
  /** Memory that a large body needs, as a multiple of its size, if it is parsed into values; 1 if it remains bytes. */
  readonly weight: number;
}

/**
 * Reads a bounded body chunk by chunk into `reader`, each chunk at the end of the event-loop turn that brought it, and
 * returns the decoded chunks without joining them. Compressed bodies are decoded within the same limit, which stops
 * decompression bombs; other codings are refused with 415. A body that states its length waits for memory before it is
 * read, and is refused with 503 after two seconds. One that only turns out to be large is refused at once. Slow senders
 * get 408.
 */
export function readBody(
  request: IncomingMessage,
  terms: BodyTerms,
  reader: BodyReader,
  decoder: OpenDecoder | undefined | "unknown" = decoderOf(request.headers["content-encoding"]),
): Promise<Buffer[]> {
  const { headers } = request;
  if (decoder === "unknown") {
    return Promise.reject(
      new GatewayError(
        "unsupported_media_type",
        `Content-Encoding "${headers["content-encoding"]}" isn't supported. Send the body uncompressed or as one of ${CODINGS}.`,
        { headers: { "accept-encoding": CODINGS } },
      ),
    );
  }
  const { limitBytes, grant } = terms;
  if (Number(headers["content-length"] ?? 0) > limitBytes) return Promise.reject(tooLarge(limitBytes));
  const isHere = decoder === undefined && request.complete && request.readableLength <= limitBytes;
  const read = (): Promise<Buffer[]> =>
    isHere ? readWhole(request, reader) : readInPieces(request, decoder, terms, reader);
  const known = isHere ? request.readableLength : expectedLength(request, decoder !== undefined);
  if (known === undefined) {
    const refusal = grant.growTo(Math.min(SMALL_BYTES, limitBytes));
    return refusal === undefined ? read() : Promise.reject(memoryRefused(refusal));
  }
  const waited = grant.await(memoryFor(known, terms.weight));
  if (waited === undefined) return read();
  // A client that disconnects no longer waits for memory.
  const leave = (): void => grant.release();
  request.on("close", leave);
  return waited.then((refusal) => {
    request.off("close", leave);
    if (refusal !== undefined) throw memoryRefused(refusal);
    return read();
  });
}

/**
 * True if a body is read before a refusal, because it came with its head or states that it is small. Its content may
 * then decide the response first, in the specification's order of checks, however the client splits its packets.
 */
export function isHereOrSmall(request: IncomingMessage): boolean {
  if (request.complete) return true;
  // The client waits for a response before it sends the body.
  if (request.headers.expect !== undefined) return false;
  const length = expectedLength(request, request.headers["content-encoding"] !== undefined);
  return length !== undefined && length <= SMALL_BYTES;
}

/** Returns the stated length; undefined = it is known only at the end. */
function expectedLength({ headers }: IncomingMessage, isCoded: boolean): number | undefined {
  if (isCoded || headers["transfer-encoding"] !== undefined) return undefined;
  return Number(headers["content-length"] ?? 0);
}

/** Returns the memory that a body of this size needs. A small one is parsed within a moment, so it counts once. */
function memoryFor(bytes: number, weight: number): number {
  return bytes <= SMALL_BYTES ? bytes : bytes * weight;
}

/** Reads a body that arrived together with its head, as most do, without waiting for events of the stream. */
function readWhole(request: IncomingMessage, reader: BodyReader): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    deferToBatch(() => {
      const body: Buffer | null = request.read();
      try {
        if (body !== null) reader.write(body);
      } catch (error) {
        return reject(refusalOf(error));
      }
      resolve(body === null ? [] : [body]);
    });
  });
}

function readInPieces(
  request: IncomingMessage,
  openDecoder: OpenDecoder | undefined,
  terms: BodyTerms,
  reader: BodyReader,
): Promise<Buffer[]> {
  sendContinue(request);
  const { limitBytes, grant, weight } = terms;
  const reserve = (bytes: number): void => {
    const refusal = grant.growTo(memoryFor(bytes, weight));
    if (refusal !== undefined) throw memoryRefused(refusal);
  };
  const decoder = openDecoder?.({ limitBytes, owner: grant.owner.account, reserve });
  return new Promise((resolve, reject) => {
    new Reading(request, decoder, terms, reader, resolve, reject);
  });
}

/** A body that is still arriving. */
class Reading {
  private readonly request: IncomingMessage;
  private readonly decoder: Transform | undefined;
  private readonly terms: BodyTerms;
  private readonly reader: BodyReader;
  private readonly reject: (error: GatewayError) => void;
  private readonly unwatch: () => void;
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private wireChunks = 0;
  private wireBytes = 0;
  private isReadDue = false;
  private nextChunk = 0;
  private nextByte = 0;
  private over = false;
  private readonly onGone = (): void =>
    this.fail(
      new GatewayError("invalid_request", "The client closed the connection while sending the body."),
    );

  constructor(
    request: IncomingMessage,
    decoder: Transform | undefined,
    terms: BodyTerms,
    reader: BodyReader,
    resolve: (chunks: Buffer[]) => void,
    reject: (error: GatewayError) => void,
  ) {
    this.request = request;
    this.decoder = decoder;
    this.terms = terms;
    this.reader = reader;
    this.reject = reject;
    this.unwatch = terms.pace.watch(request, () => this.fail(tooSlow()));
    request.on("data", (chunk: Buffer) => this.count(chunk));
    const source: Readable = decoder === undefined ? request : request.pipe(decoder);
    source.on("data", (chunk: Buffer) => this.take(chunk));
    source.on("end", () =>
      deferToBatch(() => {
        if (this.over) return;
        this.over = true;
        request.socket.off("close", this.onGone);
        resolve(this.chunks);
      }),
    );
    request.on("end", this.unwatch);
    source.on("error", (cause) => this.fail(this.faultOf(cause)));
    request.on("aborted", this.onGone);
    // All of the body may have arrived while a decoder is still busy or stuck. Closing the connection frees the memory
    // then, too.
    if (decoder !== undefined) request.socket.once("close", this.onGone);
  }

  private count({ length }: Buffer): void {
    this.wireChunks += 1;
    this.wireBytes += length;
    if (hasTinyChunks(this.wireChunks, this.wireBytes)) this.fail(tinyChunks());
    // A decoder may buffer its input until the end.
    if (this.decoder !== undefined && !this.over) {
      const refusal = this.refusal(this.wireBytes);
      if (refusal !== undefined) this.fail(refusal);
    }
  }

  private faultOf(cause: Error): GatewayError {
    if (cause instanceof GatewayError) return cause;
    if (cause instanceof DecodedTooLarge) return tooLarge(this.terms.limitBytes);
    if (cause instanceof PoolFull || cause instanceof WorkerLost) {
      const message =
        "The gateway is decoding many compressed bodies. Try again shortly, or send the body uncompressed.";
      return new GatewayError("service_unavailable", message, { cause, retryAfterSeconds: 1 });
    }
    const coding = this.request.headers["content-encoding"];
    const message = this.decoder === undefined ? "The body ended early." : `The body is not valid ${coding}.`;
    return new GatewayError("invalid_request", message, { cause });
  }

  private take(chunk: Buffer): void {
    if (this.over) return;
    this.bytes += chunk.length;
    const refusal = this.refusal(this.bytes);
    if (refusal !== undefined) {
      this.fail(refusal);
      return;
    }
    packChunk(this.chunks, chunk, this.bytes);
    if (this.isReadDue) return;
    this.isReadDue = true;
    deferToBatch(() => this.read());
  }

  /**
   * Returns the reason to stop reading, if there is one. The reserved memory grows to twice the present size, so that
   * few steps lead to any size.
   */
  private refusal(bytes: number): GatewayError | undefined {
    const { limitBytes, grant, weight } = this.terms;
    if (bytes > limitBytes) return tooLarge(limitBytes);
    if (memoryFor(bytes, weight) <= grant.bytes) return undefined;
    const why = grant.growTo(memoryFor(Math.min(2 * bytes, limitBytes), weight));
    return why === undefined ? undefined : memoryRefused(why);
  }

  /** Processes what has arrived since the last call: the end of the chunk that was last, and the chunks behind it. */
  private read(): void {
    this.isReadDue = false;
    if (this.over) return;
    try {
      for (
        let chunk = this.chunks[this.nextChunk];
        chunk !== undefined;
        chunk = this.chunks[this.nextChunk]
      ) {
        const from = this.nextByte;
        this.nextByte = chunk.length;
        if (from < chunk.length) this.reader.write(from === 0 ? chunk : chunk.subarray(from));
        if (this.nextChunk === this.chunks.length - 1) return;
        this.nextChunk += 1;
        this.nextByte = 0;
      }
    } catch (error) {
      this.fail(refusalOf(error));
    }
  }

  private fail(error: GatewayError): void {
    if (this.over) return;
    this.over = true;
    this.unwatch();
    this.chunks.length = 0;
    const { request, decoder } = this;
    request.socket.off("close", this.onGone);
    request.removeAllListeners("data");
    if (decoder !== undefined) {
      request.unpipe(decoder);
      decoder.removeAllListeners("data");
      decoder.destroy();
    }
    // The handler that responds discards the rest.
    request.resume();
    this.reject(error);
  }
}

function refusalOf(cause: unknown): GatewayError {
  return cause instanceof GatewayError
    ? cause
    : new GatewayError("internal_error", "The request could not be read.", { cause });
}

function tooSlow(): GatewayError {
  return new GatewayError(
    "request_timeout",
    "The request body arrived too slowly: less than 32 KB/s over 5 seconds.",
    { headers: { connection: "close" } },
  );
}

function tinyChunks(): GatewayError {
  return new GatewayError(
    "invalid_request",
    "The request body arrives in chunks of a few bytes. Send larger chunks, or a Content-Length.",
    { headers: { connection: "close" } },
  );
}

function tooLarge(limitBytes: number): GatewayError {
  const kilobytes = limitBytes / 1024;
  const limit = kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`;
  return new GatewayError("request_too_large", `The request body exceeds ${limit}.`);
}
