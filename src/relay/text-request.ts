import type { Caller } from "../accounts/caller.ts";
import type { MemoryGrant } from "../base/async/memory-budget.ts";
import type { BodyScan } from "../base/json/json-scan.ts";
import type { Loss } from "../conversation/loss.ts";
import type { Admission } from "../limits/admission.ts";
import type { Protocol } from "../protocols/protocol.ts";
import type { CallerHeaders, CallerQuery } from "../upstreams/call.ts";
import type { WrappedState } from "./admit/wrapped-state.ts";
import type { ClientResponse } from "./response/client-response.ts";

export type { CallerHeaders };

/**
 * The form of a request for compaction: `/compact` behind the endpoint's path, an item in an ordinary request of
 * responses, or the field `compaction` of messages.
 */
export type CompactionForm = "call" | "item" | "field";

/** One accepted text request: read, checked for form, its caller known; nothing sent or held yet. */
export interface TextRequest {
  readonly id: string;
  readonly caller: Caller;
  /** Method and path for log lines, with names in place of what callers write. */
  readonly route: string;
  readonly protocol: Protocol;
  /** The model's id: until the request is admitted as the caller asked for it, a non-empty string that may be an alias. */
  readonly model: string;
  /** The alias by which the caller asked for it; absent = its id. */
  readonly alias?: string | undefined;
  readonly streamed: boolean;
  /** How many responses are asked for (`n`); 1 where the request does not say. */
  readonly responses: number;
  /** The number of prompts in one request, each with `responses / prompts` responses; absent = one. */
  readonly prompts?: number | undefined;
  /** generateContent's stream without `alt=sse`: a JSON array. */
  readonly arrayStream: boolean;
  readonly body: readonly Buffer[];
  /** The memory that the body occupies; released when the request ends. */
  readonly memory: MemoryGrant;
  /** The admission by the key's limits; undefined for a key without limits. Finished when the request ends. */
  readonly admission: Admission | undefined;
  readonly scan: BodyScan;
  /** The issuer of the opaque state in the request, if it contains any. */
  readonly state: WrappedState | undefined;
  /** It asks an upstream to compact a conversation, which not every upstream of a model does. */
  readonly compacts?: CompactionForm | undefined;
  /** The same compaction as an ordinary request, for upstreams that don't compact; absent = there is no memory for it. */
  readonly compactionFallback?: Pick<TextRequest, "response" | "body" | "scan"> | undefined;
  /** Parts that were removed from the received body. */
  readonly dropped?: readonly Loss[] | undefined;
  readonly headers: CallerHeaders;
  readonly query: CallerQuery;
  /** What the caller counts it as, `key=value`; absent = nothing. */
  readonly tags?: readonly string[] | undefined;
  /** The conversation's id from a header, if one is set. */
  readonly session: string | undefined;
  readonly response: ClientResponse;
  /** Monotonic time of arrival. */
  readonly startedMs: number;
}
