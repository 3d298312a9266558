import type { LimitName } from "../../errors.ts";

/** One request to an upstream, as far as it came; in the form in which it is stored and shown to operators. */
export interface FailedAttempt {
  readonly upstream: string;
  readonly upstream_model: string;
  /** The credential's name. */
  readonly credential: string;
  /** HTTP status of the upstream; null = it did not respond. */
  readonly status: number | null;
  /** The vendor's words, scrubbed. */
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly vendor_request_id: string | null;
  /**
   * Milliseconds since the request came: when the attempt began, when a connection took it, when the response's head was
   * here, when it was over. Null = it did not come so far.
   */
  readonly began_ms: number;
  readonly connected_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly ended_ms: number;
}

/** A request of a known key that was refused, failed or needed more than one attempt. */
export interface FailedRequest {
  readonly requestId: string;
  readonly acceptedMs: number;
  readonly accountId: bigint;
  readonly keyId: bigint;
  readonly endpoint: string;
  /** Null = it named no model that its caller may use. */
  readonly model: string | null;
  /** 0 = the client disconnected first. */
  readonly status: number;
  /** Empty = it was answered after all. */
  readonly code: string;
  /** The error that the caller got. */
  readonly message: string;
  /** The limit that refused it. */
  readonly limit: LimitName | null;
  readonly upstream: string | null;
  readonly totalMs: number;
  /** It held money, so that the usage log has it too. */
  readonly isInUsageLog: boolean;
  readonly attempts: readonly FailedAttempt[];
}

/** Data of a running request that is needed if it fails. */
export interface FailureNotes {
  /** Outcomes of the attempts, from the first failed one on. */
  readonly attempts: FailedAttempt[];
  /** The error that the caller got in place of a response. */
  refusal: unknown;
}

/** Vendors repeat whole requests in their messages. */
const MAX_MESSAGE_BYTES = 1_024;

/** A message as it is kept. */
export function cutMessage(text: string): string {
  return cutText(text, MAX_MESSAGE_BYTES);
}

/** The beginning of a text, of at most so many bytes. */
function cutText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // A character that is cut in two becomes a mark, which goes.
  const kept = bytes.subarray(0, maxBytes - ELLIPSIS.length).toString();
  return kept.replace(/\uFFFD$/, "") + ELLIPSIS;
}

const ELLIPSIS = "...";
