import type { FieldNames } from "./loss.ts";
import type { ChatProtocol } from "./protocol-name.ts";
import type { Opaque } from "./state/opaque.ts";

/** A JSON object of unknown content. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A request for generated text in no protocol's words. It is made of blocks, like the richest of the
 * four protocols, because a chat-shaped form loses signatures, block order and cache marks. It is
 * internal: it may change with every commit and is never stored nor sent.
 */
export interface ChatRequest {
  /** The caller's protocol. */
  readonly protocol: ChatProtocol;
  /** The model as the caller named it; "" where the path names it. */
  readonly model: string;
  readonly stream: boolean;
  /** A caller of chat streams asked for usage; the other protocols always state it. */
  readonly includeUsage: boolean;
  /** Instructions that precede the conversation, in order. Later ones are messages of role `system`. */
  readonly system: readonly TextPart[];
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice | undefined;
  /** False: at most one call in a response. */
  readonly parallelToolCalls?: boolean | undefined;
  /** The caller's form has room for one call a response, without an id: chats before there were tools. */
  readonly oneCall?: true | undefined;
  readonly sampling: Sampling;
  readonly limits: Limits;
  readonly reasoning?: ReasoningOptions | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
  /** The length of the response in the caller's word (`low`, `medium`, `high`). */
  readonly verbosity?: string | undefined;
  /** The caller's name for its end user. */
  readonly user?: string | undefined;
  /** Requests with one key begin alike, so that the vendor finds what it cached of them. */
  readonly cacheKey?: string | undefined;
  /** Everything up to the request's last part is to be cached, wherever that is in the next one. */
  readonly cacheAll?: CacheMark | undefined;
  /** The lifetime of cached content in the caller's word (`in_memory`, `24h`). */
  readonly cacheRetention?: string | undefined;
  /** The number of responses; absent = 1. */
  readonly n?: number | undefined;
  /** Fields that this form has no place for. */
  readonly foreign: readonly ForeignField[];
  /** The fields of the request that the caller's protocol repeats in its responses, as sent. */
  readonly echo: JsonObject;
  /** The caller's names of the fields of this form, for losses and refusals. */
  readonly fieldNames: FieldNames;
}

/** Turns need not alternate here: encoders that must merge them use `lower/alternating-turns.ts`. Tool results are the user's. */
export interface Message {
  readonly role: "system" | "user" | "assistant";
  /** The participant's name. */
  readonly name?: string | undefined;
  /** The caller itself put this message of the user's right behind another one (`lower/user-turns.ts`). */
  readonly followsUser?: true | undefined;
  readonly parts: readonly Part[];
}

export type Part = TextPart | MediaPart | ReasoningPart | ToolCallPart | ToolResultPart | ForeignPart;

export interface TextPart {
  readonly kind: "text";
  readonly text: string;
  /** The text declines to answer (two protocols mark that). */
  readonly refusal?: true | undefined;
  readonly citations?: readonly Citation[] | undefined;
  readonly opaque?: Opaque | undefined;
  readonly cache?: CacheMark | undefined;
  /** Its first letters mean something to the vendor of the caller's protocol alone; elsewhere `path` is told as lost. */
  readonly vendorsOwn?: { readonly path: string; readonly letters: number } | undefined;
}

export interface MediaPart {
  readonly kind: "media";
  readonly media: "image" | "audio" | "video" | "document";
  readonly source: MediaSource;
  /** For example `image/png`; absent where the caller did not say and the bytes do not tell. */
  readonly mimeType?: string | undefined;
  /** A file name or a title. */
  readonly name?: string | undefined;
  /** The precision of reading the image, in the caller's word (`low`, `high`, `auto`). */
  readonly detail?: string | undefined;
  readonly opaque?: Opaque | undefined;
  readonly cache?: CacheMark | undefined;
  /** Further fields of the caller's part (citations wished, context), by its own names. */
  readonly extra?: JsonObject | undefined;
}

/** `base64` is bare, without a data URL's head. A `file` is known to one vendor only. */
export type MediaSource =
  | { readonly from: "url"; readonly url: string }
  | { readonly from: "base64"; readonly data: string }
  | { readonly from: "text"; readonly text: string }
  | { readonly from: "file"; readonly protocol: ChatProtocol; readonly fileId: string };

/** A thought. Without `opaque` no vendor can check it; thoughts are never turned into text. */
export interface ReasoningPart {
  readonly kind: "reasoning";
  /** "" where the vendor shows none of it. */
  readonly text: string;
  /** The vendor hid the text: `opaque` is all there is. */
  readonly redacted?: true | undefined;
  readonly opaque?: Opaque | undefined;
  /** In responses: the model wants the reasoning back, although nobody signed it. */
  readonly requested?: true | undefined;
}

export interface ToolCallPart {
  readonly kind: "tool-call";
  readonly id: string;
  readonly name: string;
  /** The group that the tool was declared in. */
  readonly namespace?: string | undefined;
  /** Raw JSON text as the model wrote it, maybe cut short or empty; of a custom tool the bare input. */
  readonly arguments: string;
  /** A call of a custom tool. */
  readonly custom?: true | undefined;
  /**
   * In responses: the vendor's statement of the code that made the call. Such a call may be over when the turn ends.
   */
  readonly byCode?: JsonObject | undefined;
  /** In responses: the defect of arguments that are no JSON object; absent if they are one. */
  readonly defect?: CallDefect | undefined;
  readonly opaque?: Opaque | undefined;
  readonly cache?: CacheMark | undefined;
}

/** `cut`: the text ends before it is closed; `malformed`: it is whole, and no JSON object, or one nested too deeply. */
export type CallDefect = "cut" | "malformed";

export interface ToolResultPart {
  readonly kind: "tool-result";
  readonly callId: string;
  /** The tool's name where the caller stated it; `lower/alternating-turns.ts` looks it up otherwise. */
  readonly name?: string | undefined;
  readonly parts: readonly (TextPart | MediaPart | ForeignPart)[];
  readonly isError?: true | undefined;
  /** Answers a custom tool's call. */
  readonly custom?: true | undefined;
  readonly cache?: CacheMark | undefined;
}

/** A part that only one protocol knows, as it came. */
export interface ForeignPart {
  readonly kind: "foreign";
  readonly protocol: ChatProtocol;
  readonly value: JsonObject;
  readonly ifUnsupported: UnsupportedPolicy;
  /** The path in losses and refusals, e.g. `messages[2].content[0]`. */
  readonly path: string;
  /** Says about the same to other protocols, whatever `ifUnsupported` says. */
  readonly words?: string | undefined;
  readonly refusal?: RequestRefusal | undefined;
}

/**
 * The treatment of a part that the target protocol has no slot for: `drop` names a loss; `refuse` rejects the request,
 * because its meaning would change.
 */
export type UnsupportedPolicy = "drop" | "refuse";

export interface ForeignField {
  /** The path in the caller's words: `logprobs`, `messages[3].weight`. */
  readonly path: string;
  readonly value: unknown;
  readonly ifUnsupported: UnsupportedPolicy;
  readonly refusal?: RequestRefusal | undefined;
  /** The neutral form says the same: nothing is lost elsewhere, and the protocol's own vendors get it as it came. */
  readonly isRead?: true | undefined;
}

/** A refusal in words of its own, for clients that need other words than the usual ones. */
export interface RequestRefusal {
  readonly why: string;
  /** For the client's program. */
  readonly details?: JsonObject | undefined;
}

/** The prefix up to and including this part or tool is to be cached. */
export interface CacheMark {
  readonly ttl: "5m" | "1h";
}

/** The source of a passage. Offsets are UTF-16 units of the cited block's text. */
export interface Citation {
  readonly url?: string | undefined;
  readonly title?: string | undefined;
  /** The passage of the source. */
  readonly quote?: string | undefined;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  /** The vendor's own object, which the same protocol restores. */
  readonly source: { readonly protocol: ChatProtocol; readonly value: JsonObject };
}

export type Tool = FunctionTool | CustomTool | HostedTool;

export interface FunctionTool {
  readonly kind: "function";
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly description?: string | undefined;
  /** A JSON Schema; absent = no parameters. */
  readonly parameters?: JsonObject | undefined;
  /** Always stated: the protocols' defaults differ (rule 27), so decoders resolve theirs. */
  readonly strict: boolean;
  readonly cache?: CacheMark | undefined;
}

/** A tool whose input is one text, maybe of a grammar. */
export interface CustomTool {
  readonly kind: "custom";
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly description?: string | undefined;
  /** `{type: "text"}`, or `{type: "grammar", syntax, definition}`. */
  readonly format?: JsonObject | undefined;
}

/** A tool that the vendor itself runs. */
export interface HostedTool {
  readonly kind: "hosted";
  readonly protocol: ChatProtocol;
  /** The vendor's word for it, e.g. `web_search`. */
  readonly name: string;
  readonly value: JsonObject;
  readonly ifUnsupported: UnsupportedPolicy;
  readonly path: string;
}

export type ToolChoice =
  | { readonly kind: "auto" | "none" | "required" }
  | { readonly kind: "tool"; readonly name: string; readonly namespace?: string | undefined }
  /** Only these may be called; `required`: one must. */
  | { readonly kind: "among"; readonly names: readonly string[]; readonly required: boolean }
  | { readonly kind: "hosted"; readonly value: JsonObject };

export interface Sampling {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly seed?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
}

export interface Limits {
  /** Thoughts included. */
  readonly maxOutputTokens?: number | undefined;
  readonly stop?: readonly string[] | undefined;
}

/** The reasoning effort in the caller's form; `effort.ts` converts one form to another. */
export interface ReasoningOptions {
  /** False: do not think. */
  readonly enabled: boolean;
  readonly effort?: Effort | undefined;
  readonly budgetTokens?: number | undefined;
  /** The model decides how much. */
  readonly adaptive?: true | undefined;
  /** Only on what tools answered, not before the first call. */
  readonly betweenTools?: true | undefined;
  /** True if the caller wants to see thoughts, and how: `auto`, `concise`, `detailed`, or `none`. */
  readonly summary?: string | undefined;
}

export const EFFORTS = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof EFFORTS)[number];

export type ResponseFormat =
  | { readonly kind: "text" }
  | { readonly kind: "json" }
  | {
      readonly kind: "schema";
      readonly name?: string | undefined;
      readonly description?: string | undefined;
      readonly schema: JsonObject;
      readonly strict?: boolean | undefined;
    };
