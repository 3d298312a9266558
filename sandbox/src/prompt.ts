import type { Json, JsonObject } from "./json.ts";

/** The four text protocols; also the names used in the journal. */
export type TextProtocolName = "chat-completions" | "responses" | "messages" | "generate-content";
export type ProtocolName = TextProtocolName | "embeddings" | "rerank" | MediaProtocolName;
/** Requests for images, videos and assets, and for the files themselves. */
export type MediaProtocolName =
  | "image-submit"
  | "image-poll"
  | "video-submit"
  | "video-poll"
  | "asset-create"
  | "asset-read"
  | "file";

export type CacheTtl = "5m" | "1h";

/**
 * One piece of a conversation in the protocol-neutral form. Counting and seeding look only at
 * these pieces, never at how a protocol groups them into turns, so that one logical prompt costs
 * the same in all four protocols.
 */
export type Part =
  | { kind: "text"; text: string; cache?: CacheTtl }
  | { kind: "media"; digest: string; cache?: CacheTtl }
  | { kind: "call"; id: string; name: string; args: Json; cache?: CacheTtl }
  | { kind: "result"; id: string; name: string; text: string; cache?: CacheTtl }
  | { kind: "thinking"; text: string };

export interface Turn {
  role: "system" | "user" | "assistant";
  parts: Part[];
}

export interface Tool {
  name: string;
  description: string;
  schema: JsonObject;
  /** A `custom` tool of the responses protocol takes free text instead of JSON arguments. */
  freeform?: boolean;
  cache?: CacheTtl;
}

/** A choice of one tool is `required` with `only` that tool. */
export interface ToolChoice {
  kind: "auto" | "none" | "required";
  only?: string[];
}

export type ResponseFormat = { kind: "text" } | { kind: "json" } | { kind: "schema"; schema: JsonObject };

/** The order of a request, whichever protocol it came in. */
export interface Prompt {
  protocol: TextProtocolName;
  model: string;
  stream: boolean;
  tools: Tool[];
  turns: Turn[];
  toolChoice: ToolChoice;
  parallelTools: boolean;
  /** Limit on all output tokens, thinking included; undefined = none. */
  maxTokens: number | undefined;
  stops: string[];
  /** The number of alternative responses (`n`, `candidateCount`). */
  count: number;
  thinking: { on: boolean; shown: boolean };
  format: ResponseFormat;
  /** "marks" = cache_control breakpoints, "automatic" = any long prefix. */
  caching: "marks" | "automatic";
  /** The parsed body, for what only its own protocol echoes back. */
  body: JsonObject;
}

/** The text of the last user turn that has any: where a directive is looked for and what is echoed. */
export function lastUserText(turns: readonly Turn[]): string {
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    const turn = turns[index];
    if (turn?.role !== "user") continue;
    const text = turn.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
    if (text !== "") return text;
  }
  return "";
}

/** Tool results of the whole prompt in order. */
export function toolResults(turns: readonly Turn[]): Extract<Part, { kind: "result" }>[] {
  return turns.flatMap((turn) => turn.parts.filter((part) => part.kind === "result"));
}
