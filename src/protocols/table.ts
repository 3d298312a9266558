import type { ProtocolName } from "../conversation/protocol-name.ts";
import { chatCompletions } from "./chat-completions/codec.ts";
import { embeddings } from "./embeddings/codec.ts";
import { generateContent } from "./generate-content/codec.ts";
import { messages } from "./messages/codec.ts";
import type { Protocol } from "./protocol.ts";
import { rerank } from "./rerank/codec.ts";
import { responses } from "./responses/codec.ts";

/** Name to codec: the only switch on a protocol's name. */
export const PROTOCOLS: Readonly<Record<ProtocolName, Protocol>> = {
  "chat-completions": chatCompletions,
  responses,
  messages,
  "generate-content": generateContent,
  embeddings,
  rerank,
};
