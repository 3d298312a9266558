import type { FieldChanges } from "../../base/json/field-changes.ts";
import type { JsonObject } from "../request.ts";
import type { Origin, Reader } from "../state/opaque.ts";
import type { EndUser } from "./end-user.ts";
import type { Quirks } from "./quirks.ts";

/** The receiver of an encoded request. */
export interface EncodeTarget extends Reader {
  /** The upstream's name of the model. */
  readonly model: string;
  /** Stamped on state that the response issues, and compared with state that the request carries. */
  readonly origin: Origin;
  readonly quirks: Quirks;
  /** The model's largest output, which stands in where a protocol must be told a limit. */
  readonly maxOutputTokens: number | undefined;
  /** Unique to the request: ids that the upstream leaves out are made from it. */
  readonly seed: string;
  /** The operator's changes of the fields at the top of the body. */
  readonly changes?: FieldChanges | undefined;
  /** The user that the body names if nobody is named. */
  readonly endUser?: EndUser | undefined;
}

/**
 * The changes in the encoding of a request that its response must undo (`adapt/restore-names.ts` does, for all
 * protocols).
 */
export interface ResponsePlan {
  readonly origin: Origin;
  readonly seed: string;
  /** Tools by the name they have upstream, where that differs or they are not plain functions. */
  readonly tools: ReadonlyMap<string, PlannedTool>;
  /** Structured output by a forced tool: this tool's arguments are the response's text. */
  readonly responseTool: string | undefined;
  /**
   * The number of times to send the request, if it makes one response and several are wanted; the responses are joined.
   */
  readonly copies: number;
  /** Stop sequences that the upstream was not told: the response is cut at them. */
  readonly stops: readonly string[];
  /** Thoughts stand in tags at the response's beginning. */
  readonly thinkTags?: boolean | undefined;
  /** The model wants its thoughts back, signed or not. */
  readonly reasoningReplay?: boolean | undefined;
}

export interface PlannedTool {
  readonly name: string;
  readonly namespace?: string | undefined;
  /** A custom tool sent as a function with one text, `input`. */
  readonly custom?: true | undefined;
}

/** The facts that a response in the caller's protocol needs beside its content. */
export interface ResponseFrame {
  /** Unique; encoders put their protocol's prefix before it. */
  readonly id: string;
  /** Ends the messages of errors. */
  readonly requestId: string;
  /** Unix time, seconds. */
  readonly created: number;
  /** The name in the response if the upstream names no model. */
  readonly model: string;
  readonly includeUsage: boolean;
  /** The caller asked for one choice. */
  readonly oneChoice?: true | undefined;
  /** The caller reads one call a response, as chats told it before there were tools. */
  readonly oneCall?: true | undefined;
  /** The caller's own fields that its protocol repeats. */
  readonly echo: JsonObject;
  /** Stands in for the input count until the truth is known; at least 1 (rule 6). */
  readonly inputEstimate: number;
}

/** A plan that undoes nothing. */
export function blankPlan(origin: Origin, seed: string): ResponsePlan {
  return { origin, seed, tools: new Map(), responseTool: undefined, copies: 1, stops: [] };
}
