import type { ServerResponse } from "node:http";
import { asBuffer } from "../../base/sse.ts";
import type { ClientResponse } from "../../relay/response/client-response.ts";
import { closeSlowReader } from "../core/slow-reader.ts";

/** Up to here a copy into one string costs less than the pieces of a gathered write. */
const JOINED_BYTES = 64 * 1024;

/** Wraps the raw response; `headers` are those that every response of this request carries, errors too. */
export function openClientResponse(raw: ServerResponse, headers: Record<string, string>): ClientResponse {
  return new RawResponse(raw, headers);
}

/**
 * A class, because its two getters on an object of closures would cost a request a hidden class of its own:
 * only a full collection frees those, and they keep the whole request until then.
 */
class RawResponse implements ClientResponse {
  readonly #raw: ServerResponse;
  readonly #headers: Record<string, string>;
  #onDrain: (() => void) | undefined;
  #onGone: (() => void) | undefined;
  #onClosed: (() => void) | undefined;
  #awaitsReader = false;
  #ended = false;
  /** The bytes of this turn of the event loop, one a character: an upstream sends several events at once. */
  #gathered = "";

  constructor(raw: ServerResponse, headers: Record<string, string>) {
    this.#raw = raw;
    this.#headers = headers;
    raw.on("close", () => {
      this.#onClosed?.();
      if (raw.writableFinished) return;
      this.#ended = true;
      this.#onGone?.();
    });
    raw.on("error", () => raw.destroy());
  }

  get open(): boolean {
    return !this.#ended && !this.#raw.destroyed;
  }

  get committed(): boolean {
    return this.#raw.headersSent;
  }

  addHeaders(more: Readonly<Record<string, string>>): void {
    Object.assign(this.#headers, more);
  }

  head(status: number, own: Readonly<Record<string, string>>): void {
    this.#raw.writeHead(status, Object.assign({}, this.#headers, own));
  }

  write(chunk: Uint8Array): boolean {
    if (chunk.byteLength > JOINED_BYTES) {
      this.#flush();
      return this.#send(chunk);
    }
    if (this.#gathered === "") process.nextTick(() => this.#flush());
    this.#gathered += asBuffer(chunk).toString("latin1");
    return !this.#raw.writableNeedDrain;
  }

  end(): void {
    this.#ended = true;
    this.#flush();
    this.#raw.end();
    this.#awaitRest();
  }

  whole(status: number, own: Readonly<Record<string, string>>, body: readonly Uint8Array[]): void {
    const raw = this.#raw;
    this.#ended = true;
    const length = body.reduce((sum, piece) => sum + piece.byteLength, 0);
    raw.writeHead(status, Object.assign({ "content-length": String(length) }, this.#headers, own));
    // Corked, so that head and body leave in one system call.
    raw.cork();
    if (length <= JOINED_BYTES) {
      // One string with the head, by itself: the cheapest of all writes. An end that has it, or comes before it has left,
      // would add an empty one, and so make it a gathered write, which takes a tenth of what a bare server does.
      raw.write(body.map((piece) => asBuffer(piece).toString("latin1")).join(""), "latin1");
      raw.uncork();
      raw.end();
    } else {
      for (const piece of body) raw.write(piece);
      raw.end();
      raw.uncork();
    }
    this.#awaitRest();
  }

  abort(): void {
    this.#ended = true;
    this.#raw.destroy();
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  onDisconnect(listener: () => void): void {
    this.#onGone = listener;
    if (this.#raw.destroyed && !this.#raw.writableFinished) queueMicrotask(listener);
  }

  onClosed(listener: () => void): void {
    this.#onClosed = listener;
    if (this.#raw.closed) queueMicrotask(listener);
  }

  #send(bytes: Uint8Array | string): boolean {
    const raw = this.#raw;
    const flowing = typeof bytes === "string" ? raw.write(bytes, "latin1") : raw.write(bytes);
    if (!flowing) this.#awaitReader();
    return flowing;
  }

  /** Most answers are with the kernel as soon as they are written. */
  #awaitRest(): void {
    if (this.#raw.writableLength > 0) this.#awaitReader();
  }

  #awaitReader(): void {
    if (this.#awaitsReader) return;
    this.#awaitsReader = true;
    const raw = this.#raw;
    const taken = (): void => {
      raw.off("drain", taken).off("finish", taken);
      this.#awaitsReader = false;
      heard();
      if (this.open) this.#onDrain?.();
    };
    const heard = closeSlowReader(raw);
    raw.on("drain", taken).on("finish", taken);
  }

  #flush(): void {
    if (this.#gathered === "" || this.#raw.destroyed) return;
    const text = this.#gathered;
    this.#gathered = "";
    this.#send(text);
  }
}
