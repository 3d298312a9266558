import { type Access, AccessFailure } from "../access/access.ts";
import type { UpstreamCall, UpstreamFailure, UpstreamResponse } from "../call.ts";
import type { RawHeaders } from "./raw-headers.ts";

/** The access that a request was sent with. */
export interface Taking {
  readonly access: Access;
  sent: readonly string[];
}

type Send = (receiver: UpstreamResponse, taking: Taking) => UpstreamCall;

/**
 * A call that is let in by something that expires: it waits until that is held, which it nearly always is, and goes out once
 * more with a new one where the vendor refuses the first, of which the caller hears nothing.
 */
export class AuthorizedCall implements UpstreamCall, UpstreamResponse {
  readonly #name: string;
  readonly #access: Access;
  readonly #response: UpstreamResponse;
  readonly #send: Send;
  readonly #taking: Taking;
  #call: UpstreamCall | undefined;
  /** A repetition is the last. */
  #isRepeated = false;
  /** Time at which the repeated call was first sent. */
  #firstSentMs: number | undefined;
  #isOver = false;
  #isPaused = false;

  constructor(name: string, access: Access, response: UpstreamResponse, send: Send) {
    this.#name = name;
    this.#access = access;
    this.#response = response;
    this.#send = send;
    this.#taking = { access, sent: [] };
    this.#begin();
  }

  sentMs(): number | undefined {
    return this.#firstSentMs ?? this.#call?.sentMs();
  }

  pause(): void {
    this.#isPaused = true;
    this.#call?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#call?.resume();
  }

  rest(): void {
    this.#call?.rest();
  }

  abort(): void {
    this.#isOver = true;
    this.#call?.abort();
  }

  // The response.

  head(status: number, headers: RawHeaders): void {
    const isNew = !this.#isRepeated && this.#access.isRenewed(this.#taking.sent, status, headers);
    if (!isNew) {
      this.#response.head(status, headers);
      return;
    }
    this.#isRepeated = true;
    this.#firstSentMs = this.#call?.sentMs();
    this.#call?.abort();
    this.#call = undefined;
    this.#begin();
  }

  data(chunk: Buffer): void {
    this.#response.data(chunk);
  }

  ended(): void {
    this.#response.ended();
  }

  failed(failure: UpstreamFailure): void {
    this.#response.failed(failure);
  }

  #begin(): void {
    if (this.#access.isReady()) {
      this.#go();
      return;
    }
    this.#access.ready().then(
      () => this.#go(),
      (error: unknown) => {
        if (!this.#isOver) this.#response.failed(noAccess(this.#name, error));
      },
    );
  }

  #go(): void {
    if (this.#isOver) return;
    this.#call = this.#send(this, this.#taking);
    if (this.#isPaused) this.#call.pause();
  }
}

/** The attempt's failure where nobody lets it in: nothing was sent. */
export function noAccess(name: string, error: unknown): UpstreamFailure {
  const why = error instanceof Error ? error.message : String(error);
  const advice = error instanceof AccessFailure ? error.advice : undefined;
  return { kind: "connect", phase: "connect", message: `${name} can't be asked: ${why}.`, advice };
}
