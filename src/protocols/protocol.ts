import type { ProtocolName } from "../conversation/protocol-name.ts";
import type { ErrorStatement } from "../errors.ts";
import type { ServiceTerms } from "../usage/service-terms.ts";
import type { CountedWork, MeteredUsage, TokenUsage } from "../usage/usage.ts";
import type { HoldTable } from "./body-features.ts";
import type { StateTable } from "./carried-state.ts";
import type { EndpointTable } from "./endpoint-table.ts";
import type { UpstreamError } from "./errors/upstream-error-policy.ts";
import type { RewriteForwarded } from "./forward-rewrite.ts";
import type { JsonObject } from "./json.ts";
import type { ReferenceTable } from "./reference.ts";
import type { StreamEvent } from "./streams/stream-event.ts";
import type { Translation } from "./translation.ts";

/**
 * One wire protocol as the rest of the gateway sees it. A protocol knows no host, no key and no
 * upstream; it is data and pure functions. Siblings share file names: wire, forward, usage, errors, codec.
 */
export interface Protocol {
  readonly name: ProtocolName;
  readonly endpoint: EndpointTable;
  readonly forward: ForwardTable;
  readonly usage: UsageReader;
  /** The header of a response that says with which tier the request was served, where its body does not. */
  readonly tierHeader?: string | undefined;
  /** Reads an upstream's error response of any shape; never throws. `body` is at most a bounded prefix. */
  decodeError(status: number, headers: UpstreamHeaders, body: Uint8Array): UpstreamError;
  /** The plain JSON error response. `requestId` is appended to the message as `(request id: ...)`. */
  encodeError(error: ErrorStatement, requestId: string): string;
  /** Ends a stream that has begun with an error, in the protocol's own mid-stream form (rule 19). */
  encodeStreamError(error: ErrorStatement, requestId: string, truncated: TruncatedStream): string;
  /** The changes that forwarding makes; absent = none. */
  readonly rewrite?: RewriteForwarded | undefined;
  /** To and from the neutral form; absent where the protocol generates no text. */
  readonly translation?: Translation | undefined;
}

/** Names in lower case. */
export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>;

export type JsonType = "string" | "number" | "boolean" | "object" | "array" | "null";

export interface AdditionalModelField {
  /** The path in the form that callers read: `fallbacks[].model`. */
  readonly path: string;
  /** It works with each call of a tool; absent = it answers in the place of the model that was asked. */
  readonly worksByCall?: true | undefined;
  /** The vendor bills the one model that answers; absent = also those that declined before it. */
  readonly isBilledAlone?: true | undefined;
  /** Its own limit of output and its speed, in the same object; absent = those of the request. */
  readonly outputLimit?: string | undefined;
  readonly speed?: string | undefined;
  /** It may be of any form: a string lets the vendor choose the models, and lists may name them. */
  readonly isOpen?: true | undefined;
  /** The tools that it is the model of, and the one that they take where they name none; absent = any tool. */
  readonly tool?: { readonly type: string; readonly byDefault: string } | undefined;
  /** The tool of it, as price tables call that, whose vendor bills these tokens and nothing for a call. */
  readonly freeCalls?: string | undefined;
}

/**
 * Models that OpenRouter, and whoever took over its interface, try where the first fails, on each of its endpoints. The `model`
 * of the response is the one that is billed.
 * https://openrouter.ai/docs/guides/routing/model-fallbacks
 */
export const ROUTED_MODELS: AdditionalModelField = { path: "models", isOpen: true, isBilledAlone: true };

/**
 * The same for gateways in front of models, which take further fields of the request from an item: its own limits are looked at
 * each by itself, and the largest counts.
 * https://docs.litellm.ai/docs/proxy/client_side_fallbacks, https://www.assemblyai.com/docs/llm-gateway/fallback
 */
export function gatewayFallbacks(limits: readonly string[]): readonly AdditionalModelField[] {
  const isBilledAlone = true;
  return [
    ...limits.map(
      (limit) =>
        ({
          path: "fallbacks[].model",
          outputLimit: `fallbacks[].${limit}`,
          isBilledAlone,
        }) as const,
    ),
    { path: "fallbacks", isOpen: true, isBilledAlone },
  ];
}

/** The paths in a request and its response that forwarding reads. */
export interface ForwardTable {
  /** Listed top-level request fields and the types the specification allows; `null` always counts as absent. */
  readonly fields: Readonly<Record<string, readonly JsonType[]>>;
  /** Top-level fields that must be present (beside `model`), each a 400 naming it. */
  readonly required: readonly string[];
  /** The field that is the conversation, and others that bring one in its place; null where requests are no conversations. */
  readonly content: { readonly field: string; readonly alternatives: readonly string[] } | null;
  /** Most items of a top-level array, where the specification limits them; more is a 400. */
  readonly maxItems: Readonly<Record<string, number>>;
  /** Fields that are served only as `false`, with what to do. */
  readonly unserved?: Readonly<Record<string, string>> | undefined;
  /** The paths at which a body names models beside its own; absent = there are none. */
  readonly additionalModels?: readonly AdditionalModelField[] | undefined;
  /** Further paths that are read of a body, beside the listed fields and what the other tables name. */
  readonly watched?: readonly string[] | undefined;
  /** Paths of output limits in every spelling the vendors read; compared decoded. */
  readonly outputLimits: readonly string[];
  /** A limit of 0 asks for no output: the prompt is only read into the vendor's cache. Elsewhere 0 means that there is no limit. */
  readonly zeroIsALimit?: true | undefined;
  /** The field for an output limit that the gateway sets; null if the protocol has none. */
  readonly ownLimit: LimitField | null;
  /** Paths of the number of responses, e.g. `n`, in every spelling. */
  readonly responseCounts: readonly string[];
  /** The path of the end user, in each spelling; the first is the protocol's own. Absent = there is none. */
  readonly endUser?: readonly [string, ...string[]] | undefined;
  /** The paths that decide what a request can cost. */
  readonly hold: HoldTable;
  /** True if the body (true) or the path (false, generateContent) names model and stream. */
  readonly modelInBody: boolean;
  /** A frame that keeps a stream alive while there is no response yet; the protocol's clients ignore it. */
  readonly keepAliveFrame: string;
  /** False: some of its clients fail on comments of event streams. */
  readonly clientsAcceptComments: boolean;
  /** Its vendor streams events as the items of a JSON array where nobody asks for server-sent ones. */
  readonly streamsArrays: boolean;
  /** Models with the quirk `think_tags` write their reasoning into the text of its responses. */
  readonly wordsHoldThoughts?: true | undefined;
  /** The plain response where an event of a stream holds it whole; `charged` is its usage in place of what it states. */
  readonly wholeIn?: (event: JsonObject, charged?: TokenUsage) => JsonObject | undefined;
  /** The paths of ids of objects that the vendor stores. */
  readonly references: ReferenceTable;
  /** The beginning of a conversation; null if the protocol has no conversations. */
  readonly opening: OpeningTable | null;
  /** The paths of the vendor's signed and encrypted state, which no other vendor can read. */
  readonly state: StateTable;
}

/** Paths at which the words stand with which every request of one conversation begins. */
export interface OpeningTable {
  /** Instructions beside the messages: strings. */
  readonly system: readonly string[];
  /** The messages' roles. A message without one is the user's. */
  readonly role: string;
  /** The messages' words: strings. */
  readonly texts: readonly string[];
}

/** One field of a body: `name`, at top level or within an object that has these names there. */
export interface LimitField {
  readonly name: string;
  readonly within?: readonly [string, ...string[]] | undefined;
  /** Some models know it by another name, which the quirk `max_tokens_field` says. */
  readonly byQuirk?: true | undefined;
}

/** Reads usage off answers; forwarding and translation share it. */
export interface UsageReader {
  /** Facts of a whole plain response, given its parsed JSON body. */
  readPlain(body: unknown): ResponseSummary;
  /** The same from the bytes: never throws, and parses no more of them than it must. */
  readBytes(body: Uint8Array): ResponseSummary;
  /** The vendor's usage object in disjoint buckets. */
  buckets(usage: JsonObject): MeteredUsage;
  /**
   * A fresh meter of a stream that is forwarded. `responses`: how many the request asked for (`n`), each with a finish of
   * its own.
   */
  openStream(responses?: number): StreamMeter;
  /** The same of a stream that is translated: its events are the decoder's. */
  openEvents(responses?: number): EventMeter;
}

export interface ResponseSummary extends CountedWork {
  /** Undefined where the response states none. A missing bucket was not reported or was impossible. */
  readonly usage: MeteredUsage | undefined;
  /** The response holds text, thought, a tool call or any other output. */
  readonly hasOutput: boolean;
  /** Finish word as the vendor wrote it, where there is one. */
  readonly finish: string | undefined;
  /** Finish is the caller's own stop sequence or limit (matters for "empty completion"). */
  readonly finishedByCaller: boolean;
  /** Finish says that the vendor declines to answer: a response, be it without a word. */
  readonly declined: boolean;
  /** Id of the response (`resp_...`), to pin stored responses. */
  readonly id: string | undefined;
  /** Further ids of what the vendor keeps, which later requests can name; undefined = none. */
  readonly issued: Issued | undefined;
  /** The vendor's statement of how it served the request; values that it does not state are left out. */
  readonly served?: ServiceTerms | undefined;
  /** The model that served it, as the vendor names it; undefined = it does not say. */
  readonly model?: string | undefined;
  /** The body is an error although its status said success, or the stream told of one. */
  readonly error: UpstreamError | undefined;
  /** The response itself says that it failed or is none yet. */
  readonly failed: boolean;
  /** The body is no JSON object: nothing could be read of it, and no client could. */
  readonly unreadable?: boolean | undefined;
  /** A plain response holds what it calls an image, in bytes that are none. */
  readonly notAnImage?: boolean | undefined;
  /** The responses that this one was joined from: what is missing of their usage is estimated for each of them. */
  readonly parts?: readonly ResponseSummary[] | undefined;
  /** All generated text (thoughts apart; tool arguments are visible) and media, for an estimate where usage is missing. */
  outputText(): OutputText;
}

/** Ids that a response gives away. */
export interface Issued {
  /** Objects that are stored if the response is: its items. */
  readonly withResponse: readonly string[];
  /** Objects that are always stored: containers, files, audio. */
  readonly separately: readonly string[];
}

/**
 * The beginning of each kind of text; `...More` counts the characters beyond it. `images`, `audioBytes` and `hiddenBytes` count what
 * the model itself has made. Each is absent where there is none.
 */
export interface OutputText {
  readonly visible: string;
  readonly reasoning: string;
  readonly visibleMore?: number | undefined;
  readonly reasoningMore?: number | undefined;
  readonly images?: number | undefined;
  readonly audioBytes?: number | undefined;
  /** Thoughts that came encrypted. */
  readonly hiddenBytes?: number | undefined;
  /** Images of the tool for them, which has a model of its own; undefined = that by default. */
  readonly toolImages?: { readonly count: number; readonly model: string | undefined } | undefined;
}

/**
 * Meters one SSE (or JSON array) stream. `write` is given upstream bytes exactly as they come, cut
 * anywhere; it does as little as it can per chunk and decodes only frames that can hold usage, finish,
 * id or an error. It keeps chunks by reference for an estimate, within a bound: do not change them.
 */
export interface StreamMeter {
  /**
   * Answers how many bytes of this chunk close whole frames. Forward those and hold the few others back
   * until the next chunk, and a stream that breaks can still be ended in form.
   */
  write(chunk: Uint8Array): number;
  /** No more bytes. Call once. */
  end(): void;
  /** A first whole event that is no error has been seen (comments and pings are not events). */
  readonly started: boolean;
  /** Some of the response has come, and not only its announcement: text, thought, a call, a tool of the vendor's at work. */
  readonly hasOutput: boolean;
  /** An error event was seen. Not `started`: nothing was produced, the next candidate may be tried. */
  readonly error: UpstreamError | undefined;
  /** This error's event is one that the protocol's own clients raise, so that it needs no second one. */
  readonly upstreamFormatError: boolean;
  /** The response itself has said that it failed. */
  readonly failed: boolean;
  /** So many bytes of the last write close whole frames before the one that tells of error or failure. */
  readonly bytesBeforeError: number;
  /**
   * So many bytes of the last write stand before the end of the stream that its first error is. What stands behind that was
   * not read, and is nobody's to read; of an error behind the response's end nor is the error.
   */
  readonly bytesToEnd: number;
  /** The stream's first error came when the response was `over`: the response is whole, and what began the error is nobody's to read. */
  readonly errorBehindEnd: boolean;
  /**
   * The protocol's terminal event was seen (rule 19: without it the end is a failure), or a finish with nothing of
   * the response behind it so far.
   */
  readonly finished: boolean;
  /** A finish has come before any output: it is believed at the end alone. */
  readonly finishedBeforeOutput: boolean;
  /** Nothing can follow. Of protocols whose finish is no event of its own: `[DONE]` was seen. */
  readonly nothingFollows: boolean;
  /** Bytes of an event that has begun and is kept until it can be read. */
  readonly keptBytes: number;
  /** The last write held output behind a finish, so that what came before it was not the end. */
  readonly continuedAfterFinish: boolean;
  /**
   * True if frames that were written since the last call may hold words of the vendor's own: a comment, an error, what is
   * no event of the protocol.
   */
  takeWords(): boolean;
  /**
   * The frames that a finished stream still owes its caller (a vendor's missing `[DONE]`), sent at its end; else "".
   */
  readonly missingEnd: string;
  /** The state that `encodeStreamError` needs to end this stream. */
  readonly truncated: TruncatedStream;
  summary(): ResponseSummary;
}

/**
 * Meters a stream that is translated. It reads each event where it is cut and parsed, which is once; the decoder takes the
 * events from it when their bytes may pass.
 */
export interface EventMeter extends StreamMeter {
  /** One, or of streams that are joined one for each. */
  readonly sources: readonly EventSource[];
}

/** The events of one stream for its decoder, in order, each given once. */
export interface EventSource {
  /**
   * Those that end within the next so many bytes of the stream; with 0 those that its end has closed, and without a number
   * all that are there.
   */
  take(bytes?: number): readonly StreamEvent[];
}

/** The position of a stream at which it must be ended with an error. */
export interface TruncatedStream {
  /** generateContent without `alt=sse` streams a JSON array. */
  readonly form: "sse" | "array";
  /** The caller has received part of a frame, which must be closed first. */
  readonly midFrame: boolean;
  /** Whole events so far. */
  readonly events: number;
  /** The response as its first event announced it (responses: `response.created`). */
  readonly opening: JsonObject | undefined;
}

/** A stream of which nothing is known. */
export const UNKNOWN_STREAM: TruncatedStream = {
  form: "sse",
  midFrame: false,
  events: 0,
  opening: undefined,
};
