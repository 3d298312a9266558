import type { ErrorStatement } from "../errors.ts";
import type { MeteredUsage } from "../usage/usage.ts";
import type { CallDefect, Citation, ForeignPart, JsonObject, MediaPart } from "./request.ts";
import type { Finish } from "./response.ts";
import type { Opaque } from "./state/opaque.ts";

/**
 * One step of a streamed response. `response-start` comes first and once. Blocks are numbered from 0 in
 * the order of their starts, over all choices; each start has its end. Blocks may interleave, but reach the
 * encoders of protocols that forbid it one after the other (`adapt/adapt-response.ts`). Usage is cumulative: the last
 * one counts, and it precedes the finishes. Each choice has one `finish`, after its blocks; an `error`
 * ends the whole stream and nothing follows it.
 */
export type ChatEvent =
  | ResponseStart
  | {
      readonly type: "text-start";
      readonly block: number;
      readonly choice: number;
      readonly refusal?: true | undefined;
    }
  | { readonly type: "text-delta"; readonly block: number; readonly text: string }
  | { readonly type: "text-end"; readonly block: number; readonly opaque?: Opaque | undefined }
  | { readonly type: "reasoning-start"; readonly block: number; readonly choice: number }
  | { readonly type: "reasoning-delta"; readonly block: number; readonly text: string }
  | ReasoningEnd
  | ToolCallStart
  | { readonly type: "tool-call-delta"; readonly block: number; readonly arguments: string }
  | ToolCallEnd
  | { readonly type: "media"; readonly block: number; readonly choice: number; readonly part: MediaPart }
  | { readonly type: "foreign"; readonly block: number; readonly choice: number; readonly part: ForeignPart }
  /** Belongs to a text block that is open. */
  | { readonly type: "citation"; readonly block: number; readonly citation: Citation }
  | { readonly type: "usage"; readonly usage: MeteredUsage }
  | { readonly type: "finish"; readonly choice: number; readonly finish: Finish }
  | { readonly type: "error"; readonly error: ErrorStatement };

interface ResponseStart {
  readonly type: "response-start";
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  readonly created?: number | undefined;
}

interface ReasoningEnd {
  readonly type: "reasoning-end";
  readonly block: number;
  readonly redacted?: true | undefined;
  readonly opaque?: Opaque | undefined;
  /** See ReasoningPart. */
  readonly requested?: true | undefined;
}

interface ToolCallEnd {
  readonly type: "tool-call-end";
  readonly block: number;
  /** Why the arguments are no JSON object. */
  readonly defect?: CallDefect | undefined;
  readonly opaque?: Opaque | undefined;
}

interface ToolCallStart {
  readonly type: "tool-call-start";
  readonly block: number;
  readonly choice: number;
  readonly id: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly custom?: true | undefined;
  /** See ToolCallPart. */
  readonly byCode?: JsonObject | undefined;
  /** State that came with its beginning; what comes later stands on its end. */
  readonly opaque?: Opaque | undefined;
}
