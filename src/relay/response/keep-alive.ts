import type { Deadlines, Timed } from "../../base/async/deadlines.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { droppedHeader, type Loss } from "../../conversation/loss.ts";
import type { TextRequest } from "../text-request.ts";

/** A streamed request that needs keep-alives. */
interface KeepAliveExchange {
  readonly request: TextRequest;
  readonly catalog: Catalog;
  readonly losses: readonly Loss[];
}

/**
 * Writes keep-alives to the caller of a stream while no response bytes come, because clients and proxies drop silent
 * connections. A stream costs one slot in a sweep and one assignment per write: no timer is set or moved while bytes flow. It
 * lives from the first candidate to the last, since keep-alives are no part of a response.
 */
export class KeepAlive implements Timed {
  slot = -1;
  /** True while part of a frame has been sent, in which no keep-alive can be written. */
  midFrame = false;
  /** Called at each sweep, for the time limits of the current receiver. */
  onSweep: (() => void) | undefined;
  readonly #beats: Deadlines<KeepAlive>;
  readonly #exchange: KeepAliveExchange;
  readonly #sign: Uint8Array;
  /** When the client last received bytes; at first, when its wait began. */
  #heardMs: number;

  constructor(beats: Deadlines<KeepAlive>, exchange: KeepAliveExchange) {
    this.#beats = beats;
    this.#exchange = exchange;
    const { arrayStream, protocol } = exchange.request;
    this.#sign = arrayStream ? BLANK : Buffer.from(protocol.forward.keepAliveFrame);
    beats.add(this);
    this.#heardMs = beats.nowMs;
  }

  /**
   * These bytes of the response have been written. The upstream's comments alone are no sign of life where that is an event:
   * a client may wait for one.
   */
  wrote(bytes: Uint8Array): void {
    if (bytes[0] === COLON && this.#sign[0] !== COLON && canWriteComments(bytes)) return;
    this.#heardMs = this.#beats.nowMs;
  }

  expire(nowMs: number): void {
    this.onSweep?.();
    const { request, catalog } = this.#exchange;
    const { response } = request;
    if (this.midFrame || !response.open) return;
    const { firstMs, betweenMs } = catalog.settings.keepalive;
    if (nowMs - this.#heardMs < (response.committed ? betweenMs : firstMs)) return;
    if (!response.committed) response.head(200, streamHeaders(this.#exchange));
    response.write(this.#sign);
    this.#heardMs = nowMs;
  }

  end(): void {
    this.#beats.delete(this);
    this.onSweep = undefined;
  }
}

/** The headers of a stream whose upstream hasn't sent any yet. */
function streamHeaders({ request, losses }: KeepAliveExchange): Record<string, string> {
  const type = request.arrayStream ? "application/json" : "text/event-stream";
  return { "content-type": `${type}; charset=utf-8`, ...droppedHeader(losses), ...UNBUFFERED };
}

/** Without these headers, proxies in between would buffer the stream. */
export const UNBUFFERED = { "cache-control": "no-cache", "x-accel-buffering": "no" };

/** Between the items of a JSON array, or before it. */
const BLANK = Buffer.from(" ");

const COLON = 0x3a;

/** True if whole frames that begin with a comment are comments only. */
function canWriteComments(frames: Uint8Array): boolean {
  return !/^[^:\r\n]/m.test(Buffer.from(frames).toString("latin1"));
}
