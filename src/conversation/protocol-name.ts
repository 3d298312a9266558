/** The wire protocols of text, in the order in which the folders of `protocols/` are read. */
export const PROTOCOL_NAMES = [
  "chat-completions",
  "responses",
  "messages",
  "generate-content",
  "embeddings",
  "rerank",
] as const;

export type ProtocolName = (typeof PROTOCOL_NAMES)[number];

/** The four that generate text and that translation joins. */
export const CHAT_PROTOCOLS = ["chat-completions", "responses", "messages", "generate-content"] as const;

export type ChatProtocol = (typeof CHAT_PROTOCOLS)[number];

/** Whether a protocol's answers are generated text, which has an output side to charge. */
export function isGenerating(name: ProtocolName): name is ChatProtocol {
  return name !== "embeddings" && name !== "rerank";
}
