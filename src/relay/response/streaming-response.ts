import { failpoint } from "../../base/failpoint.ts";
import type { ChargeReason } from "../../billing/billing.ts";
import { isGenerating } from "../../conversation/protocol-name.ts";
import { type GatewayError, statementOf } from "../../errors.ts";
import type { UpstreamError } from "../../protocols/errors/upstream-error-policy.ts";
import { failureIn } from "../../protocols/errors/verdict.ts";
import type { StreamMeter } from "../../protocols/protocol.ts";
import { beginsError, beginsResponse } from "../../protocols/streams/scrub-stream.ts";
import type { AttemptOutcome } from "../../routing/health/outcome.ts";
import type { UpstreamFailure } from "../../upstreams/call.ts";
import { settle } from "../exchange.ts";
import {
  type AttemptFailure,
  failureOfReading,
  failureOfTransport,
  memoryUsedUp,
  noEvent,
  notStreamed,
  reasonAfterOutput,
  stopped,
  streamFailure,
  truncatedStream,
} from "../failures.ts";
import { type StreamRewriter, UNCHARGED } from "../mode/framing.ts";
import { framingOf, SNIFFED_BYTES } from "../mode/response-conversion.ts";
import { ORDINARY_BYTES } from "../mode/stream-memory.ts";
import { canStillFail } from "../shall-stop.ts";
import { BufferedResponse } from "./buffered-response.ts";
import type { ClientResponse } from "./client-response.ts";
import { EndWait } from "./end-wait.ts";
import { HeldBack, HOLD_BACK_BYTES } from "./held-back.ts";
import { OpeningWindow } from "./opening-window.ts";
import type { Attempt, Receiver } from "./receiver.ts";
import { StreamScrubber } from "./stream-scrubber.ts";

/**
 * Receives a streamed response. No event is passed on before the first output, or a second after the first event, so that a
 * failure up to then can still become the next candidate's answer or an error of its own. After it bytes flow as they
 * come, in whole frames, while the meter reads along. What comes with the terminal event is held back until the
 * exchange is settled: a caller never sees a finished response that is not on the books.
 * Its flags, in the order in which they are set: `isFramingKnown` (as was asked for; another framing goes to `BufferedResponse`),
 * `hasBegun` (no other candidate can answer), `hasWritten` (the caller was sent bytes of the response) and `hasEnded` (finished,
 * failed or handed over). `isAmidEvent`: a part of a large event has been passed on, and its end has not come.
 */
export class StreamingResponse implements Receiver {
  private readonly attempt: Attempt;
  private readonly response: ClientResponse;
  private readonly upstream: string;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly meter: StreamMeter;
  private readonly mode: StreamRewriter;
  /** Before the response begins all that has come, then an open frame, at the end the last ones. */
  private readonly held = new HeldBack();
  private hasBegun = false;
  private hasWritten = false;
  private hasEnded = false;
  private isFramingKnown = false;
  private readonly endWait: EndWait;
  private readonly scrubber: StreamScrubber;
  private isAmidEvent = false;
  private readonly openingWindow: OpeningWindow;

  /** `headers` are those of a successful answer. */
  constructor(attempt: Attempt, headers: Readonly<Record<string, string>>) {
    const { request, keepAlive } = attempt.exchange;
    this.attempt = attempt;
    this.response = request.response;
    this.upstream = attempt.candidate.upstream.name;
    this.headers = headers;
    ({ meter: this.meter, rewriter: this.mode } = attempt.mode.openStream(attempt.usage));
    this.openingWindow = new OpeningWindow(attempt);
    this.scrubber = new StreamScrubber(attempt, this.meter, this.mode.passesErrors);
    this.endWait = new EndWait(() => attempt.guard(() => this.finishWithoutOpenFrame()));
    this.response.onDrain(() => attempt.upstreamCall.resume());
    if (keepAlive !== undefined) keepAlive.onSweep = () => this.beginIfDue();
  }

  data(received: Buffer): void {
    const { meter } = this;
    if (this.hasEnded) return;
    if (!this.isFramingKnown && this.held.bytes < SNIFFED_BYTES && !this.isFramedAsAsked(received)) return;
    const whole = meter.write(received);
    const chunk = meter.bytesToEnd < received.length ? received.subarray(0, meter.bytesToEnd) : received;
    if (!this.hasBegun && !this.maySend(chunk, whole)) return;
    if (meter.error !== undefined || meter.failed) {
      this.endAtError(chunk, whole);
      return;
    }
    if (meter.continuedAfterFinish) this.continueAfterFinish();
    const goesOn = !meter.finished && !meter.finishedBeforeOutput;
    // Nearly every chunk passes unchanged.
    if (goesOn && whole === chunk.length && this.held.isEmpty) this.send([chunk]);
    else {
      this.held.keep(chunk, whole);
      if (meter.finished) this.awaitEnd();
      else if (whole > 0 && goesOn) this.send(this.held.takeWhole());
      else if (this.held.bytes > HOLD_BACK_BYTES) this.sendPart();
    }
    if (whole > 0) this.endPart();
  }

  ended(): void | Promise<void> {
    if (this.hasEnded) return;
    const { meter } = this;
    meter.end();
    if (!this.hasBegun) {
      if (this.failedBeforeOutput()) return this.failBeforeOutput();
      if (!meter.started) return this.failAttempt(truncatedStream(this.upstream));
      if (this.isInOnePiece()) return this.failBeforeOutput();
      if (!meter.finished && !meter.hasOutput) return this.failAttempt(truncatedStream(this.upstream));
    }
    failpoint("upstream.after-last-byte");
    if (meter.finished) return meter.errorBehindEnd ? this.finishWithoutOpenFrame() : this.finish();
    this.begin();
    return this.endWithError(truncatedStream(this.upstream).error, "upstream_failed_after_output");
  }

  failed(failure: UpstreamFailure): void | Promise<void> {
    if (this.hasEnded) return;
    if (this.meter.finished) return this.finishWithoutOpenFrame();
    if (!this.hasBegun) return this.failAttempt(failureOfTransport(failure));
    return this.endWithError(failureOfTransport(failure).error, reasonAfterOutput(failure));
  }

  async clientGone(): Promise<void> {
    if (this.hasEnded) return;
    this.stop();
    this.attempt.upstreamCall.abort();
    const before = this.hasBegun ? "client_aborted" : "client_aborted_before_output";
    await this.charge(this.meter.finished ? "completed" : before);
    this.attempt.done();
  }

  async abort(): Promise<void> {
    if (this.hasEnded) return;
    if (!this.hasBegun && canStillFail(this.attempt.exchange)) return this.abortAndFail(stopped());
    this.attempt.upstreamCall.abort();
    await this.endWithError(stopped().error, "drained");
  }

  /** A response in another framing than requested is collected whole and written in the requested one. */
  private isFramedAsAsked(chunk: Buffer): boolean {
    const { attempt } = this;
    const beginning = this.held.with(chunk);
    const framing = framingOf(beginning, attempt.candidate.protocol, attempt.mode.copies);
    this.isFramingKnown = framing === (attempt.mode.arrayStream ? "array" : "events");
    if (this.isFramingKnown || framing === undefined) return true;
    this.stop();
    const whole = new BufferedResponse(attempt, this.headers);
    attempt.setReceiver(whole);
    whole.data(beginning);
    return false;
  }

  /** True if the response begins with this chunk; else that is held back, or the response refused. */
  private maySend(chunk: Buffer, whole: number): boolean {
    const { started } = this.meter;
    const bytes = this.held.bytes + chunk.length;
    if (this.failedBeforeOutput()) this.failBeforeOutput();
    else if (!started && whole > 0 && this.openingWindow.isLate)
      this.abortAndFail(failureOfTransport(noEvent(this.upstream)));
    else if (!started && bytes <= HOLD_BACK_BYTES) this.held.keep(chunk, whole);
    else if (this.isInOnePiece()) this.failBeforeOutput();
    else if (!started && whole > 0) this.dropComments(chunk, whole);
    else if (!started && this.mode.passesErrors && !beginsResponse(this.held.with(chunk)))
      this.abortAndFail(truncatedStream(this.upstream));
    else if (started && this.openingWindow.isOpen(this.meter, bytes)) {
      this.held.keep(chunk, whole);
      if (this.meter.finished) this.awaitEnd();
    } else {
      // A large event is no event before it is whole: where its bytes do not pass, nothing has been sent either.
      if (started || this.mode.passesErrors) this.begin();
      return true;
    }
    return false;
  }

  /** Sends the events that were held back once its time is over. */
  private beginIfDue(): void {
    if (this.hasEnded || this.hasBegun || this.meter.finished || !this.openingWindow.isElapsed) return;
    this.begin();
    this.attempt.guard(() => this.send(this.held.takeWhole()));
  }

  /** Comments without end before the first event: more of them than are held back are dropped. */
  private dropComments(chunk: Buffer, whole: number): void {
    for (const dropped of [...this.held.takeAll(), chunk.subarray(0, whole)]) this.mode.skip?.(dropped);
    this.held.keep(chunk.subarray(whole), 0);
  }

  /** Passes a part of a large event on: an image, a whole text or call; an error of such a size is cut off. */
  private sendPart(): void {
    const bytes = Buffer.concat(this.held.takeAll());
    if (!this.isAmidEvent && this.mode.passesErrors && beginsError(bytes)) {
      this.attempt.upstreamCall.abort();
      this.failAfterOutput(truncatedStream(this.upstream).error);
      return;
    }
    this.isAmidEvent = true;
    const { keepAlive } = this.attempt.exchange;
    if (keepAlive !== undefined && this.mode.passesErrors) keepAlive.midFrame = true;
    const passable = this.scrubber.secrets.passable(bytes);
    this.send([bytes.subarray(0, passable)]);
    this.held.keep(bytes.subarray(passable), 0);
  }

  private endPart(): void {
    if (!this.isAmidEvent) return;
    this.isAmidEvent = false;
    const { keepAlive } = this.attempt.exchange;
    if (keepAlive !== undefined) keepAlive.midFrame = false;
  }

  private send(chunks: Buffer[]): void {
    this.writePieces(this.written(chunks, this.isAmidEvent));
    const kept = (this.mode.keptBytes?.() ?? 0) + this.meter.keptBytes;
    if (kept > ORDINARY_BYTES && !this.attempt.mayKeep(kept)) throw memoryUsedUp();
  }

  /** Returns these bytes as the caller may read them. `isPart`: they are part of a frame. */
  private written(chunks: Buffer[], isPart = false): readonly Uint8Array[] {
    const passable = this.scrubber.scrubbed(chunks, !this.held.isEmpty, isPart);
    return passable.flatMap((chunk) => this.mode.write(chunk));
  }

  private writePieces(pieces: readonly Uint8Array[]): void {
    for (const piece of this.scrubber.secrets.without(pieces)) {
      this.attempt.exchange.keepAlive?.wrote(piece);
      this.hasWritten = true;
      if (!this.response.write(piece)) this.attempt.upstreamCall.pause();
    }
  }

  /** From now on no other candidate can answer. */
  private begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    const { exchange } = this.attempt;
    exchange.firstByteMs = exchange.clock.monotonicMs();
    failpoint("upstream.after-first-event");
    this.attempt.answering();
    if (!this.response.committed) this.response.head(200, this.headers);
  }

  private stop(): void {
    this.hasEnded = true;
    this.endWait.stop();
  }

  /** The stream continues after its finish, so the bytes are passed on. */
  private continueAfterFinish(): void {
    this.endWait.cancel();
    this.send(this.held.takeWhole());
  }

  /** Waits for what follows the last finish; whatever has come then is all, and so is what precedes an error or more than can be held back. */
  private awaitEnd(): void {
    if (this.meter.errorBehindEnd || this.held.bytesBehindFinish() > HOLD_BACK_BYTES) {
      this.attempt.guard(() => this.finishWithoutOpenFrame());
      return;
    }
    this.endWait.wait(this.meter.nothingFollows);
  }

  /** An error before anything was passed on: another may answer still, and a plain error can tell it. */
  private failedBeforeOutput(): boolean {
    return this.meter.failed || this.meter.error !== undefined;
  }

  /** The upstream's own error event passes as it came: its clients raise it, and it does not speak of our account. */
  private passesError(): boolean {
    const { error, upstreamFormatError } = this.meter;
    return this.mode.passesErrors && upstreamFormatError && error !== undefined && error.fault !== "account";
  }

  /** Several answers were to be streamed, and one came as a JSON text: no client of a stream can read it. */
  private isInOnePiece(): boolean {
    return this.meter.truncated.form === "array" && !this.attempt.mode.arrayStream;
  }

  /** The beginning is an error or no stream: nothing was sent, so it is told as a plain error or not at all. */
  private failBeforeOutput(): void {
    const upstreamError = this.meter.failed ? this.verdict() : this.meter.error;
    this.abortAndFail(
      upstreamError === undefined ? notStreamed(this.upstream) : this.attempt.failureOf(upstreamError),
    );
  }

  /** An error ends the response. One that is not the caller's to read as it came, or that no client raises, gives way to ours. */
  private endAtError(chunk: Buffer, whole: number): void {
    const { attempt, meter, held } = this;
    attempt.upstreamCall.abort();
    const passes = this.passesError();
    // Each of several responses has its own decoder, which skips the error by itself.
    const kept = passes || attempt.mode.copies > 1 ? whole : meter.bytesBeforeError;
    if (kept > 0) held.keep(chunk.subarray(0, kept), kept);
    if (!passes) this.send(held.takeWhole());
    this.failAfterOutput(truncatedStream(this.upstream).error, this.verdict());
  }

  private failAfterOutput(error: GatewayError, upstreamError?: UpstreamError): void {
    this.endPart();
    this.attempt.guard(() => this.endWithError(error, "upstream_failed_after_output", upstreamError));
  }

  /** The response exceeded a limit, was unreadable, or hit a bug. Another candidate can respond until part of it is sent. */
  crashed(cause: unknown): void | Promise<void> {
    const failure = failureOfReading(cause, this.upstream);
    if (!this.hasWritten) return this.failAttempt(failure);
    this.held.takeAll();
    this.endPart();
    return this.endWithError(failure.error, "upstream_failed_after_output", undefined, failure.health);
  }

  private abortAndFail(failure: AttemptFailure): void {
    this.attempt.upstreamCall.abort();
    this.failAttempt(failure);
  }

  private failAttempt(failure: AttemptFailure): void {
    this.stop();
    this.attempt.fail(failure, this.meter.summary());
  }

  /** All that was asked for has come: half a frame behind it is nobody's to read. */
  private finishWithoutOpenFrame(): Promise<void> {
    this.held.dropOpen();
    return this.finish();
  }

  private async finish(): Promise<void> {
    if (this.hasEnded) return;
    const verdict = this.verdict();
    const isUnheard = !this.hasBegun && !this.meter.hasOutput;
    const failure = isUnheard ? this.attempt.undeliveredFailure(this.meter.summary(), verdict) : undefined;
    if (failure !== undefined) return this.abortAndFail(failure);
    if (verdict !== undefined && !this.meter.hasOutput) this.held.takeAll();
    // Read before it is charged, as the last chunk tells of losses that belong on the receipt, and before it begins.
    const last = this.written(this.held.takeAll());
    const closing = verdict === undefined ? this.mode.end(this.meter.missingEnd) : [];
    this.begin();
    // A decoder may find what the upstream's own meter does not.
    if (verdict !== undefined || this.mode.failed?.()) {
      this.attempt.upstreamCall.abort();
      this.writePieces([...last, ...closing]);
      await this.endWithError(truncatedStream(this.upstream).error, "upstream_failed_after_output", verdict);
      return;
    }
    this.stop();
    await this.charge("completed");
    failpoint("response.before-last-byte");
    const behind = this.mode.closing?.(this.attempt.exchange.charged ?? UNCHARGED) ?? [];
    this.writePieces([...last, ...closing, ...behind]);
    this.response.end();
    failpoint("response.after-last-byte");
    this.attempt.upstreamCall.abort();
    this.attempt.done();
  }

  private verdict(): UpstreamError | undefined {
    return failureIn(this.meter.summary(), isGenerating(this.attempt.exchange.request.protocol.name));
  }

  /** A failure mid-stream is told in the protocol's own form and never looks finished. */
  private async endWithError(
    error: GatewayError,
    reason: ChargeReason,
    upstreamError: UpstreamError | undefined = this.meter.error,
    health?: AttemptOutcome,
  ): Promise<void> {
    this.stop();
    this.meter.end();
    const { client, why } = streamFailure(this.attempt.recipient(), error, upstreamError);
    const statement = statementOf(client, this.attempt.errorType);
    await this.charge(reason, statement.code);
    if (this.response.committed && this.response.open) {
      if (this.passesError()) this.send(this.held.takeClosed(this.meter.truncated));
      else this.writePieces(this.mode.fail(statement, this.meter.truncated));
      this.response.end();
    } else this.response.abort();
    if (reason === "drained") this.attempt.done({ kind: "neutral" });
    else this.attempt.interrupted(why, health);
  }

  private async charge(reason: ChargeReason, errorCode?: string): Promise<void> {
    const { exchange, candidate } = this.attempt;
    const summary = this.hasBegun && this.meter.started ? this.meter.summary() : undefined;
    if (summary !== undefined) this.attempt.learn(summary);
    exchange.losses = [...exchange.losses, ...this.mode.losses()];
    await settle(exchange, {
      reason,
      candidate,
      summary,
      undelivered: () => this.meter.summary(),
      status: this.response.committed ? 200 : 0,
      errorCode,
    });
  }
}
