import { crashPoint } from "../base/crash-point.ts";
import type { ChargeReason } from "../billing/billing.ts";
import { type ErrorStatement, GatewayError, statementOf } from "../errors.ts";
import { tellCaller } from "../protocols/blame.ts";
import type { StreamMeter } from "../protocols/protocol.ts";
import { beginsAnswer, beginsError, scrubStream } from "../protocols/scrub-stream.ts";
import { OversizedEvent } from "../protocols/stream-frames.ts";
import type { UpstreamFailure } from "../upstreams/call.ts";
import type { ClientAnswer } from "./client-answer.ts";
import { settle } from "./exchange.ts";
import {
  type AttemptFailure,
  answeredInOnePiece,
  brokenStream,
  causeOf,
  failureOfTransport,
  scrubbedError,
  tooLargeAnswer,
} from "./failures.ts";
import type { StreamPassage } from "./passage.ts";
import type { Attempt, Receiver } from "./receiver.ts";

/**
 * Bytes held back until they close a frame (and, before the head, an event). A frame larger than this
 * is an inline picture and flows on in parts.
 */
const HOLD_BACK_BYTES = 256 * 1024;

/** After the terminal event a well-behaved upstream ends at once; one that does not is not waited for longer. */
const LINGER_MS = 1_000;

/** Where the last finish is no terminal event, usage may be still to come, or more: a packet lost costs over a second. */
const FINISH_MS = 10_000;

/**
 * Receives a streamed answer. Nothing is sent before the first whole event, so that a failure up to
 * then can still become a plain error or the next candidate. After it bytes flow as they come, in whole
 * frames, while the meter reads along. What comes with the terminal event is held back until the
 * exchange is settled: a caller never sees a finished answer that is not on the books.
 */
export class StreamAnswer implements Receiver {
  private readonly attempt: Attempt;
  private readonly answer: ClientAnswer;
  /** Its name. */
  private readonly upstream: string;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly meter: StreamMeter;
  private readonly passage: StreamPassage;
  /** Bytes not yet passed on: before the head all of them, then an open frame, at the end the last ones. */
  private heldBack: Buffer[] = [];
  private heldBackBytes = 0;
  /** So many of them are whole frames. */
  private heldBackWhole = 0;
  private over = false;
  private linger: NodeJS.Timeout | undefined;
  private lingerMs = 0;
  /** A finish was none: this upstream's are not to be relied upon. */
  private wentOn = false;
  /** What is held back may hold the upstream's own words. */
  private words = false;
  /** The beginning of the event that is coming has been passed on. */
  private flows = false;
  private readonly openedMs: number;

  /** `headers` are those of a successful answer. */
  constructor(attempt: Attempt, headers: Readonly<Record<string, string>>) {
    const { answer, answers } = attempt.exchange.request;
    this.attempt = attempt;
    this.answer = answer;
    this.upstream = attempt.candidate.upstream.name;
    this.headers = headers;
    this.meter = attempt.usage.openStream(answers);
    this.passage = attempt.passage.openStream();
    this.openedMs = attempt.exchange.clock.monotonicMs();
    answer.onDrain(() => attempt.flight.resume());
  }

  data(chunk: Buffer): void {
    if (this.over) return;
    try {
      this.take(chunk);
    } catch (cause) {
      if (!(cause instanceof OversizedEvent)) throw cause;
      this.refuseOversized();
    }
  }

  private take(chunk: Buffer): void {
    const { meter } = this;
    const whole = meter.write(chunk);
    if (!this.answer.committed && !this.opens(chunk, whole)) return;
    if (meter.error?.fault === "account") {
      this.conceal();
      return;
    }
    if (meter.wentOn) this.goOn();
    this.hold(chunk.subarray(0, whole));
    if (whole > 0) this.heldBackWhole = this.heldBack.length;
    if (meter.finished) this.awaitEnd();
    else if (whole > 0) this.release();
    else if (this.heldBackBytes > HOLD_BACK_BYTES) this.flow();
    if (whole > 0) this.flows = false;
    if (!this.over) this.hold(chunk.subarray(whole));
  }

  ended(): void | Promise<void> {
    if (this.over) return;
    const { meter } = this;
    meter.end();
    if (!this.answer.committed) {
      if (this.failedUnheard()) return this.refuse();
      if (!meter.started) return this.giveUp(brokenStream(this.upstream));
      if (this.isInOnePiece()) return this.refuse();
      this.commit();
    }
    crashPoint("upstream.after-last-byte");
    return meter.finished
      ? this.finish()
      : this.breakOff(brokenStream(this.upstream).error, "upstream_failed_after_output");
  }

  failed(failure: UpstreamFailure): void | Promise<void> {
    if (this.over) return;
    if (!this.answer.committed) return this.giveUp(failureOfTransport(failure));
    return this.meter.finished
      ? this.finishCut()
      : this.breakOff(failureOfTransport(failure).error, reasonOf(failure));
  }

  async gone(): Promise<void> {
    if (this.over) return;
    this.stop();
    this.attempt.flight.abort();
    await this.charge(this.goneReason());
    this.attempt.done();
  }

  async drain(): Promise<void> {
    if (this.over) return;
    this.attempt.flight.abort();
    const error = new GatewayError("service_unavailable", "The gateway is shutting down; try again.");
    await this.breakOff(error, "drained");
  }

  /** Whether the answer begins, or has begun, with this chunk; else that is held back, or the answer refused. */
  private opens(chunk: Buffer, whole: number): boolean {
    const { started } = this.meter;
    const isEarly = !started && this.heldBackBytes + chunk.length <= HOLD_BACK_BYTES;
    if (this.failedUnheard()) this.refuse();
    else if (!started && whole > 0 && this.isLate())
      this.giveUpOn(failureOfTransport(noEvent(this.upstream)));
    else if (isEarly) this.hold(chunk);
    else if (this.isInOnePiece()) this.refuse();
    else if (!started && whole > 0) this.skip(chunk.subarray(whole));
    else if (!started && this.passage.passesErrors && !this.beginsWith(chunk))
      this.giveUpOn(brokenStream(this.upstream));
    else {
      // A large event is no event before it is whole: where its bytes do not pass, nothing has been sent either.
      if (started || this.passage.passesErrors) this.commit();
      return true;
    }
    return false;
  }

  /** Comments keep a connection alive and are no answer, however many they are. */
  private isLate(): boolean {
    const { exchange, candidate } = this.attempt;
    const waitedMs = exchange.clock.monotonicMs() - this.openedMs;
    return waitedMs >= candidate.upstream.timeouts.firstByteStreamMs;
  }

  /** Whether what is held back and this begin a large event of an answer. */
  private beginsWith(chunk: Buffer): boolean {
    return beginsAnswer(Buffer.concat([...this.heldBack, chunk]));
  }

  /** Comments without end before the first event: more of them than are held back are dropped. */
  private skip(rest: Buffer): void {
    this.heldBack = [];
    this.heldBackBytes = 0;
    this.hold(rest);
  }

  /** Passes a part of a large event on: an inline picture, a whole text or call; an error of such a size is cut off. */
  private flow(): void {
    if (!this.flows && this.passage.passesErrors && beginsError(Buffer.concat(this.heldBack))) {
      this.conceal();
      return;
    }
    this.flows = true;
    this.release();
  }

  private goneReason(): ChargeReason {
    if (this.meter.finished) return "completed";
    return this.meter.started ? "client_aborted" : "client_aborted_before_output";
  }

  private hold(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.heldBack.push(chunk);
    this.heldBackBytes += chunk.length;
  }

  /** Passes on what is held back, or only so many chunks of it. */
  private release(count = this.heldBack.length): void {
    const chunks = this.tellable(this.heldBack.splice(0, count));
    this.heldBackBytes = this.heldBack.reduce((sum, { length }) => sum + length, 0);
    this.heldBackWhole = 0;
    for (const chunk of chunks) {
      for (const piece of this.passage.write(chunk)) {
        if (!this.answer.committed) this.commit();
        if (!this.answer.write(piece)) this.attempt.flight.pause();
      }
    }
  }

  /** As they are, but for the upstream's own words among what a model wrote, where these pass as they come. */
  private tellable(chunks: Buffer[]): Buffer[] {
    this.words = this.meter.takeWords() || this.words;
    if (!this.words || !this.passage.passesErrors) return chunks;
    // What is still held back may be what holds them.
    this.words = this.heldBack.length > 0;
    return [scrubStream(Buffer.concat(chunks), this.meter.broken.form, this.attempt.scrubber())];
  }

  private commit(): void {
    const { exchange } = this.attempt;
    exchange.firstByteMs = exchange.clock.monotonicMs();
    crashPoint("upstream.after-first-event");
    this.attempt.answering();
    this.answer.head(200, this.headers);
  }

  private stop(): void {
    this.over = true;
    clearTimeout(this.linger);
  }

  /** What was taken for the end was not: it passes on, and nothing ends the stream but its upstream. */
  private goOn(): void {
    this.wentOn = true;
    clearTimeout(this.linger);
    this.lingerMs = 0;
    this.release(this.heldBackWhole);
  }

  /** Waits for what follows the last finish; whatever has come then is all, and so is more than can be held back. */
  private awaitEnd(): void {
    if (this.heldBackBytes > HOLD_BACK_BYTES) {
      this.attempt.guard(() => this.finishCut());
      return;
    }
    const ms = this.meter.over ? LINGER_MS : FINISH_MS;
    if (this.lingerMs === ms || (this.wentOn && !this.meter.over)) return;
    clearTimeout(this.linger);
    this.lingerMs = ms;
    this.linger = setTimeout(() => this.attempt.guard(() => this.finishCut()), ms);
  }

  /** An error before any output, or one of our account: while nothing is sent another may answer, and a plain error can tell it. */
  private failedUnheard(): boolean {
    return (
      this.meter.error !== undefined &&
      (this.meter.error.fault === "account" || !this.meter.facts().hasOutput)
    );
  }

  /** Events were asked for, and a JSON text came: no client of a stream can read it. */
  private isInOnePiece(): boolean {
    return this.meter.broken.form === "array" && !this.attempt.passage.arrayStream;
  }

  /** The beginning is an error or no stream: nothing was sent, so it is told as a plain error or not at all. */
  private refuse(): void {
    this.giveUpOn(
      this.meter.error === undefined
        ? answeredInOnePiece(this.upstream)
        : this.attempt.failureOf(this.meter.error),
    );
  }

  /** What a vendor says of our account there is not the caller's to read: their event gives way to ours. */
  private conceal(): void {
    this.attempt.flight.abort();
    this.heldBack = [];
    this.attempt.guard(() =>
      this.breakOff(brokenStream(this.upstream).error, "upstream_failed_after_output"),
    );
  }

  /** An event beyond every bound, which no translation can read. */
  private refuseOversized(): void {
    const failure = tooLargeAnswer(this.upstream);
    if (!this.answer.committed) {
      this.giveUpOn(failure);
      return;
    }
    this.attempt.flight.abort();
    this.heldBack = [];
    this.attempt.guard(() => this.breakOff(failure.error, "upstream_failed_after_output"));
  }

  private giveUpOn(failure: AttemptFailure): void {
    this.attempt.flight.abort();
    this.giveUp(failure);
  }

  private giveUp(failure: AttemptFailure): void {
    this.stop();
    this.attempt.fail(failure);
  }

  /** The end did not come, all that was asked for did: half a frame behind it is nobody's to read. */
  private finishCut(): Promise<void> {
    this.heldBack.length = this.heldBackWhole;
    return this.finish();
  }

  private async finish(): Promise<void> {
    if (this.over) return;
    this.stop();
    // Read before it is charged: the last chunk tells of losses that belong on the receipt.
    const held = this.tellable(this.heldBack.splice(0)).flatMap((chunk) => this.passage.write(chunk));
    const last = [...held, ...this.passage.end(this.meter.missingEnd)];
    await this.charge("completed");
    crashPoint("answer.before-last-byte");
    if (last.length > 0 && !this.answer.committed) this.commit();
    for (const piece of last) this.answer.write(piece);
    // A finish of some vendors is a failure in other protocols, which the meter of their own does not see.
    if (this.passage.failedAtEnd?.()) {
      const statement = statementOf(brokenStream(this.upstream).error, this.attempt.errorType);
      for (const piece of this.passage.fail(statement, this.meter.broken)) this.answer.write(piece);
    }
    this.answer.end();
    crashPoint("answer.after-last-byte");
    this.attempt.flight.abort();
    this.attempt.done();
  }

  /** A failure mid-stream is told in the protocol's own form and never looks finished. */
  private async breakOff(error: GatewayError, reason: ChargeReason): Promise<void> {
    this.stop();
    this.meter.end();
    const statement = statementOf(this.toldError(error), this.attempt.errorType);
    await this.charge(reason, statement.code);
    if (this.answer.committed && this.answer.open) {
      // An upstream's own error event may have passed as it came, and then needs no second one.
      const told =
        this.meter.error !== undefined && this.meter.error.fault !== "account" && this.passage.passesErrors;
      if (told) this.release();
      else for (const piece of this.passage.fail(statement, this.meter.broken)) this.answer.write(piece);
      this.answer.end();
    } else {
      this.answer.cut();
    }
    if (reason === "drained") this.attempt.done({ kind: "neutral" });
    else this.attempt.brokeOff(this.whyBroken(error));
  }

  /** What the upstream told of its failure, or what the transport saw. */
  private whyBroken(error: GatewayError): Error {
    if (this.meter.error !== undefined)
      return causeOf(scrubbedError(this.meter.error, this.attempt.scrubber()), this.upstream);
    return error.cause instanceof Error ? error.cause : error;
  }

  /** The upstream's own words where they are the caller's to read and do not reach them as they came. */
  private toldError(error: GatewayError): GatewayError | ErrorStatement {
    if (this.meter.error === undefined || this.passage.passesErrors) return error;
    const stated = scrubbedError(this.meter.error, this.attempt.scrubber());
    const told = tellCaller(stated, this.attempt.exchange.request.protocol.name);
    return told instanceof GatewayError ? told : told.statement;
  }

  private async charge(reason: ChargeReason, errorCode?: string): Promise<void> {
    const { exchange, candidate } = this.attempt;
    const facts = this.meter.started ? this.meter.facts() : undefined;
    if (facts !== undefined) this.attempt.learn(facts);
    exchange.losses = [...exchange.losses, ...this.passage.losses()];
    await settle(exchange, {
      reason,
      candidate,
      facts,
      status: this.answer.committed ? 200 : 0,
      ...(errorCode === undefined ? {} : { errorCode }),
    });
  }
}

/** Bytes came, and no event among them. */
function noEvent(upstream: string): UpstreamFailure {
  return { kind: "timeout", phase: "first-byte", message: `${upstream} sent comments and no event in time.` };
}

function reasonOf(failure: UpstreamFailure): ChargeReason {
  return failure.kind === "timeout" ? "upstream_timeout_after_output" : "upstream_failed_after_output";
}
