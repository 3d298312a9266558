import type { Loss } from "../../conversation/loss.ts";
import type { UsageReader } from "../../protocols/protocol.ts";
import type { OnCall } from "../../protocols/translation.ts";
import type { Framing, RelayedStream } from "./framing.ts";
import type { WholeForm } from "./whole-response.ts";

/**
 * The way through between a caller's protocol and an upstream's, both directions: `forward.ts` passes
 * bytes as they are, `translate.ts` goes through the neutral form. Receivers do not know which it is.
 */
export interface RelayMode {
  /** The request's bytes for the upstream. */
  readonly pieces: readonly Uint8Array[];
  /** How often to send them; with more than one, answers come back in the form of `joined-form.ts`. */
  readonly copies: number;
  /** The bytes of each copy where they differ, as many as there are copies. */
  readonly separateBodies?: readonly Uint8Array[] | undefined;
  /** Streams come as a JSON array and not as events (only ever the caller's own wish, forwarded). */
  readonly arrayStream: boolean;
  /** The vendor keeps the response, so its id must lead back there. */
  readonly storesResponse: boolean;
  /** Parts of the request that the upstream's protocol has no place for. */
  readonly losses: readonly Loss[];
  /** Values of state that stand before those which this place has made itself, and were taken out. */
  readonly foreignValues: number;
  /** `content-type` of a successful answer, where it is not the upstream's own. */
  readonly contentType: string | undefined;
  /** Each event is read and written anew, a hundred times the work of passing it on: long streams are worked off in slices. */
  readonly inSlices?: true;
  /** `usage` is of the attempt, which may be one of several requests. */
  openStream(usage: UsageReader): RelayedStream;
  /** Converts a complete response, framed as it came, to what the caller requested. */
  wholeForm(framing: Framing): WholeForm;
  /** Called with each tool call of a whole response and its state; absent = nobody keeps them. */
  readonly onCall?: OnCall | undefined;
}
