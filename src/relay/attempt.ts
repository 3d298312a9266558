import { crashPoint } from "../base/crash-point.ts";
import { atTurnEnd } from "../base/turn.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { PROTOCOLS } from "../protocols/table.ts";
import type { AttemptOutcome } from "../routing/health.ts";
import type { Routing } from "../routing/routing.ts";
import type { Candidate, Transport, UpstreamAnswer, UpstreamCall } from "../upstreams/call.ts";
import type { RawHeaders } from "../upstreams/raw-headers.ts";
import type { StoredResponses } from "../upstreams/stored-responses.ts";
import { awaitAnswer } from "./awaited-answer.ts";
import { droppedHeader } from "./dropped-header.ts";
import { receiveError } from "./error-answer.ts";
import type { Exchange } from "./exchange.ts";
import { type AttemptFailure, bugOfOurs } from "./failures.ts";
import { fanOut } from "./fan-out.ts";
import type { Passage } from "./passage.ts";
import { receivePlain } from "./plain-answer.ts";
import type { Attempt, Receiver } from "./receiver.ts";
import { receiveStream } from "./stream-answer.ts";

export interface AttemptDeps {
  readonly transport: Transport;
  readonly routing: Routing;
  readonly storedResponses: StoredResponses;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly errorType: string;
}

/** Sends one attempt. Resolves to undefined when the exchange is over, else to how the attempt failed. */
export function attemptAt(
  deps: AttemptDeps,
  exchange: Exchange,
  candidate: Candidate,
  passage: Passage,
): Promise<AttemptFailure | undefined> {
  const { request } = exchange;
  return new Promise((resolve) => {
    let over = false;
    const close = (failure: AttemptFailure | undefined, health: AttemptOutcome): void => {
      if (over) return;
      over = true;
      deps.routing.report(candidate, health);
      deps.metrics.attemptEnded(candidate.upstream.name, health.kind);
      resolve(failure);
    };
    const fail = (failure: AttemptFailure): void => close(failure, failure.health);
    const guard = (work: () => void | Promise<void>): void => {
      const crash = (cause: unknown): void => {
        flight.abort();
        if (request.answer.committed) request.answer.cut();
        fail(bugOfOurs(cause));
      };
      try {
        work()?.catch(crash);
      } catch (cause) {
        crash(cause);
      }
    };
    const { flight, usage } = send(
      deps.transport,
      passage.copies,
      {
        candidate,
        requestId: request.id,
        streamed: request.streamed,
        arrayStream: passage.arrayStream,
        query: request.query,
        headers: request.headers,
        body: passage.pieces,
      },
      {
        head(status, headers) {
          crashPoint("upstream.after-head");
          receiver = receiverFor(attempt, status, headers);
          if (exchange.gone) guard(() => receiver.gone());
        },
        data: (chunk) => guard(() => receiver.data(chunk)),
        // Only the caller's leaving can come between, and the answer that is here is charged all the same.
        ended: () => atTurnEnd(() => guard(() => receiver.ended())),
        failed: (failure) => guard(() => receiver.failed(failure)),
      },
    );

    const attempt: Attempt = {
      exchange,
      candidate,
      flight,
      usage,
      errorType: deps.errorType,
      answering: () => deps.routing.report(candidate, { kind: "answering" }),
      done: (health = { kind: "ok" }) => close(undefined, health),
      brokeOff(err) {
        const { name } = candidate.upstream;
        deps.log.warn({ requestId: request.id, upstream: name, err }, "an upstream failed in mid-stream");
        close(undefined, { kind: "failed" });
      },
      fail,
      guard,
      learn(facts) {
        if (!passage.storesResponse || facts.id === undefined) return;
        deps.storedResponses.remember({
          responseId: facts.id,
          accountId: request.caller.accountId,
          upstreamId: candidate.upstream.id,
          credentialId: candidate.credential.id,
        });
      },
      passage,
    };
    let receiver = awaitAnswer(attempt);

    request.answer.onGone(() => {
      exchange.gone = true;
      guard(() => receiver.gone());
    });
    exchange.onDrain = () => guard(() => receiver.drain());
  });
}

function send(
  transport: Transport,
  copies: number,
  call: UpstreamCall,
  answer: UpstreamAnswer,
): Pick<Attempt, "flight" | "usage"> {
  const { usage } = PROTOCOLS[call.candidate.protocol];
  return copies === 1
    ? { flight: transport.send(call, answer), usage }
    : fanOut(transport, call, copies, usage, answer);
}

/** Headers of an upstream's answer that callers get: none but its type, as the others describe our account there. */
function receiverFor(attempt: Attempt, status: number, headers: RawHeaders): Receiver {
  if (status < 200 || status > 299) return receiveError(attempt, status, headers.all());
  const { contentType, losses, arrayStream } = attempt.passage;
  const { streamed } = attempt.exchange.request;
  const due = streamed && !arrayStream ? "text/event-stream" : "application/json";
  const passed = {
    "content-type": contentType ?? typeOf(headers.get("content-type"), due),
    ...droppedHeader(losses),
  };
  return streamed
    ? receiveStream(attempt, { ...passed, "cache-control": "no-cache", "x-accel-buffering": "no" })
    : receivePlain(attempt, passed);
}

/** In the upstream's words where they are true: some call their JSON text/plain, and clients then do not read it as JSON. */
function typeOf(stated: string | undefined, due: string): string {
  return stated?.toLowerCase().startsWith(due) ? stated : due;
}
