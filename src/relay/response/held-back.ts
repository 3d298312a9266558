import { packChunk } from "../../base/pack-chunk.ts";
import type { TruncatedStream } from "../../protocols/protocol.ts";

/**
 * Bytes held back until they close a frame (and, before the response begins, an event). A frame larger than this is an
 * inline image and flows on in parts.
 */
export const HOLD_BACK_BYTES = 256 * 1024;

/** Bytes of a stream that have come and are not passed on yet: whole frames first, then what begins the next one. */
export class HeldBack {
  bytes = 0;
  #chunks: Buffer[] = [];
  /** The number of leading chunks that hold whole frames. */
  #whole = 0;
  /** The bytes that were held when the finish arrived. */
  #atFinish: number | undefined;

  /** Keeps a chunk of which so many bytes close whole frames. */
  keep(chunk: Buffer, whole: number): void {
    this.bytes += chunk.length;
    if (whole > 0) {
      packChunk(this.#chunks, whole === chunk.length ? chunk : chunk.subarray(0, whole), this.bytes);
      this.#whole = this.#chunks.length;
    }
    if (whole === chunk.length) return;
    const open = whole === 0 ? chunk : chunk.subarray(whole);
    // An incomplete frame stays apart from complete ones.
    if (this.#chunks.length === this.#whole) this.#chunks.push(open);
    else packChunk(this.#chunks, open, this.bytes);
  }

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  /** Bytes that came behind the finish, which has come when this is asked first. */
  bytesBehindFinish(): number {
    this.#atFinish ??= this.bytes;
    return this.bytes - this.#atFinish;
  }

  /** All of it, which is then held no longer. */
  takeAll(): Buffer[] {
    const all = this.#chunks;
    this.#chunks = [];
    this.bytes = 0;
    this.#whole = 0;
    this.#atFinish = undefined;
    return all;
  }

  /** All of it, and what its stream lacks behind it: the end of an array, or a blank line, without which strict readers pass over a frame. */
  takeClosed({ form, midFrame }: Pick<TruncatedStream, "form" | "midFrame">): Buffer[] {
    const all = this.takeAll();
    if (form === "array") return [...all, ARRAY_END];
    return midFrame ? [...all, BLANK_LINE] : all;
  }

  /** The whole frames. */
  takeWhole(): Buffer[] {
    const taken = this.#chunks.splice(0, this.#whole);
    this.bytes = this.#chunks.reduce((sum, { length }) => sum + length, 0);
    this.#whole = 0;
    this.#atFinish = undefined;
    return taken;
  }

  /** Drops the frame that has begun. */
  dropOpen(): void {
    this.#chunks.length = this.#whole;
  }

  /** All of it and what comes next, in one piece. */
  with(chunk: Buffer): Buffer {
    return this.isEmpty ? chunk : Buffer.concat([...this.#chunks, chunk]);
  }
}

const ARRAY_END = Buffer.from("]");
/** After a lone CR or a single line end it closes the frame as well. */
const BLANK_LINE = Buffer.from("\n\n");
