import type { ChatProtocol } from "../../../src/conversation/protocol-name.ts";
import type { ChatRequest, Part } from "../../../src/conversation/request.ts";
import type { Spoken } from "./spoken.ts";

/** One thing that callers can ask or say, in the words of each protocol that has it. */
export interface RequestRow {
  readonly title: string;
  /** Laid over the least request. Depends on who is asked where it is about state. */
  readonly says: Spoken | ((upstream: ChatProtocol) => Spoken);
  /** The request's statement of it, the same in every form; compared before and after. */
  read(request: ChatRequest): unknown;
}

export interface Section<Row> {
  readonly title: string;
  readonly rows: readonly Row[];
}

export const CHAT = "chat-completions";
export const NATIVE = "generate-content";
export const LINK = "https://example.com/";
export const PNG = "iVBORw0KGgo=";

export function partsOf({ messages }: ChatRequest): readonly Part[] {
  return messages.flatMap(({ parts }) => parts);
}

/** Media wherever they stand: in the user's words, or in a tool's result. */
export function mediaOf(request: ChatRequest) {
  return partsOf(request)
    .flatMap((each): readonly Part[] => (each.kind === "tool-result" ? each.parts : [each]))
    .filter((each) => each.kind === "media");
}

export function shown(request: ChatRequest): unknown {
  return mediaOf(request).map(({ media: kind, source, mimeType }) => ({ kind, source, mimeType }));
}
