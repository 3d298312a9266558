import { crashPoint } from "../base/crash-point.ts";
import { chargeInput } from "./awaited-answer.ts";
import { droppedHeader } from "./dropped-header.ts";
import { settle } from "./exchange.ts";
import { failureOfError, failureOfTransport, tooLargeAnswer, unreadableAnswer } from "./failures.ts";
import type { Attempt, Receiver } from "./receiver.ts";

/**
 * The largest plain answer: embeddings of a full batch come near 60 MB as JSON. It is collected whole,
 * so that it leaves in one write with its length, and so that a break-off can still become an error.
 */
const PLAIN_ANSWER_BYTES = 96 * 1024 * 1024;

/** Receives a plain answer: collected, metered, settled, then passed on byte for byte. */
export function receivePlain(attempt: Attempt, headers: Readonly<Record<string, string>>): Receiver {
  const { exchange, candidate } = attempt;
  const { request } = exchange;
  const upstream = candidate.upstream.name;
  const meterOf = attempt.usage;
  const chunks: Buffer[] = [];
  let bytes = 0;
  let gone = false;

  return {
    data(chunk) {
      bytes += chunk.length;
      if (bytes > PLAIN_ANSWER_BYTES) {
        attempt.flight.abort();
        return attempt.fail(tooLargeAnswer(upstream));
      }
      chunks.push(chunk);
      if (exchange.firstByteMs === null) {
        exchange.firstByteMs = exchange.clock.monotonicMs();
        crashPoint("upstream.after-first-event");
      }
    },
    async ended() {
      crashPoint("upstream.after-last-byte");
      const facts = meterOf.readBytes(
        chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, bytes),
      );
      if (facts.error !== undefined && !facts.hasOutput) {
        return attempt.fail(failureOfError(facts.error, request.protocol.name, upstream));
      }
      if (!looksWhole(chunks)) return attempt.fail(unreadableAnswer(upstream));
      const passed = attempt.passage.plain(chunks);
      if ("error" in passed)
        return attempt.fail(failureOfError(passed.error, request.protocol.name, upstream));
      attempt.learn(facts);
      if (passed.losses.length > 0) exchange.losses = [...exchange.losses, ...passed.losses];
      await settle(exchange, {
        reason: gone ? "client_aborted" : "completed",
        candidate,
        facts,
        status: gone ? 0 : 200,
      });
      crashPoint("answer.before-last-byte");
      if (request.answer.open)
        request.answer.whole(200, Object.assign({}, headers, droppedHeader(exchange.losses)), passed.body);
      crashPoint("answer.after-last-byte");
      attempt.done();
    },
    async failed(failure) {
      if (!gone && !exchange.drained) return attempt.fail(failureOfTransport(failure));
      await chargeInput(attempt);
      attempt.done();
    },
    /** The caller left: the answer is read on to the end, since the vendor will bill us for it. */
    gone() {
      gone = true;
    },
    async drain() {
      attempt.flight.abort();
      await chargeInput(attempt);
      request.answer.cut();
      attempt.done();
    },
  };
}

/**
 * Whether this can be a JSON object or array: a proxy's page and a body cut short are not, and clients
 * take them for answers. The ends tell, so that a large body is not read once more.
 */
function looksWhole(chunks: readonly Buffer[]): boolean {
  let first: number | undefined;
  let last: number | undefined;
  for (const chunk of chunks) {
    first ??= chunk.find(isVisible);
    last = chunk.findLast(isVisible) ?? last;
  }
  return (first === BRACE && last === CLOSING_BRACE) || (first === BRACKET && last === CLOSING_BRACKET);
}

/** Neither a space nor part of a byte order mark. */
function isVisible(byte: number): boolean {
  return byte > SPACE && byte < 0x80;
}

const SPACE = 0x20;
const BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
