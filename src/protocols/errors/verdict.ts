import type { ResponseSummary } from "../protocol.ts";
import { decodeStatedError } from "./upstream-error.ts";
import type { UpstreamError } from "./upstream-error-policy.ts";

/**
 * Judges an ended response with a success status by its summary alone: the failure it is, or undefined for an
 * answer. The one place that decides it, for responses that are forwarded or translated, whole or streamed
 * (docs/translation.md has it as a table). `generates`: the protocol's responses are written by a model.
 */
export function failureIn(summary: ResponseSummary, generates: boolean): UpstreamError | undefined {
  if (summary.parts !== undefined) {
    // One request to its caller: one copy's failure is the failure of all.
    for (const part of summary.parts) {
      const failure = failureIn(part, generates);
      if (failure !== undefined) return failure;
    }
    return undefined;
  }
  const { error, failed, hasOutput, declined, usage, finish } = summary;
  if (error !== undefined) return error;
  if (failed) return FAILED;
  if (hasOutput || declined) return undefined;
  // Vendors of vectors and of ranks answer in many forms, but each has those or counts something.
  if (!generates) return usage === undefined ? EMPTY : undefined;
  // Without a word, only one that has ended and was counted is a response: a model may think to its limit in silence.
  return usage === undefined || finish === undefined ? EMPTY : undefined;
}

const FAILED = decodeStatedError({ error: { message: "The upstream's response reports a failure." } });
const EMPTY = decodeStatedError({ error: { message: "The upstream's response is empty." } });
