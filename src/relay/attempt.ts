import { deferToBatch } from "../base/async/event-loop-batch.ts";
import { failpoint } from "../base/failpoint.ts";
import { droppedHeader } from "../conversation/loss.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { UpstreamError } from "../protocols/errors/upstream-error-policy.ts";
import type { ResponseSummary, UsageReader } from "../protocols/protocol.ts";
import { PROTOCOLS } from "../protocols/table.ts";
import type { OnCall } from "../protocols/translation.ts";
import { type AttemptOutcome, countedAs } from "../routing/health/outcome.ts";
import type { Routing } from "../routing/routing.ts";
import type {
  Candidate,
  Transport,
  UpstreamCall,
  UpstreamFailure,
  UpstreamRequest,
  UpstreamResponse,
} from "../upstreams/call.ts";
import type { IssuedIds } from "../upstreams/memory/issued-ids.ts";
import { optionRemedy } from "../upstreams/option-remedies.ts";
import { type Scrubber, scrubberAt } from "../upstreams/scrub/scrubber.ts";
import type { RawHeaders } from "../upstreams/transport/raw-headers.ts";
import { readServiceWord } from "../usage/service-terms.ts";
import { noCompaction, refusesToCompact } from "./admit/compacting.ts";
import { readReferences } from "./admit/references.ts";
import { type Exchange, type Seen, useOf } from "./exchange.ts";
import {
  type AttemptFailure,
  type ErrorRecipient,
  failureOfError,
  internalFailure,
  isRefusal,
  refusedResponse,
  scrubbedError,
} from "./failures.ts";
import { fanOut } from "./fan-out/fan-out.ts";
import type { RelayMode } from "./mode/relay-mode.ts";
import type { ResponseReader } from "./mode/response-reader.ts";
import type { ResponseReading, ResponseTerms } from "./mode/whole-response.ts";
import { BufferedResponse } from "./response/buffered-response.ts";
import { ErrorResponse } from "./response/error-response.ts";
import { UNBUFFERED } from "./response/keep-alive.ts";
import { PendingResponse } from "./response/pending-response.ts";
import type { Attempt, Receiver } from "./response/receiver.ts";
import type { ResponseMemory, ResponsePart } from "./response/response-memory.ts";
import { SplitResponse } from "./response/split-response.ts";
import { StreamingResponse } from "./response/streaming-response.ts";
import { type AttemptRecord, recordFailedAttempt } from "./settle/failed-request.ts";

/** Some milliseconds' work at worst, when it comes as the smallest of events. */
const SLICE_BYTES = 32 * 1024;

export interface AttemptDeps {
  readonly transport: Transport;
  readonly routing: Routing;
  readonly issuedIds: IssuedIds;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly errorType: string;
  readonly responseMemory: ResponseMemory;
  readonly responseReader: Pick<ResponseReader, "read" | "scrub">;
}

/** Sends one attempt. Resolves to undefined when the exchange is over, else to how the attempt failed. */
export function attemptAt(
  deps: AttemptDeps,
  exchange: Exchange,
  candidate: Candidate,
  mode: RelayMode,
): Promise<AttemptFailure | undefined> {
  return new Promise((resolve) => {
    const attempt = new RunningAttempt(deps, exchange, candidate, mode, resolve);
    exchange.request.response.onDisconnect(() => attempt.callerLeft());
    exchange.onAbort = () => attempt.cut();
  });
}

/** Between the transport, which tells it of the upstream's response, and the receiver that the response's head asks for. */
class RunningAttempt implements Attempt, UpstreamResponse {
  readonly exchange: Exchange;
  readonly candidate: Candidate;
  readonly mode: RelayMode;
  readonly upstreamCall: UpstreamCall;
  readonly usage: UsageReader;
  private readonly deps: AttemptDeps;
  private readonly resolve: (failure: AttemptFailure | undefined) => void;
  private receiver: Receiver;
  private over = false;
  /** The receiver was told of a failure of its own. */
  private crashed = false;
  private part: ResponsePart | undefined;
  /** Bytes since others had a turn. */
  private sliceBytes = 0;
  private readonly sentMs: number;
  /** For the log, if the attempt fails. */
  private readonly notes: AttemptRecord;

  constructor(
    deps: AttemptDeps,
    exchange: Exchange,
    candidate: Candidate,
    mode: RelayMode,
    resolve: (failure: AttemptFailure | undefined) => void,
  ) {
    this.deps = deps;
    this.exchange = exchange;
    this.candidate = candidate;
    this.mode = mode;
    this.resolve = resolve;
    this.notes = {
      beganMs: exchange.clock.monotonicMs(),
      headMs: undefined,
      status: undefined,
      headers: undefined,
      error: undefined,
    };
    const { id, streamed, query, headers, compacts } = exchange.request;
    const { arrayStream, pieces } = mode;
    const below = compacts === "call" ? "/compact" : undefined;
    const upstreamRequest = {
      candidate,
      requestId: id,
      streamed,
      arrayStream,
      query,
      headers,
      body: pieces,
      below,
    };
    this.sentMs = exchange.clock.monotonicMs();
    const sent = send(deps.transport, mode, upstreamRequest, this);
    this.upstreamCall = sent.upstreamCall;
    exchange.isSent = () => sent.upstreamCall.sentMs() !== undefined;
    this.usage = sent.usage;
    this.receiver = new PendingResponse(this);
  }

  get errorType(): string {
    return this.deps.errorType;
  }

  // Transport events, never before `send` has returned.

  head(status: number, headers: RawHeaders): void {
    failpoint("upstream.after-head");
    this.notes.headMs = this.exchange.clock.monotonicMs();
    this.notes.status = status;
    this.notes.headers = headers;
    const { tierHeader } = PROTOCOLS[this.candidate.protocol];
    this.exchange.tierInHead =
      tierHeader === undefined ? undefined : readServiceWord(headers.get(tierHeader));
    this.receiver = receiverFor(this, status, headers);
    if (this.exchange.clientGone) this.guard(() => this.receiver.clientGone());
  }

  /** Guarded without a function of its own, as a stream has a hundred events and more. */
  data(chunk: Buffer): void {
    try {
      this.receiver.data(chunk);
    } catch (cause) {
      this.crash(cause);
    }
    if (this.mode.inSlices) this.endSlice(chunk.length);
  }

  /** The rest of what a fast upstream brings waits until others have had a turn. */
  private endSlice(bytes: number): void {
    this.sliceBytes += bytes;
    if (this.sliceBytes < SLICE_BYTES) return;
    this.sliceBytes = 0;
    this.upstreamCall.rest();
  }

  /** Only a disconnect of the caller can come first, and the response that has arrived is charged all the same. */
  ended(): void {
    deferToBatch(() => this.guard(() => this.receiver.ended()));
  }

  failed(failure: UpstreamFailure): void {
    this.guard(() => this.receiver.failed(failure));
  }

  // The caller disconnects, or the gateway shuts down.

  callerLeft(): void {
    this.exchange.clientGone = true;
    if (!this.over) this.guard(() => this.receiver.clientGone());
  }

  cut(): void {
    this.guard(() => this.receiver.abort());
  }

  // Reports of the receiver.

  answering(): void {
    this.report({ kind: "answering", firstByteMs: this.exchange.clock.monotonicMs() - this.sentMs });
  }

  done(health: AttemptOutcome = { kind: "ok" }): void {
    this.close(undefined, health);
  }

  interrupted(err: Error, health: AttemptOutcome = { kind: "failed" }): void {
    const about = { requestId: this.exchange.request.id, upstream: this.candidate.upstream.name, err };
    if (health.kind === "failed") this.deps.log.warn(about, "upstream failed mid-stream");
    else this.deps.log.error(about, "internal error ended a response mid-stream");
    this.close(undefined, health, err);
  }

  setReceiver(receiver: Receiver): void {
    this.receiver = receiver;
    const { keepAlive } = this.exchange;
    if (keepAlive !== undefined) keepAlive.onSweep = undefined;
  }

  fail(failure: AttemptFailure, seen: Seen = "unknown"): void {
    if (!this.over) this.exchange.uses.push(useOf(this.exchange, this.candidate, seen));
    this.close(failure, failure.health, failure.error);
  }

  scrubber(): Scrubber {
    return scrubberAt(this.exchange.catalog, this.candidate);
  }

  scrubInWorker(body: readonly Uint8Array[]): Promise<Uint8Array> {
    return this.deps.responseReader.scrub(body, this.exchange.catalog);
  }

  readInWorker(
    chunks: readonly Buffer[],
    terms: ResponseTerms,
    onCall: OnCall | undefined,
  ): Promise<ResponseReading> {
    const { copies } = this.mode;
    const { protocol: upstream } = this.candidate;
    return this.deps.responseReader.read({ chunks, terms, upstream, copies, onCall });
  }

  recipient(): ErrorRecipient {
    const client = this.exchange.request.protocol.name;
    return { client, upstream: this.candidate.upstream.name, scrubber: () => this.scrubber() };
  }

  failureOf(error: UpstreamError): AttemptFailure {
    const { request } = this.exchange;
    if (refusesToCompact(request, error)) return noCompaction();
    const upstream = this.candidate.upstream.name;
    const scrubbed = scrubbedError(error, this.scrubber());
    const option = optionRemedy(scrubbed);
    if (option !== undefined)
      this.deps.log.info(
        { requestId: request.id, upstream, option },
        "upstream option available that avoids this refusal",
      );
    this.notes.error = scrubbed;
    return failureOfError(scrubbed, request.protocol.name, upstream);
  }

  undeliveredFailure(
    summary: ResponseSummary,
    verdict: UpstreamError | undefined,
  ): AttemptFailure | undefined {
    if (verdict !== undefined) return this.failureOf(verdict);
    const { fallbacks, clientGone } = this.exchange;
    if (fallbacks === undefined || clientGone || !isRefusal(summary) || !fallbacks.goesOnAfter("refusal"))
      return undefined;
    return refusedResponse(this.candidate.upstream.name);
  }

  learn({ id, issued }: ResponseSummary): void {
    const { storesResponse } = this.mode;
    if (storesResponse && id !== undefined) this.remember([id]);
    if (issued === undefined || this.candidate.protocol !== this.exchange.request.protocol.name) return;
    // Ids that the request named are only repeated by the response.
    const named = new Set(readReferences(this.exchange.request).ids.map((reference) => reference.id));
    const ids = storesResponse ? [...issued.withResponse, ...issued.separately] : issued.separately;
    this.remember(ids.filter((each) => !named.has(each)));
  }

  private remember(ids: readonly string[]): void {
    const { upstream, credential } = this.candidate;
    const { accountId } = this.exchange.request.caller;
    const place = { accountId, upstreamId: upstream.id, credentialId: credential.id };
    for (const id of ids) this.deps.issuedIds.remember({ id, ...place });
  }

  keeps(bytes: number): void {
    this.part ??= this.deps.responseMemory.open(this.exchange.request.caller.accountId, this.upstreamCall);
    this.part.holds(bytes);
  }

  mayKeep(bytes: number): boolean {
    this.part ??= this.deps.responseMemory.open(this.exchange.request.caller.accountId);
    return this.part.holds(bytes);
  }

  keepsUntilRead(): void {
    const { part } = this;
    if (part === undefined) return;
    this.part = undefined;
    this.exchange.request.response.onClosed(() => part.release());
  }

  guard(work: () => void | Promise<void>): void {
    try {
      work()?.catch((cause: unknown) => this.crash(cause));
    } catch (cause) {
      this.crash(cause);
    }
  }

  private crash(cause: unknown): void {
    const { receiver } = this;
    this.upstreamCall.abort();
    if (this.over) return;
    if (receiver.crashed !== undefined && !this.crashed) {
      this.crashed = true;
      this.guard(() => receiver.crashed?.(cause));
      return;
    }
    const { response, id: requestId } = this.exchange.request;
    if (response.committed) {
      this.deps.log.error({ requestId, err: cause }, "internal error ended a response mid-stream");
      response.abort();
    }
    this.fail(internalFailure(cause));
  }

  private close(failure: AttemptFailure | undefined, health: AttemptOutcome, error?: Error): void {
    if (this.over) return;
    this.over = true;
    try {
      const end = { sentMs: this.upstreamCall.sentMs(), failure: error, scrubber: () => this.scrubber() };
      recordFailedAttempt(this.exchange, this.candidate, this.notes, end);
    } finally {
      // The request continues even if recording throws.
      this.part?.release();
      this.report(health);
      this.deps.metrics.attemptEnded(this.candidate.upstream.name, countedAs(health));
      this.resolve(failure);
    }
  }

  private report(outcome: AttemptOutcome): void {
    this.deps.routing.report(this.candidate, outcome, this.exchange.request.caller.accountId);
  }
}

function send(
  transport: Transport,
  { copies, pieces, separateBodies }: RelayMode,
  upstreamRequest: UpstreamRequest,
  response: UpstreamResponse,
): Pick<Attempt, "upstreamCall" | "usage"> {
  const { usage } = PROTOCOLS[upstreamRequest.candidate.protocol];
  return copies === 1
    ? { upstreamCall: transport.send(upstreamRequest, new SplitResponse(response)), usage }
    : fanOut(
        transport,
        upstreamRequest,
        separateBodies?.map((body) => [body]) ?? Array<typeof pieces>(copies).fill(pieces),
        usage,
        response,
      );
}

/** Headers of an upstream's response that callers get: none but its type, as the others describe our account there. */
function receiverFor(attempt: RunningAttempt, status: number, headers: RawHeaders): Receiver {
  if (status < 200 || status > 299) return new ErrorResponse(attempt, status, headers.all());
  const { contentType, arrayStream } = attempt.mode;
  const { losses, request } = attempt.exchange;
  const { streamed } = request;
  const due = streamed && !arrayStream ? "text/event-stream" : "application/json";
  const type = contentType ?? typeOf(headers.get("content-type"), due);
  const passed = Object.assign({ "content-type": type }, droppedHeader(losses), answeredHeader(attempt));
  return streamed
    ? new StreamingResponse(attempt, Object.assign(passed, UNBUFFERED))
    : new BufferedResponse(attempt, passed);
}

/** `x-faregate-model`: the fallback model that answers. */
function answeredHeader({ exchange }: RunningAttempt): Record<string, string> | undefined {
  const fallback = exchange.fallbacks?.current;
  return fallback && { "x-faregate-model": fallback.model.id };
}

/**
 * In the upstream's words where they are true: some call their JSON text/plain, and clients then do not read it as JSON.
 * Of its parameters only the character set is passed on, as others are words of the vendor's like any header.
 */
function typeOf(stated: string | undefined, due: string): string {
  if (stated === undefined || !stated.toLowerCase().startsWith(due)) return due;
  return KNOWN_PARAMETERS.test(stated.slice(due.length)) ? stated : due;
}

const KNOWN_PARAMETERS = /^\s*(?:;\s*charset="?utf-?8"?\s*)?;?$/i;
