import { Transform, type TransformCallback } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { SMALL_BYTES } from "../../base/async/memory-budget.ts";
import { createWorkerPool, joined, type WorkerPool } from "../../base/async/worker-pool.ts";
import { packChunk } from "../../base/pack-chunk.ts";
import type { Coding, DecodeMessage } from "./decode-worker.ts";
import type { DecodeResponse } from "./unzstd.ts";

/** What a decoder may take of the gateway. */
export interface DecoderTerms {
  /** What the body may hold decoded. */
  readonly limitBytes: number;
  /** Whose body it is: owners take turns. */
  readonly owner: unknown;
  /** Asks for the memory of that many decoded bytes before they are decoded; throws where there is none. */
  readonly reserve: (bytes: number) => void;
}

/** Opens a decoder of a body. */
export type OpenDecoder = (terms: DecoderTerms) => Transform;

/** `Content-Encoding` that request bodies may have, in lower case. */
const CODING_OF: ReadonlyMap<string, Coding> = new Map([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["br", "br"],
  ["deflate", "deflate"],
  ["zstd", "zstd"],
]);

/** For those whose coding is another. */
export const CODINGS = "gzip, br, deflate, zstd";

/** undefined = none is needed, "unknown" = there is none. */
export function decoderOf(contentEncoding: string | undefined): OpenDecoder | undefined | "unknown" {
  const name = contentEncoding?.trim().toLowerCase() || "identity";
  if (name === "identity") return undefined;
  const coding = CODING_OF.get(name);
  return coding === undefined ? "unknown" : (terms) => new Decoded(coding, terms);
}

/** What decoded more than it may: no broken body, but one that is too large. */
export class DecodedTooLarge extends Error {
  override readonly name = "DecodedTooLarge";
}

/**
 * Compressed bodies that wait for the thread, all and one account's; what they hold is counted with the memory of bodies.
 * An account's share is large enough for a burst, and leaves room for others.
 */
const WAITING = 1_000;
const WAITING_OF_OWNER = 100;

/** The largest body takes a second; the zstd decoder in JavaScript takes several on a busy machine. */
const LIMIT_MS = 30_000;

let pool: WorkerPool<DecodeResponse> | undefined;

/** The largest window of a coding, which is brotli's (RFC 7932, 9.1); zstd's is bounded in `unzstd.ts`, zlib's has 32 KB. */
const MAX_WINDOW_BYTES = 16 * 1024 * 1024;

/**
 * What decoding takes beside the bodies: the window of the one that is decoded, however few bytes ask for it. Nothing as long
 * as no body was compressed.
 */
export function decoderBytes(): number {
  return pool === undefined ? 0 : MAX_WINDOW_BYTES;
}

/**
 * The one thread that decodes, so that one window at a time is in memory; zlib's streams would open one per body, in the threads
 * that files and names need as well.
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
 * Decodes a body in a thread once it is whole: as far as there is memory for it, which is asked for beforehand, and from the
 * start again with more where that was too little. So a body that holds a thousand times its size takes no more than one that
 * says how large it is, and nobody's decoder waits half-way for a slow sender.
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
      // Reading it is work too, which is done between the turns.
      await setImmediate();
    }
  }
}

/** What a body is given that does not fit the first try: from here on each has twice the one before. */
const SECOND_BYTES = 1024 * 1024;

const TURN_BYTES = 256 * 1024;
