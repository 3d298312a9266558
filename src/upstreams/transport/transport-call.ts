import type { Client, Dispatcher } from "undici";
import type { Deadlines, Timed } from "../../base/async/deadlines.ts";
import { runInOwnTurn } from "../../base/async/event-loop-batch.ts";
import type { Clock } from "../../base/clock.ts";
import type { Upstream } from "../../catalog/catalog.ts";
import type { Log } from "../../observe/log.ts";
import type { UpstreamCall, UpstreamFailure, UpstreamResponse } from "../call.ts";
import { failureOf, type Limit, switched, timeoutOf } from "../failures.ts";
import { RawHeaders } from "./raw-headers.ts";
import type { UpstreamConnection } from "./transport-connections.ts";
import { type Decoder, openDecoder } from "./transport-decoding.ts";

const CONNECTING = 0;
const WAITING = 1;
const BODY = 2;
const OVER = 3;

/** A server that has closed an idle connection says so within a round trip; one that took the request works longer. */
const STALE_MS = 1_000;

/** The one interim response that ends HTTP; nothing here asks for it. */
const SWITCHING = 101;

/** Makes the request; anew for each try, as a large body can be read only once. */
export type RequestTo = (prefix: string) => Dispatcher.DispatchOptions;

export interface TransportCallOptions {
  readonly upstream: Upstream;
  readonly streamed: boolean;
  /** True if it may go out once more where a kept connection turns out to have been closed. */
  readonly repeatable: boolean;
  readonly deadlines: Deadlines<TransportCall>;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly log: Log;
}

/**
 * One attempt: the state between the HTTP client's callbacks and the receiver's. It ends exactly once,
 * by `ended`, by `failed` or by our own abort, and nothing is called back afterwards.
 */
export class TransportCall implements UpstreamCall, Timed, Dispatcher.DispatchHandler {
  slot = -1;
  readonly #response: UpstreamResponse;
  readonly #options: TransportCallOptions;
  readonly #startedMs: number;
  #state: typeof CONNECTING | typeof WAITING | typeof BODY | typeof OVER = CONNECTING;
  /** When a connection took it; known also when all is over. */
  #sentMs: number | undefined;
  #connection: UpstreamConnection | undefined;
  #client: Client | undefined;
  /** Reads on, where the client was told to stop. */
  #readOn: (() => void) | undefined;
  #coding: string | undefined;
  #decoder: Decoder | undefined;
  /** The decoder has as much as it takes. */
  #full = false;
  #waitingSinceMs: number;
  #lastByteMs: number;
  #paused = false;
  /** It reads on in a later turn of the event loop. */
  #resting = false;
  #sending = true;
  /** On a kept connection until its response begins. */
  #repeat: RequestTo | undefined;

  constructor(response: UpstreamResponse, options: TransportCallOptions) {
    this.#response = response;
    this.#options = options;
    options.deadlines.add(this);
    this.#startedMs = options.deadlines.nowMs;
    this.#waitingSinceMs = this.#startedMs;
    this.#lastByteMs = this.#startedMs;
  }

  /** Goes out on a connection of this line. */
  dispatch(connection: UpstreamConnection, requestTo: RequestTo): void {
    this.#connection = connection;
    connection.load.inFlight += 1;
    const idle = connection.takeIdle();
    if (idle !== undefined && this.#options.repeatable) this.#repeat = requestTo;
    this.#client = idle ?? connection.takeNew();
    this.#client.dispatch(requestTo(connection.prefix), this);
  }

  /** `send` is about to return: from now on a failure may be told at once. */
  sent(): void {
    this.#sending = false;
  }

  sentMs(): number | undefined {
    return this.#sentMs;
  }

  pause(): void {
    this.#paused = true;
    this.#decoder?.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    // Paused time doesn't count as idle.
    this.#lastByteMs = this.#options.deadlines.nowMs;
    if (!this.#resting) this.#decoder?.resume();
    // A callback of one response may resume another; the client reads one at a time and refuses until it has finished
    // its present one.
    queueMicrotask(() => this.#goOn());
  }

  rest(): void {
    if (this.#resting || this.#state === OVER) return;
    this.#resting = true;
    this.#decoder?.pause();
    runInOwnTurn(() => {
      this.#resting = false;
      if (this.#state === OVER) return;
      if (!this.#paused) this.#decoder?.resume();
      this.#goOn();
    });
  }

  abort(): void {
    if (this.#state !== OVER) this.#finish();
  }

  /** Ends the attempt from our side and tells the receiver. */
  fail(failure: UpstreamFailure): void {
    if (this.#state === OVER) return;
    this.#finish();
    if (this.#sending) queueMicrotask(() => this.#tell(failure));
    else this.#tell(failure);
  }

  get phase(): UpstreamFailure["phase"] {
    if (this.#state === CONNECTING) return "connect";
    return this.#state === WAITING ? "first-byte" : "body";
  }

  expire(nowMs: number): void {
    const { streamed } = this.#options;
    const { timeouts } = this.#options.upstream;
    const waitedMs = nowMs - this.#waitingSinceMs;
    if (nowMs - this.#startedMs >= timeouts.totalMs) {
      this.#timedOut("total", timeouts.totalMs);
    } else if (this.#state === CONNECTING) {
      if (waitedMs >= timeouts.connectMs) this.#timedOut("connect", timeouts.connectMs);
    } else if (this.#paused) {
      // A receiver that takes no bytes is no silent upstream; how long it may do so is its own limit.
    } else if (this.#state === WAITING) {
      const limitMs = streamed ? timeouts.firstByteStreamMs : timeouts.firstBytePlainMs;
      if (waitedMs >= limitMs) this.#timedOut("firstByte", limitMs);
    } else if (nowMs - this.#lastByteMs >= timeouts.idleMs) {
      this.#timedOut("idle", timeouts.idleMs);
    }
  }

  // The HTTP client's side: its older form of callbacks, which has headers as they came. The newer one puts an object
  // for each request between them and makes strings of all headers, some thirty where two are wanted.

  onConnect(): void {
    if (this.#state === OVER) return;
    this.#sentMs = this.#options.clock.monotonicMs();
    this.#state = WAITING;
    this.#waitingSinceMs = this.#options.deadlines.nowMs;
  }

  onHeaders(status: number, list: readonly Buffer[], readOn: () => void): boolean {
    this.#repeat = undefined;
    // Informational answers (103 and the like) come before the final one and mean nothing to us.
    if (this.#state === OVER) return true;
    if (status < 200) {
      if (status === SWITCHING) this.fail(switched(this.phase, this.#options.upstream.name));
      return true;
    }
    this.#readOn = readOn;
    const headers = new RawHeaders(list);
    this.#coding = headers.get("content-encoding");
    try {
      this.#response.head(status, headers);
    } catch (error) {
      this.#receiverThrew(error);
    }
    return this.#isReading;
  }

  onData(chunk: Buffer): boolean {
    if (this.#state === OVER) return true;
    this.#lastByteMs = this.#options.deadlines.nowMs;
    // The decoder opens with the first byte, because some codings make an empty body of no bytes.
    if (this.#state !== BODY) this.#decoder = this.#openDecoder(chunk);
    this.#state = BODY;
    if (this.#decoder === undefined) this.#pass(chunk);
    else this.#full = !this.#decoder.write(chunk);
    return this.#isReading;
  }

  onComplete(): void {
    if (this.#state === OVER) return;
    if (this.#client !== undefined) this.#connection?.keep(this.#client);
    this.#client = undefined;
    this.#readOn = undefined;
    if (this.#decoder === undefined) this.#end();
    else this.#decoder.end();
  }

  onError(error: Error): void {
    if (this.#state === OVER) return;
    const failure = failureOf(error, this.phase, this.#options.upstream.name);
    if (failure.kind !== "closed" || !this.#dispatchAgain()) this.fail(failure);
  }

  /** The server closed a kept connection just as this went out on it: no failure of the upstream's. */
  #dispatchAgain(): boolean {
    const requestTo = this.#repeat;
    const { nowMs } = this.#options.deadlines;
    if (requestTo === undefined || this.#connection === undefined || this.#client === undefined) return false;
    if (nowMs - this.#waitingSinceMs > STALE_MS) return false;
    this.#repeat = undefined;
    this.#connection.drop(this.#client);
    this.#readOn = undefined;
    this.#sentMs = undefined;
    this.#state = CONNECTING;
    this.#waitingSinceMs = nowMs;
    this.#client = this.#connection.takeNew();
    this.#client.dispatch(requestTo(this.#connection.prefix), this);
    return true;
  }

  get #isReading(): boolean {
    return !this.#paused && !this.#resting && !this.#full;
  }

  #goOn(): void {
    if (this.#isReading && this.#state !== OVER) this.#readOn?.();
  }

  #openDecoder(beginning: Buffer): Decoder | undefined {
    const { name } = this.#options.upstream;
    const decoder = openDecoder(this.#coding, beginning[0] ?? 0, {
      data: (chunk) => this.#pass(chunk),
      ended: () => this.#end(),
      failed: ({ message }) =>
        this.fail({
          kind: "protocol",
          phase: this.phase,
          message: `${name} sent a compressed response that can't be decoded: ${message}.`,
        }),
      drained: () => {
        this.#full = false;
        this.#goOn();
      },
    });
    if (this.#paused || this.#resting) decoder?.pause();
    return decoder;
  }

  #pass(chunk: Buffer): void {
    if (this.#state === OVER) return;
    try {
      this.#response.data(chunk);
    } catch (error) {
      this.#receiverThrew(error);
    }
  }

  #end(): void {
    if (this.#state === OVER) return;
    this.#finish();
    try {
      this.#response.ended();
    } catch (error) {
      this.#options.log.error({ err: error }, "internal error at the end of an upstream response");
    }
  }

  #timedOut(limit: Limit, limitMs: number): void {
    const { name, options } = this.#options.upstream;
    const host = limit === "connect" && options?.proxy !== undefined ? `${name} behind its proxy` : name;
    this.fail(timeoutOf(limit, limitMs, this.phase, host));
  }

  /** Our own fault: the request dies, the process goes on. */
  #receiverThrew(error: unknown): void {
    this.#options.log.error({ err: error }, "internal error while reading an upstream response");
    this.fail({
      kind: "aborted",
      phase: this.phase,
      message: "The gateway failed while reading the response.",
    });
  }

  #tell(failure: UpstreamFailure): void {
    try {
      this.#response.failed(failure);
    } catch (error) {
      this.#options.log.error({ err: error }, "internal error while handling an upstream failure");
    }
  }

  /** The one way out. A connection that is still ours is closed: what comes on it now belongs to nobody. */
  #finish(): void {
    this.#state = OVER;
    this.#decoder?.destroy();
    this.#options.deadlines.delete(this);
    if (this.#connection === undefined) return;
    this.#connection.load.inFlight -= 1;
    if (this.#client !== undefined) this.#connection.drop(this.#client);
  }
}
