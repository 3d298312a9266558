import type { AnswerFacts } from "../protocols/protocol.ts";
import { settle } from "./exchange.ts";
import { failureOfTransport } from "./failures.ts";
import type { Attempt, Receiver } from "./receiver.ts";

/**
 * Stands where the receiver will be until the upstream's head tells which it is. A plain answer's head
 * mostly comes with the rest of it, so that nearly all of the vendor's work is done in this time.
 */
export function awaitAnswer(attempt: Attempt): Receiver {
  const { exchange, flight } = attempt;
  const { answer, streamed } = exchange.request;
  const leave = (): void => {
    answer.cut();
    attempt.done({ kind: "neutral" });
  };
  return {
    data: () => undefined,
    ended: () => undefined,
    async failed(failure) {
      const cutByUs = failure.kind === "timeout" && failure.phase !== "connect";
      if (streamed || !exchange.gone || !cutByUs) return attempt.fail(failureOfTransport(failure));
      await chargeInput(attempt);
      attempt.done({ kind: "failed" });
    },
    /** A stream not yet begun costs nothing; a plain answer is awaited, since the vendor will bill us for it. */
    gone() {
      if (!streamed) return;
      flight.abort();
      leave();
    },
    async drain() {
      const isWorkedOn = !streamed && flight.isSent();
      flight.abort();
      if (isWorkedOn) await chargeInput(attempt);
      leave();
    },
  };
}

/** Cut before its end, a plain answer has told no usage: its input was worked on, so that is charged. */
export function chargeInput({ exchange, candidate, usage }: Attempt): Promise<void> {
  const facts: AnswerFacts = { ...usage.readPlain(undefined), usage: undefined };
  return settle(exchange, {
    reason: exchange.drained ? "drained" : "client_aborted",
    candidate,
    facts,
    status: 0,
  });
}
