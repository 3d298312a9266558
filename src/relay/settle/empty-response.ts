import type { ResponseSummary } from "../../protocols/protocol.ts";
import { totalCached, totalOutput } from "../../usage/usage.ts";
import type { TextRequest } from "../text-request.ts";

/** True if the model refused without text and without usage, so nothing is known to have been used. */
export function isUncounted({ declined, hasOutput, usage, parts }: ResponseSummary): boolean {
  return declined && !hasOutput && usage === undefined && parts === undefined;
}

/**
 * An empty completion: the vendor itself reports zero output of every kind, and not by the caller's own wish. One that read or
 * wrote a cache or ran tools is what the caller has asked for: a prompt cache is prepared, or found prepared, by a request
 * without output, which its vendor bills.
 */
export function isEmpty(request: TextRequest, summary: ResponseSummary): boolean {
  const tokens = summary.usage?.tokens;
  return (
    tokens !== undefined &&
    tokens.outputVisible === 0 &&
    totalOutput(tokens) === 0 &&
    totalCached(tokens) === 0 &&
    (summary.calls ?? []).every(({ count }) => count === 0) &&
    summary.usage?.additionalUsage === undefined &&
    !summary.hasOutput &&
    !summary.finishedByCaller &&
    // Chat completions say `stop` for the model's own end and the caller's sequence alike.
    request.scan.last("stop") === undefined
  );
}
