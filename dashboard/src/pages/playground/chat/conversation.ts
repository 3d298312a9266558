import type { Problem } from "../problem.ts";

export const PROTOCOL_NAMES = ["chat-completions", "responses", "messages", "generate-content"] as const;
export type ProtocolName = (typeof PROTOCOL_NAMES)[number];

/** A conversation as the page keeps it, whatever protocol each of its responses came by. */
export type Turn = UserTurn | AssistantTurn;

export interface UserTurn {
  readonly role: "user";
  readonly text: string;
  /** Data URLs. */
  readonly images: readonly string[];
  /** Of the calls in the response before. */
  readonly results: readonly CallResult[];
}

export interface AssistantTurn {
  readonly role: "assistant";
  /** By which it came; `none` = only its text is sent back, whatever the protocol. */
  readonly protocol: ProtocolName | "none";
  /** Why it is no whole response: it was stopped here, or broke off by itself; undefined = it is one. */
  readonly cut?: "stopped" | "broken";
  readonly answer: Answer;
}

export interface CallResult {
  readonly callId: string;
  readonly name: string;
  readonly text: string;
}

/** What has come of a response so far. */
export interface Answer {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly Call[];
  /** Why it ended, in the protocol's word; "" while it has not. */
  readonly finish: string;
  /** What went wrong on the way; undefined = nothing. */
  readonly problem: Problem | undefined;
  /** The response as its protocol wants it sent back in the next request: signatures of thoughts included. */
  readonly echo: readonly unknown[];
}

export interface Call {
  readonly id: string;
  readonly name: string;
  /** JSON, whole only when the response is. */
  readonly input: string;
}

/** A tool as it is declared to the model. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: unknown;
}

export type Effort = "" | "low" | "medium" | "high";

/** What is asked next. */
export interface ChatRequest {
  readonly model: string;
  readonly system: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  /** undefined = the model's own. */
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly maxTokens: number | undefined;
  /** "" = no thinking is asked for. */
  readonly effort: Effort;
}

/** One protocol: how a request is written and its stream read. */
export interface Protocol {
  readonly name: ProtocolName;
  readonly path: (model: string) => string;
  readonly body: (request: ChatRequest) => Readonly<Record<string, unknown>>;
  readonly read: () => StreamReader;
}

/** Takes a stream's events one by one, each parsed. */
export interface StreamReader {
  take(event: unknown): void;
  answer(): Answer;
}
