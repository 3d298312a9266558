import { crashPoint } from "../base/crash-point.ts";
import type { ChargeReason } from "../billing/billing.ts";
import { type ErrorStatement, GatewayError, statementOf } from "../errors.ts";
import { tellCaller } from "../protocols/blame.ts";
import type { UpstreamFailure } from "../upstreams/call.ts";
import { settle } from "./exchange.ts";
import {
  type AttemptFailure,
  answeredInOnePiece,
  brokenStream,
  causeOf,
  failureOfError,
  failureOfTransport,
} from "./failures.ts";
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
export function receiveStream(attempt: Attempt, headers: Readonly<Record<string, string>>): Receiver {
  const { exchange, candidate } = attempt;
  const { answer, protocol, answers } = exchange.request;
  const upstream = candidate.upstream.name;
  const meter = attempt.usage.openStream(answers);
  const passage = attempt.passage.openStream();
  /** Bytes not yet passed on: before the head all of them, then an open frame, at the end the last ones. */
  let heldBack: Buffer[] = [];
  let heldBackBytes = 0;
  /** So many of them are whole frames. */
  let heldBackWhole = 0;
  let over = false;
  let linger: NodeJS.Timeout | undefined;
  let lingerMs = 0;
  /** A finish was none: this upstream's are not to be relied upon. */
  let wentOn = false;

  answer.onDrain(() => attempt.flight.resume());

  return {
    data(chunk) {
      if (over) return;
      const whole = meter.write(chunk);
      if (!answer.committed) {
        if (failedUnheard()) return refuse();
        if (!meter.started && heldBackBytes + chunk.length <= HOLD_BACK_BYTES) return hold(chunk);
        if (isInOnePiece()) return refuse();
        commit();
      }
      if (meter.error?.fault === "account") return conceal();
      if (meter.wentOn) goOn();
      hold(chunk.subarray(0, whole));
      if (whole > 0) heldBackWhole = heldBack.length;
      if (meter.finished) awaitEnd();
      else if (whole > 0 || heldBackBytes > HOLD_BACK_BYTES) release();
      hold(chunk.subarray(whole));
    },
    ended() {
      if (over) return;
      meter.end();
      if (!answer.committed) {
        if (failedUnheard()) return refuse();
        if (!meter.started) return giveUp(brokenStream(upstream));
        if (isInOnePiece()) return refuse();
        commit();
      }
      crashPoint("upstream.after-last-byte");
      return meter.finished
        ? finish()
        : breakOff(brokenStream(upstream).error, "upstream_failed_after_output");
    },
    failed(failure) {
      if (over) return;
      if (!answer.committed) return giveUp(failureOfTransport(failure));
      return meter.finished ? finishCut() : breakOff(failureOfTransport(failure).error, reasonOf(failure));
    },
    async gone() {
      if (over) return;
      stop();
      attempt.flight.abort();
      await charge(goneReason());
      attempt.done();
    },
    async drain() {
      if (over) return;
      attempt.flight.abort();
      const error = new GatewayError("service_unavailable", "The gateway is shutting down; try again.");
      await breakOff(error, "drained");
    },
  };

  function goneReason(): ChargeReason {
    if (meter.finished) return "completed";
    return meter.started ? "client_aborted" : "client_aborted_before_output";
  }

  function hold(chunk: Buffer): void {
    if (chunk.length === 0) return;
    heldBack.push(chunk);
    heldBackBytes += chunk.length;
  }

  /** Passes on what is held back, or only so many chunks of it. */
  function release(count = heldBack.length): void {
    const chunks = heldBack.splice(0, count);
    heldBackBytes = heldBack.reduce((sum, { length }) => sum + length, 0);
    heldBackWhole = 0;
    for (const chunk of chunks) {
      for (const piece of passage.write(chunk)) {
        if (!answer.write(piece)) attempt.flight.pause();
      }
    }
  }

  function commit(): void {
    exchange.firstByteMs = exchange.clock.monotonicMs();
    crashPoint("upstream.after-first-event");
    attempt.answering();
    answer.head(200, headers);
  }

  function stop(): void {
    over = true;
    clearTimeout(linger);
  }

  /** What was taken for the end was not: it passes on, and nothing ends the stream but its upstream. */
  function goOn(): void {
    wentOn = true;
    clearTimeout(linger);
    lingerMs = 0;
    release(heldBackWhole);
  }

  /** Waits for what follows the last finish; whatever has come then is all. */
  function awaitEnd(): void {
    const ms = meter.over ? LINGER_MS : FINISH_MS;
    if (lingerMs === ms || (wentOn && !meter.over)) return;
    clearTimeout(linger);
    lingerMs = ms;
    linger = setTimeout(() => attempt.guard(finishCut), ms);
  }

  /** An error before any output, or one of our account: while nothing is sent another may answer, and a plain error can tell it. */
  function failedUnheard(): boolean {
    return meter.error !== undefined && (meter.error.fault === "account" || !meter.facts().hasOutput);
  }

  /** Events were asked for, and a JSON text came: no client of a stream can read it. */
  function isInOnePiece(): boolean {
    return meter.broken.form === "array" && !attempt.passage.arrayStream;
  }

  /** The beginning is an error or no stream: nothing was sent, so it is told as a plain error or not at all. */
  function refuse(): void {
    attempt.flight.abort();
    giveUp(
      meter.error === undefined
        ? answeredInOnePiece(upstream)
        : failureOfError(meter.error, protocol.name, upstream),
    );
  }

  /** What a vendor says of our account there is not the caller's to read: their event gives way to ours. */
  function conceal(): void {
    attempt.flight.abort();
    heldBack = [];
    attempt.guard(() => breakOff(brokenStream(upstream).error, "upstream_failed_after_output"));
  }

  function giveUp(failure: AttemptFailure): void {
    stop();
    attempt.fail(failure);
  }

  /** The end did not come, all that was asked for did: half a frame behind it is nobody's to read. */
  function finishCut(): Promise<void> {
    heldBack.length = heldBackWhole;
    return finish();
  }

  async function finish(): Promise<void> {
    if (over) return;
    stop();
    await charge("completed");
    crashPoint("answer.before-last-byte");
    release();
    for (const piece of passage.end(meter.missingEnd)) answer.write(piece);
    // A finish of some vendors is a failure in other protocols, which the meter of their own does not see.
    if (passage.failedAtEnd?.()) {
      const statement = statementOf(brokenStream(upstream).error, attempt.errorType);
      for (const piece of passage.fail(statement, meter.broken)) answer.write(piece);
    }
    answer.end();
    crashPoint("answer.after-last-byte");
    attempt.flight.abort();
    attempt.done();
  }

  /** A failure mid-stream is told in the protocol's own form and never looks finished. */
  async function breakOff(error: GatewayError, reason: ChargeReason): Promise<void> {
    stop();
    meter.end();
    const statement = statementOf(toldError(error), attempt.errorType);
    await charge(reason, statement.code);
    if (answer.committed && answer.open) {
      // An upstream's own error event may have passed as it came, and then needs no second one.
      const told = meter.error !== undefined && meter.error.fault !== "account" && passage.passesErrors;
      if (told) release();
      else for (const piece of passage.fail(statement, meter.broken)) answer.write(piece);
      answer.end();
    } else {
      answer.cut();
    }
    if (reason === "drained") attempt.done({ kind: "neutral" });
    else attempt.brokeOff(whyBroken(error));
  }

  /** What the upstream told of its failure, or what the transport saw. */
  function whyBroken(error: GatewayError): Error {
    if (meter.error !== undefined) return causeOf(meter.error, upstream);
    return error.cause instanceof Error ? error.cause : error;
  }

  /** The upstream's own words where they are the caller's to read and do not reach them as they came. */
  function toldError(error: GatewayError): GatewayError | ErrorStatement {
    if (meter.error === undefined || passage.passesErrors) return error;
    const told = tellCaller(meter.error, protocol.name);
    return told instanceof GatewayError ? told : told.statement;
  }

  async function charge(reason: ChargeReason, errorCode?: string): Promise<void> {
    const facts = meter.started ? meter.facts() : undefined;
    if (facts !== undefined) attempt.learn(facts);
    exchange.losses = [...exchange.losses, ...passage.losses()];
    await settle(exchange, {
      reason,
      candidate,
      facts,
      status: answer.committed ? 200 : 0,
      ...(errorCode === undefined ? {} : { errorCode }),
    });
  }
}

function reasonOf(failure: UpstreamFailure): ChargeReason {
  return failure.kind === "timeout" ? "upstream_timeout_after_output" : "upstream_failed_after_output";
}
