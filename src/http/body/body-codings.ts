import { Transform, type TransformCallback } from "node:stream";
import { setImmediate } from "node:timers/promises";
import * as zlib from "node:zlib";
import { createWorkerPool, joined, type WorkerPool } from "../../base/async/worker-pool.ts";
import { packChunk } from "../../base/pack-chunk.ts";
import type { UnzstdMessage, UnzstdResponse } from "./unzstd-worker.ts";

/** Opens a decoder of a body; `limitBytes`: what it may hold decoded. */
export type OpenDecoder = (limitBytes: number) => Transform;

/** `Content-Encoding` that request bodies may have, in lower case. */
const DECODERS: Readonly<Record<string, OpenDecoder>> = {
  gzip: () => new Unpacked(() => zlib.createGunzip()),
  "x-gzip": () => new Unpacked(() => zlib.createGunzip()),
  br: () => new Unpacked(() => zlib.createBrotliDecompress()),
  deflate: () => new Unpacked(inflateEither),
  zstd: (limitBytes) => new Unzstd(limitBytes),
};

/** For those whose coding is another. */
export const CODINGS = "gzip, br, deflate, zstd";

/** undefined = none is needed, "unknown" = there is none. */
export function decoderOf(contentEncoding: string | undefined): OpenDecoder | undefined | "unknown" {
  const coding = contentEncoding?.trim().toLowerCase() || "identity";
  if (coding === "identity") return undefined;
  return (Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined) ?? "unknown";
}

/** What decoded more than it may: no broken body, but one that is too large. */
export class DecodedTooLarge extends Error {
  override readonly name = "DecodedTooLarge";
}

type ZlibStream = zlib.Gunzip | zlib.Inflate | zlib.InflateRaw | zlib.BrotliDecompress;

/** "deflate" is zlib's format (RFC 9110, 8.4.1.2); some clients send the bare stream, which its first bytes tell. */
function inflateEither(first: Buffer): ZlibStream {
  const isWrapped =
    (first.readUInt8(0) & 0x0f) === 8 && (first.length < 2 || first.readUInt16BE(0) % 31 === 0);
  return isWrapped ? zlib.createInflate() : zlib.createInflateRaw();
}

/**
 * One of zlib's decoders, no further ahead than what reads from it. Bytes behind the end of what is coded are an error, except a
 * further member of gzip: zlib's own streams end there and never call back for those bytes, so that whoever writes them waits
 * forever.
 */
class Unpacked extends Transform {
  private readonly open: (first: Buffer) => ZlibStream;
  private inner: ZlibStream | undefined;
  private ending: TransformCallback | undefined;

  constructor(open: (first: Buffer) => ZlibStream) {
    super();
    this.open = open;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.inner ??= this.opened(chunk);
    this.inner.write(chunk, () => done());
  }

  override _flush(done: TransformCallback): void {
    this.ending = done;
    if (this.inner === undefined) done();
    else this.inner.end();
  }

  override _read(size: number): void {
    this.inner?.resume();
    super._read(size);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.inner?.destroy();
    done(error);
  }

  private opened(first: Buffer): ZlibStream {
    const inner = this.open(first);
    inner.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) inner.pause();
    });
    inner.on("error", (error) => this.destroy(error));
    inner.on("end", () => {
      if (this.ending === undefined) this.destroy(new Error("bytes follow the end of what is coded"));
      else this.ending();
    });
    return inner;
  }
}

let pool: WorkerPool<UnzstdResponse> | undefined;

/**
 * Decodes a body in a thread once it is whole, since it is measured first and the decoder in JavaScript would hold up everyone
 * else. Node's own stream (22.15 and later) is not taken: it ends well where a body is cut off, and at the end of its first frame.
 */
class Unzstd extends Transform {
  private readonly limitBytes: number;
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  constructor(limitBytes: number) {
    super();
    this.limitBytes = limitBytes;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    packChunk(this.chunks, chunk, this.bytes);
    done(this.bytes > this.limitBytes ? new DecodedTooLarge() : null);
  }

  override _flush(done: TransformCallback): void {
    this.decode().then(() => done(), done);
  }

  private async decode(): Promise<void> {
    pool ??= createWorkerPool<UnzstdResponse>({
      entry: new URL("./unzstd-worker.ts", import.meta.url),
      workers: 1,
      waiting: WAITING,
      limits: {},
    });
    const response = await pool.run(async () => {
      const body = await joined(this.chunks.splice(0), this.bytes);
      return { message: { body, limitBytes: this.limitBytes } satisfies UnzstdMessage, moved: [body.buffer] };
    });
    if ("fault" in response) {
      throw response.fault === "too-large" ? new DecodedTooLarge() : new Error("not valid zstd");
    }
    const { body } = response;
    for (let at = 0; at < body.length; at += TURN_BYTES) {
      this.push(Buffer.from(body.buffer, at, Math.min(TURN_BYTES, body.length - at)));
      // Reading it is work too, which is done between the turns.
      await setImmediate();
    }
  }
}

/** Compressed bodies that wait for the thread; each is held within the memory of bodies. */
const WAITING = 64;

const TURN_BYTES = 256 * 1024;
