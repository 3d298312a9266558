import { Transform, type TransformCallback } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { SMALL_BYTES } from "../../base/async/memory-budget.ts";
import { createWorkerPool, joined, type WorkerPool } from "../../base/async/worker-pool.ts";
import { packChunk } from "../../base/pack-chunk.ts";
import type { Coding, DecodeMessage } from "./decode-worker.ts";
import type { DecodeResponse } from "./unzstd.ts";

/** Limits of a decoder. */
export interface DecoderTerms {
  /** Maximum size of the decoded body. */
  readonly limitBytes: number;
  /** Owner of the body; owners take turns. */
  readonly owner: unknown;
  /** Reserves memory for this many decoded bytes before they are decoded; throws if there is none. */
  readonly reserve: (bytes: number) => void;
}

/** Opens a decoder for a body. */
export type OpenDecoder = (terms: DecoderTerms) => Transform;

/** `Content-Encoding` values that request bodies may have, in lower case. */
const CODING_OF: ReadonlyMap<string, Coding> = new Map([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["br", "br"],
  ["deflate", "deflate"],
  ["zstd", "zstd"],
]);

/** Named in the error for other codings. */
export const CODINGS = "gzip, br, deflate, zstd";

/** Returns the decoder of a coding; undefined = none is needed, "unknown" = the coding is not supported. */
export function decoderOf(contentEncoding: string | undefined): OpenDecoder | undefined | "unknown" {
  const name = contentEncoding?.trim().toLowerCase() || "identity";
  if (name === "identity") return undefined;
  const coding = CODING_OF.get(name);
  return coding === undefined ? "unknown" : (terms) => new Decoded(coding, terms);
}

/** The decoded body exceeds its limit, so the error is that of a large body, not of a broken one. */
export class DecodedTooLarge extends Error {
  override readonly name = "DecodedTooLarge";
}

/**
 * Maximum number of compressed bodies that wait for the thread, of all accounts and of one. Their memory counts as that
 * of bodies. An account's share suffices for a burst and leaves room for others.
 */
const WAITING = 1_000;
const WAITING_OF_OWNER = 100;

/** Decoding the largest body takes a second; the zstd decoder in JavaScript takes several on a busy machine. */
const LIMIT_MS = 30_000;

let pool: WorkerPool<DecodeResponse> | undefined;

/**
 * The largest window of all codings, which is that of brotli (RFC 7932, 9.1). `unzstd.ts` bounds that of zstd; that of
 * zlib has 32 KB.
 */
const MAX_WINDOW_BYTES = 16 * 1024 * 1024;

/**
 * Memory of decoding beside the bodies: the window of the body that is being decoded, however small the body is. It is
 * 0 until the first compressed body.
 */
export function decoderBytes(): number {
  return pool === undefined ? 0 : MAX_WINDOW_BYTES;
}

/**
 * The only decoding thread, so that only one window is in memory at a time. zlib's streams would open one per body, in
 * the threads that files and DNS need as well.
 */
function decodePool(): WorkerPool<DecodeResponse> {
  pool ??= createWorkerPool<DecodeResponse>({
    entry: new URL("./decode-worker.ts", import.meta.url),
    workers: 1,
    waiting: WAITING,
    waitingOfOwner: WAITING_OF_OWNER,
    limitMs: LIMIT_MS,
    limits: {},
  });
  return pool;
}

/**
 * Decodes a body in a thread once all of it has arrived. Memory is reserved beforehand; if it was too little, decoding
 * restarts with more. So a body that expands a thousandfold takes no more memory than one that states its size, and no
 * decoder waits half-way for a slow sender.
 */
class Decoded extends Transform {
  private readonly coding: Coding;
  private readonly terms: DecoderTerms;
  private readonly chunks: Buffer[] = [];
  private readonly gone = new AbortController();
  private bytes = 0;

  constructor(coding: Coding, terms: DecoderTerms) {
    super();
    this.coding = coding;
    this.terms = terms;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    packChunk(this.chunks, chunk, this.bytes);
    done(this.bytes > this.terms.limitBytes ? new DecodedTooLarge() : null);
  }

  override _flush(done: TransformCallback): void {
    this.decode().then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.gone.abort(error ?? new Error("the body is not wanted any more"));
    this.chunks.length = 0;
    done(error);
  }

  private async decode(): Promise<void> {
    if (this.bytes === 0) return;
    const { limitBytes, reserve } = this.terms;
    let most = Math.min(limitBytes, Math.max(SMALL_BYTES, 2 * this.bytes));
    for (;;) {
      reserve(most);
      const response = await this.decodeWithin(most);
      if ("body" in response) {
        this.chunks.length = 0;
        return this.give(response.body);
      }
      if (response.fault === "broken") throw new Error(`not valid ${this.coding}`);
      if (most === limitBytes) throw new DecodedTooLarge();
      most = Math.min(limitBytes, Math.max(SECOND_BYTES, 2 * most));
    }
  }

  private decodeWithin(limitBytes: number): Promise<DecodeResponse> {
    const { coding } = this;
    const makeJob = async () => {
      const body = await joined(this.chunks, this.bytes);
      return { message: { coding, body, limitBytes } satisfies DecodeMessage, moved: [body.buffer] };
    };
    return decodePool().run(makeJob, { owner: this.terms.owner, signal: this.gone.signal });
  }

  private async give(body: Uint8Array<ArrayBuffer>): Promise<void> {
    for (let at = 0; at < body.length && !this.destroyed; at += TURN_BYTES) {
      this.push(Buffer.from(body.buffer, body.byteOffset + at, Math.min(TURN_BYTES, body.length - at)));
      // Reading the decoded bytes takes time as well, so other events run in between.
      await setImmediate();
    }
  }
}

/** Memory of the second try; each further one has twice as much. */
const SECOND_BYTES = 1024 * 1024;

const TURN_BYTES = 256 * 1024;
