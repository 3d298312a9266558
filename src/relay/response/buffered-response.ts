import { assert } from "../../base/assert.ts";
import { failpoint } from "../../base/failpoint.ts";
import { packChunk } from "../../base/pack-chunk.ts";
import { droppedHeader } from "../../conversation/loss.ts";
import { isGenerating } from "../../conversation/protocol-name.ts";
import { failureIn } from "../../protocols/errors/verdict.ts";
import { scrubResponse } from "../../protocols/streams/scrub-stream.ts";
import type { UpstreamFailure } from "../../upstreams/call.ts";
import { settle } from "../exchange.ts";
import {
  brokenStream,
  failureOfReading,
  failureOfTransport,
  tooLargeResponse,
  unreadableResponse,
} from "../failures.ts";
import type { Framing } from "../mode/framing.ts";
import { framingOf, LOOKED_AT } from "../mode/other-framing.ts";
import { isLong } from "../mode/response-reader.ts";
import { type ResponseTerms, readWhole } from "../mode/whole-response.ts";
import { chargeInput } from "./pending-response.ts";
import type { Attempt, Receiver } from "./receiver.ts";
import { isLarge } from "./response-memory.ts";

/**
 * The largest plain answer: embeddings of a full batch come near 60 MB as JSON. It is collected whole,
 * so that it leaves in one write with its length, and so that a break-off can still become an error.
 */
export const PLAIN_RESPONSE_BYTES = 96 * 1024 * 1024;

/**
 * Receives an answer that is collected whole: a plain one, and one that is framed otherwise than was asked for. Metered,
 * judged and settled, then passed on: byte for byte, or written as the caller asked.
 */
export class BufferedResponse implements Receiver {
  private readonly attempt: Attempt;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  /** A worker has it. */
  private isRead = false;

  /** `headers` are those of a successful answer. */
  constructor(attempt: Attempt, headers: Readonly<Record<string, string>>) {
    this.attempt = attempt;
    this.headers = headers;
  }

  data(chunk: Buffer): void {
    const { exchange, candidate, call } = this.attempt;
    this.bytes += chunk.length;
    if (this.bytes > (exchange.request.response.mostBytes ?? PLAIN_RESPONSE_BYTES)) {
      call.abort();
      this.attempt.fail(tooLargeResponse(candidate.upstream.name));
      return;
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
    const { attempt, chunks } = this;
    const { exchange, candidate } = attempt;
    const { request } = exchange;
    const { response } = request;
    const upstream = candidate.upstream.name;
    const terms = this.terms();
    const isAside = isLong(this.bytes, terms);
    if (isAside) this.isRead = true;
    const { facts, finished, passed } = isAside
      ? await attempt.readAside(chunks, terms)
      : readWhole(terms, attempt.usage, chunks, attempt.mode.tellCall);
    if (facts.unreadable === true && facts.error === undefined)
      return attempt.fail(unreadableResponse(upstream));
    if (!finished) return attempt.fail(brokenStream(upstream));
    const failure = failureIn(facts, isGenerating(request.protocol.name));
    if (failure !== undefined) return attempt.fail(attempt.failureOf(failure));
    assert(passed !== undefined, "an answer that is no failure was not written");
    if ("error" in passed) return attempt.fail(attempt.failureOf(passed.error));
    const body = facts.hasOutput ? passed.body : [await this.scrubbed(passed.body, isAside)];
    if (isAside) attempt.keeps(Math.max(this.bytes, lengthOf(body)));
    attempt.learn(facts);
    if (passed.losses.length > 0) exchange.losses = [...exchange.losses, ...passed.losses];
    const { gone } = exchange;
    const refusal = gone || request.streamed ? undefined : response.refusal?.(body);
    await settle(exchange, {
      reason: gone ? "client_aborted" : "completed",
      candidate,
      facts,
      status: gone ? 0 : (refusal?.status ?? 200),
      ...(refusal === undefined ? {} : { errorCode: refusal.code }),
    });
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

  private terms(): ResponseTerms {
    const { mode, exchange } = this.attempt;
    const { protocol, responses } = exchange.request;
    const framing = this.framing();
    return { client: protocol.name, framing, responses, form: mode.wholeForm(framing) };
  }

  /** What joined several answers has a form of its own, and only protocols that generate stream. */
  private framing(): Framing {
    const { mode, exchange, candidate } = this.attempt;
    if (mode.copies > 1 || !isGenerating(exchange.request.protocol.name)) return "whole";
    return framingOf(this.beginning(), candidate.protocol) ?? "whole";
  }

  private beginning(): Buffer {
    const [first] = this.chunks;
    if (first !== undefined && first.length >= LOOKED_AT) return first;
    return Buffer.concat(this.chunks.slice(0, LOOKED_AT));
  }

  /** Where nothing of a model's was found, the words may be the vendor's own. */
  private scrubbed(body: readonly Uint8Array[], isAside: boolean): Uint8Array | Promise<Uint8Array> {
    const { attempt } = this;
    return isAside ? attempt.scrubAside(body) : scrubResponse(Buffer.concat(body), attempt.scrubber());
  }

  private stream(headers: Readonly<Record<string, string>>, body: readonly Uint8Array[]): void {
    const { exchange } = this.attempt;
    const { response } = exchange.request;
    if (!response.committed) response.head(200, headers);
    for (const piece of body) response.write(piece);
    response.end();
  }

  async failed(failure: UpstreamFailure): Promise<void> {
    const { gone, isCut } = this.attempt.exchange;
    if (!gone && !isCut) return this.attempt.fail(failureOfTransport(failure));
    await chargeInput(this.attempt);
    this.attempt.done();
  }

  crashed(cause: unknown): void {
    this.attempt.fail(failureOfReading(cause, this.attempt.candidate.upstream.name));
  }

  /** The caller left: the answer is read on to the end, since the vendor will bill us for it. */
  gone(): void {}

  async cut(): Promise<void> {
    // All of it is here: it is read, charged and told within seconds.
    if (this.isRead) return;
    this.attempt.call.abort();
    await chargeInput(this.attempt);
    this.attempt.exchange.request.response.cut();
    this.attempt.done();
  }
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
}
