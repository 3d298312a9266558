import type { UpstreamError } from "../../protocols/errors/upstream-error-policy.ts";
import type { ResponseSummary, UsageReader } from "../../protocols/protocol.ts";
import type { OnCall } from "../../protocols/translation.ts";
import type { AttemptOutcome } from "../../routing/health/outcome.ts";
import type { Candidate, UpstreamCall, UpstreamFailure } from "../../upstreams/call.ts";
import type { Scrubber } from "../../upstreams/scrub/scrubber.ts";
import type { Exchange, Seen } from "../exchange.ts";
import type { AttemptFailure, ErrorRecipient } from "../failures.ts";
import type { RelayMode } from "../mode/relay-mode.ts";
import type { ResponseReading, ResponseTerms } from "../mode/whole-response.ts";

/** One try at one upstream, as its receiver sees it. */
export interface Attempt {
  readonly exchange: Exchange;
  readonly candidate: Candidate;
  readonly upstreamCall: UpstreamCall;
  /** Reads usage off the upstream's response. */
  readonly usage: UsageReader;
  /** The word for errors the gateway makes, per vocabulary. */
  readonly errorType: string;
  /** The response has begun: routing learns it now, as a long stream may take an hour to end. */
  answering(): void;
  /** The exchange is over and settled; `health` is what routing learns, by default that the upstream answered. */
  done(health?: AttemptOutcome): void;
  /** Ends a response that broke off in the middle, by default at its upstream; only the log gives the reason. */
  interrupted(why: Error, health?: AttemptOutcome): void;
  /** Another receives the response from here on. */
  setReceiver(receiver: Receiver): void;
  /**
   * Fails the attempt with nothing sent to the caller, so that another candidate or an error response can follow. `seen` is
   * what the vendor may bill; absent = unknown.
   */
  fail(failure: AttemptFailure, seen?: Seen): void;
  /** Records the ids in a complete response, so that later requests reach the upstream that stores it. */
  learn(summary: ResponseSummary): void;
  /** Runs work that no caller of ours awaits; its failure ends this request alone. */
  guard(work: () => void | Promise<void>): void;
  /** Takes what is ours out of the upstream's words: called where one is told. */
  scrubber(): Scrubber;
  /** Takes the same out of a long response, in a worker. */
  scrubInWorker(body: readonly Uint8Array[]): Promise<Uint8Array>;
  /** Reads a long response in a worker; rejects as `readWhole` throws. */
  readInWorker(
    chunks: readonly Buffer[],
    terms: ResponseTerms,
    onCall: OnCall | undefined,
  ): Promise<ResponseReading>;
  /** The recipient of the failure, for `streamFailure`. */
  recipient(): ErrorRecipient;
  /** The upstream's error as this request's failure, in words that can be told. */
  failureOf(error: UpstreamError): AttemptFailure;
  /** The failure of a response of which nothing was passed on, including a refusal that a fallback model may answer. */
  undeliveredFailure(
    summary: ResponseSummary,
    verdict: UpstreamError | undefined,
  ): AttemptFailure | undefined;
  /** Reports how many bytes are kept. The upstream is paused while there is no memory for more. */
  keeps(bytes: number): void;
  /** Reserves memory for this many bytes of a stream; false = there is none. */
  mayKeep(bytes: number): boolean;
  /** The kept bytes wait for the caller to read them, however long that takes. */
  keepsUntilRead(): void;
  /** The way back to the caller. */
  readonly mode: RelayMode;
}

/**
 * Receives one kind of response (plain, streamed, error). What a method throws or rejects with is a response too large, or
 * a bug of ours, and costs this request alone.
 */
export interface Receiver {
  data(chunk: Buffer): void;
  ended(): void | Promise<void>;
  failed(failure: UpstreamFailure): void | Promise<void>;
  /** The caller left. */
  clientGone(): void | Promise<void>;
  /** The gateway stops and has waited long enough. */
  abort(): void | Promise<void>;
  /** One of these has thrown: ends the response as far as it came. Absent = nothing of it was passed on. */
  crashed?(cause: unknown): void | Promise<void>;
}
