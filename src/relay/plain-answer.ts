import { crashPoint } from "../base/crash-point.ts";
import type { AnswerFacts } from "../protocols/protocol.ts";
import { scrubAnswer } from "../protocols/scrub-stream.ts";
import type { UpstreamFailure } from "../upstreams/call.ts";
import { isLarge } from "./answer-memory.ts";
import { chargeInput } from "./awaited-answer.ts";
import { droppedHeader } from "./dropped-header.ts";
import { settle } from "./exchange.ts";
import { failureOfTransport, tooLargeAnswer, unreadableAnswer } from "./failures.ts";
import type { Attempt, Receiver } from "./receiver.ts";

/**
 * The largest plain answer: embeddings of a full batch come near 60 MB as JSON. It is collected whole,
 * so that it leaves in one write with its length, and so that a break-off can still become an error.
 */
const PLAIN_ANSWER_BYTES = 96 * 1024 * 1024;

/** Receives a plain answer: collected, metered, settled, then passed on byte for byte. */
export class PlainAnswer implements Receiver {
  private readonly attempt: Attempt;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  /** `headers` are those of a successful answer. */
  constructor(attempt: Attempt, headers: Readonly<Record<string, string>>) {
    this.attempt = attempt;
    this.headers = headers;
  }

  data(chunk: Buffer): void {
    const { exchange, candidate, flight } = this.attempt;
    this.bytes += chunk.length;
    if (this.bytes > PLAIN_ANSWER_BYTES) {
      flight.abort();
      this.attempt.fail(tooLargeAnswer(candidate.upstream.name));
      return;
    }
    this.chunks.push(chunk);
    if (isLarge(this.bytes)) this.attempt.keeps(this.bytes);
    if (exchange.firstByteMs === null) {
      exchange.firstByteMs = exchange.clock.monotonicMs();
      crashPoint("upstream.after-first-event");
    }
  }

  async ended(): Promise<void> {
    crashPoint("upstream.after-last-byte");
    const { attempt, chunks } = this;
    const { exchange, candidate } = attempt;
    const { answer } = exchange.request;
    const upstream = candidate.upstream.name;
    const facts = attempt.usage.readBytes(
      chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, this.bytes),
    );
    if (facts.error !== undefined && !facts.hasOutput) return attempt.fail(attempt.failureOf(facts.error));
    if (facts.unreadable === true) return attempt.fail(unreadableAnswer(upstream));
    const passed = attempt.passage.plain(chunks);
    if ("error" in passed) return attempt.fail(attempt.failureOf(passed.error));
    const body = tellsFailure(facts)
      ? [scrubAnswer(Buffer.concat(passed.body), attempt.scrubber())]
      : passed.body;
    attempt.learn(facts);
    if (passed.losses.length > 0) exchange.losses = [...exchange.losses, ...passed.losses];
    const { gone } = exchange;
    await settle(exchange, {
      reason: gone ? "client_aborted" : "completed",
      candidate,
      facts,
      status: gone ? 0 : 200,
    });
    crashPoint("answer.before-last-byte");
    if (answer.open) {
      answer.whole(200, Object.assign({}, this.headers, droppedHeader(exchange.losses)), body);
      attempt.keepsUntilRead();
    }
    crashPoint("answer.after-last-byte");
    attempt.done();
  }

  async failed(failure: UpstreamFailure): Promise<void> {
    const { gone, drained } = this.attempt.exchange;
    if (!gone && !drained) return this.attempt.fail(failureOfTransport(failure));
    await chargeInput(this.attempt);
    this.attempt.done();
  }

  /** The caller left: the answer is read on to the end, since the vendor will bill us for it. */
  gone(): void {}

  async drain(): Promise<void> {
    this.attempt.flight.abort();
    await chargeInput(this.attempt);
    this.attempt.exchange.request.answer.cut();
    this.attempt.done();
  }
}

/** Whether the vendor speaks in it, beside a model or in its place. */
function tellsFailure({ error, failed, hasOutput }: AnswerFacts): boolean {
  return error !== undefined || failed || !hasOutput;
}
