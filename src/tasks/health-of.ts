import type { AttemptOutcome } from "../routing/outcome.ts";
import type { AskOutcome } from "../upstreams/call.ts";
import type { SubmitOutcome } from "../upstreams/task-apis/task-api.ts";

/** What the outcome of a submit says of where it was sent. */
export function healthOf(asked: AskOutcome, outcome: SubmitOutcome): AttemptOutcome {
  if (asked.type === "failed") {
    const { kind, phase } = asked.failure;
    // It was full, or we gave up ourselves.
    if (kind === "busy" || kind === "aborted") return { kind: "neutral" };
    return { kind: phase === "connect" && kind !== "protocol" ? "unreachable" : "failed" };
  }
  if (outcome.type === "accepted" || outcome.type === "done") return { kind: "ok" };
  if (outcome.type === "unclear") return { kind: "failed" };
  if (outcome.next === "fail") return { kind: "client-error" };
  if (outcome.next === "later") return { kind: "rate-limited", retryAfterSeconds: outcome.retryAfterSeconds };
  return { kind: asked.response.status >= 500 ? "failed" : "neutral" };
}
