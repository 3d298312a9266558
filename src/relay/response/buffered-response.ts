import { assert } from "../../base/assert.ts";
import { failpoint } from "../../base/failpoint.ts";
import { packChunk } from "../../base/pack-chunk.ts";
import type { ChargeReason } from "../../billing/billing.ts";
import { droppedHeader } from "../../conversation/loss.ts";
import { isGenerating } from "../../conversation/protocol-name.ts";
import { failureIn } from "../../protocols/errors/verdict.ts";
import type { ResponseSummary } from "../../protocols/protocol.ts";
import { scrubResponse } from "../../protocols/streams/scrub-stream.ts";
import type { OnCall } from "../../protocols/translation.ts";
import type { UpstreamFailure } from "../../upstreams/call.ts";
import { sentSecrets } from "../../upstreams/scrub/sent-secrets.ts";
import { type ExchangeEnd, type FinalUsage, finalUsage, settle } from "../exchange.ts";
import {
  failureOfReading,
  failureOfTransport,
  stopped,
  tooLargeResponse,
  truncatedStream,
  unreadableResponse,
} from "../failures.ts";
import type { Framing } from "../mode/framing.ts";
import { framingOf, reportedUsage, SNIFFED_BYTES } from "../mode/response-conversion.ts";
import { isLong, LONG_BYTES } from "../mode/response-reader.ts";
import {
  type ResponseReading,
  type ResponseTerms,
  readWhole,
  statesUsage,
  withUsage,
} from "../mode/whole-response.ts";
import { canStillFail } from "../shall-stop.ts";
import { chargeInput } from "./pending-response.ts";
import type { Attempt, Receiver } from "./receiver.ts";
import { isLarge } from "./response-memory.ts";

/**
 * The largest plain response: embeddings of a full batch come near 60 MB as JSON. It is collected whole,
 * so that it leaves in one write with its length, and so that a break-off can still become an error.
 */
export const PLAIN_RESPONSE_BYTES = 96 * 1024 * 1024;

/**
 * Time limit for the rest of a response after its caller has disconnected. Vendors send a plain response once it is complete,
 * so even the largest arrives within seconds. Without a limit, an endless response would be read for as long as a caller may
 * wait.
 */
const ABANDONED_MS = 30_000;

/**
 * Receives a response that is collected whole: a plain one, and one that is framed otherwise than was asked for. Metered,
 * judged and settled, then passed on: byte for byte, or written as the caller asked.
 */
export class BufferedResponse implements Receiver {
  private readonly attempt: Attempt;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  /** More than blanks has come, which some vendors send while the response is made. */
  private begun = false;
  /** A worker has it. */
  private isRead = false;
  /** Aborts an abandoned response; undefined = its caller is connected. */
  private abandoned: NodeJS.Timeout | undefined;

  /** `headers` are those of a successful answer. */
  constructor(attempt: Attempt, headers: Readonly<Record<string, string>>) {
    this.attempt = attempt;
    this.headers = headers;
  }

  data(chunk: Buffer): void {
    const { exchange, candidate, upstreamCall } = this.attempt;
    this.bytes += chunk.length;
    if (this.bytes > (exchange.request.response.maxBytes ?? PLAIN_RESPONSE_BYTES)) {
      if (exchange.clientGone) this.attempt.guard(() => this.abort());
      else {
        upstreamCall.abort();
        this.attempt.fail(tooLargeResponse(candidate.upstream.name));
      }
      return;
    }
    if (!this.begun && !isBlank(chunk)) {
      this.begun = true;
      if (exchange.clientGone) this.giveUpIn(ABANDONED_MS);
    }
    packChunk(this.chunks, chunk, this.bytes);
    if (isLarge(this.bytes)) this.attempt.keeps(this.bytes);
    if (exchange.firstByteMs === null) {
      exchange.firstByteMs = exchange.clock.monotonicMs();
      failpoint("upstream.after-first-event");
    }
  }

  async ended(): Promise<void> {
    failpoint("upstream.after-last-byte");
    const { attempt } = this;
    const { exchange, candidate } = attempt;
    const { request } = exchange;
    const { response } = request;
    const upstream = candidate.upstream.name;
    this.isRead = true;
    clearTimeout(this.abandoned);
    const terms = this.terms();
    const isAside = isLong(this.chunks, this.bytes, terms);
    const reading = this.read(terms, attempt.mode.onCall);
    const { summary, finished, passed } = reading instanceof Promise ? await reading : reading;
    if (summary.unreadable === true && summary.error === undefined)
      return attempt.fail(unreadableResponse(upstream));
    if (!finished) return attempt.fail(truncatedStream(upstream), summary);
    const verdict = failureIn(summary, isGenerating(request.protocol.name));
    const failure = attempt.undeliveredFailure(summary, verdict);
    if (failure !== undefined) return attempt.fail(failure, summary);
    assert(passed !== undefined, "an answer that is no failure was not written");
    if ("error" in passed) return attempt.fail(attempt.failureOf(passed.error), summary);
    const { clientGone } = exchange;
    const reason: ChargeReason = clientGone ? "client_aborted" : "completed";
    const charge = await finalUsage(exchange, { reason, summary });
    const counted = clientGone ? passed.body : await this.counted(passed.body, terms, summary, charge);
    const body = summary.hasOutput ? counted : [await this.scrubbed(counted)];
    if (isAside) attempt.keeps(Math.max(this.bytes, lengthOf(body)));
    attempt.learn(summary);
    if (passed.losses.length > 0) exchange.losses = [...exchange.losses, ...passed.losses];
    const refusal = clientGone || request.streamed ? undefined : response.refusal?.(body);
    const ending: ExchangeEnd = {
      reason,
      candidate,
      summary,
      status: clientGone ? 0 : (refusal?.status ?? 200),
      errorCode: refusal?.code,
    };
    await settle(exchange, ending, charge);
    failpoint("response.before-last-byte");
    if (response.open) {
      const headers = Object.assign({}, this.headers, droppedHeader(exchange.losses));
      if (request.streamed) this.stream(headers, body);
      else response.whole(200, headers, body);
      attempt.keepsUntilRead();
    }
    failpoint("response.after-last-byte");
    attempt.done();
  }

  private read(
    terms: ResponseTerms,
    onCall?: OnCall | undefined,
  ): ResponseReading | Promise<ResponseReading> {
    const { attempt, chunks } = this;
    return isLong(chunks, this.bytes, terms)
      ? attempt.readInWorker(chunks, terms, onCall)
      : readWhole(terms, attempt.usage, chunks, onCall);
  }

  /** Returns the rewritten body with the charged usage. It is encoded again only if the upstream's count differs. */
  private async counted(
    body: readonly Uint8Array[],
    { form, ...terms }: ResponseTerms,
    { usage }: ResponseSummary,
    charge: FinalUsage,
  ): Promise<readonly Uint8Array[]> {
    if (!statesUsage(form)) return body;
    const reported = reportedUsage(usage, charge);
    if (reported === usage) return body;
    const { passed } = await this.read({ ...terms, form: withUsage(form, reported.tokens) });
    assert(passed !== undefined && "body" in passed, "an answer that was written was not written again");
    return passed.body;
  }

  private terms(): ResponseTerms {
    const { mode, exchange, candidate } = this.attempt;
    const { protocol, responses } = exchange.request;
    const framing = this.framing();
    const secrets = sentSecrets(candidate);
    return { client: protocol.name, framing, responses, form: mode.wholeForm(framing), secrets };
  }

  /** Joined responses have a framing of their own, and only generating protocols stream. */
  private framing(): Framing {
    const { mode, exchange, candidate } = this.attempt;
    if (mode.copies > 1 || !isGenerating(exchange.request.protocol.name)) return "whole";
    return framingOf(this.beginning(), candidate.protocol) ?? "whole";
  }

  private beginning(): Buffer {
    const [first] = this.chunks;
    if (first !== undefined && first.length >= SNIFFED_BYTES) return first;
    return Buffer.concat(this.chunks.slice(0, SNIFFED_BYTES));
  }

  /** A body without model output may hold the vendor's own words. */
  private scrubbed(body: readonly Uint8Array[]): Uint8Array | Promise<Uint8Array> {
    const { attempt } = this;
    return this.bytes > LONG_BYTES
      ? attempt.scrubInWorker(body)
      : scrubResponse(Buffer.concat(body), attempt.scrubber());
  }

  private stream(headers: Readonly<Record<string, string>>, body: readonly Uint8Array[]): void {
    const { exchange } = this.attempt;
    const { response } = exchange.request;
    if (!response.committed) response.head(200, headers);
    for (const piece of body) response.write(piece);
    response.end();
  }

  async failed(failure: UpstreamFailure): Promise<void> {
    clearTimeout(this.abandoned);
    const { clientGone, isAborted } = this.attempt.exchange;
    if (!clientGone && !isAborted) return this.attempt.fail(failureOfTransport(failure));
    await chargeInput(this.attempt);
    this.attempt.done();
  }

  crashed(cause: unknown): void {
    this.attempt.fail(failureOfReading(cause, this.attempt.candidate.upstream.name));
  }

  /** The caller left: the response is read on, since the vendor will bill us for it, but not without end. */
  clientGone(): void {
    const { timeouts } = this.attempt.candidate.upstream;
    this.giveUpIn(this.begun ? ABANDONED_MS : timeouts.firstBytePlainMs);
  }

  private giveUpIn(ms: number): void {
    if (this.isRead) return;
    clearTimeout(this.abandoned);
    this.abandoned = setTimeout(() => this.attempt.guard(() => this.abort()), ms);
  }

  /** The gateway stops, or the caller has left and it takes too long. */
  async abort(): Promise<void> {
    // All of it is here: it is read, charged and told within seconds.
    if (this.isRead) return;
    clearTimeout(this.abandoned);
    this.attempt.upstreamCall.abort();
    await chargeInput(this.attempt);
    const { exchange } = this.attempt;
    if (canStillFail(exchange)) {
      this.attempt.fail(stopped());
      return;
    }
    exchange.request.response.abort();
    this.attempt.done(exchange.isAborted ? { kind: "neutral" } : undefined);
  }
}

/** True if the chunk holds only whitespace that JSON allows before a value. */
function isBlank(chunk: Buffer): boolean {
  return chunk.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
}
