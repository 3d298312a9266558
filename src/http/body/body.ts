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

/** Text bodies: the largest that a vendor takes is 32 MB. */
export const TEXT_BODY_BYTES = 32 * 1024 * 1024;

/** Bodies of images and videos, as the specification says: data URLs are large. */
export const MEDIA_BODY_BYTES = 64 * 1024 * 1024;

/** What reads the chunks of a body as they arrive; it may throw to refuse the rest. */
export interface BodyReader {
  write(chunk: Buffer): void;
}

/** How a body is read, and what it may take. */
export interface BodyTerms {
  readonly limitBytes: number;
  /** Holds the memory of what is read, also when reading has failed: whoever made it releases it. */
  readonly grant: MemoryGrant;
  readonly pace: BodyPace;
  /** How many times its size a large body takes, where it is read into values; 1 where it stays bytes. */
  readonly weight: number;
}

/**
 * Reads a bounded body chunk by chunk into `reader`, each at the end of the turn that brought it, and gives the
 * decoded chunks, never joined. Compressed bodies are decoded within the same bound, so a bomb ends at the bound too;
 * other codings are 415. A length that is told beforehand waits for its memory and is not read until it has it: 503 after two
 * seconds; what only turns out to be large is refused at once. 408 for a sender who is too slow.
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
  // Who leaves waits no longer.
  const leave = (): void => grant.release();
  request.on("close", leave);
  return waited.then((refusal) => {
    request.off("close", leave);
    if (refusal !== undefined) throw memoryRefused(refusal);
    return read();
  });
}

/**
 * True if a body is worth no refusal before it is read: it has come with its head, or says that it is small. What is in it
 * then decides the response first, as the specification orders its checks, however a client cuts its packets.
 */
export function isHereOrSmall(request: IncomingMessage): boolean {
  if (request.complete) return true;
  // Its sender asks before sending it.
  if (request.headers.expect !== undefined) return false;
  const length = expectedLength(request, request.headers["content-encoding"] !== undefined);
  return length !== undefined && length <= SMALL_BYTES;
}

/** Undefined where only its end will tell. */
function expectedLength({ headers }: IncomingMessage, isCoded: boolean): number | undefined {
  if (isCoded || headers["transfer-encoding"] !== undefined) return undefined;
  return Number(headers["content-length"] ?? 0);
}

/** What a body of this size takes. A small one is read within a moment, whatever becomes of it. */
function memoryFor(bytes: number, weight: number): number {
  return bytes <= SMALL_BYTES ? bytes : bytes * weight;
}

/** A body that came in one with its head, as most do, is here already: no event of the stream need be awaited. */
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

/** A body on its way. */
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
    // All of it may have come, and a decoder still be at it or stuck: what is held ends with the connection all the same.
    if (decoder !== undefined) request.socket.once("close", this.onGone);
  }

  private count({ length }: Buffer): void {
    this.wireChunks += 1;
    this.wireBytes += length;
    if (hasTinyChunks(this.wireChunks, this.wireBytes)) this.fail(tinyChunks());
    // A decoder may keep what it is sent until it has all of it.
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

  /** Why no more of it is read, if so. Its memory grows to twice of what is there, so that few steps lead to any size. */
  private refusal(bytes: number): GatewayError | undefined {
    const { limitBytes, grant, weight } = this.terms;
    if (bytes > limitBytes) return tooLarge(limitBytes);
    if (memoryFor(bytes, weight) <= grant.bytes) return undefined;
    const why = grant.growTo(memoryFor(Math.min(2 * bytes, limitBytes), weight));
    return why === undefined ? undefined : memoryRefused(why);
  }

  /** What has come since the last time: the end of what may have been the last chunk, and those behind it. */
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
    // The rest is thrown away by whoever answers.
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
