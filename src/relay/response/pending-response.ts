import type { ResponseSummary } from "../../protocols/protocol.ts";
import type { UpstreamFailure } from "../../upstreams/call.ts";
import { settle } from "../exchange.ts";
import { failureOfTransport, stopped } from "../failures.ts";
import { canStillFail } from "../shall-stop.ts";
import type { Attempt, Receiver } from "./receiver.ts";

/**
 * Stands where the receiver will be until the upstream's head tells which it is. A plain response's head
 * mostly comes with the rest of it, so that nearly all of the vendor's work is done in this time.
 */
export class PendingResponse implements Receiver {
  private readonly attempt: Attempt;

  constructor(attempt: Attempt) {
    this.attempt = attempt;
  }

  data(): void {}

  ended(): void {}

  async failed(failure: UpstreamFailure): Promise<void> {
    const { clientGone, request } = this.attempt.exchange;
    const cutByUs = failure.kind === "timeout" && failure.phase !== "connect";
    if (request.streamed || !clientGone || !cutByUs) return this.attempt.fail(failureOfTransport(failure));
    await chargeInput(this.attempt);
    this.attempt.done({ kind: "failed" });
  }

  /** A stream not yet begun costs nothing; a plain response is awaited, since the vendor will bill us for it. */
  clientGone(): void {
    if (!this.attempt.exchange.request.streamed) return;
    this.attempt.upstreamCall.abort();
    this.leave();
  }

  async abort(): Promise<void> {
    const { exchange, upstreamCall } = this.attempt;
    const isWorkedOn = !exchange.request.streamed && upstreamCall.sentMs() !== undefined;
    upstreamCall.abort();
    if (isWorkedOn) await chargeInput(this.attempt);
    if (exchange.clientGone) this.leave();
    else this.attempt.fail(stopped());
  }

  private leave(): void {
    this.attempt.exchange.request.response.abort();
    this.attempt.done({ kind: "neutral" });
  }
}

/** Cut before its end, a plain response has told no usage: its input was worked on, so that is charged. */
export function chargeInput({ exchange, candidate, usage }: Attempt): Promise<void> {
  const summary: ResponseSummary = { ...usage.readPlain(undefined), usage: undefined };
  return settle(exchange, {
    reason: exchange.isAborted ? "drained" : "client_aborted",
    candidate,
    summary,
    status: canStillFail(exchange) ? 503 : 0,
    errorCode: exchange.isAborted ? stopped().error.reason : undefined,
  });
}
