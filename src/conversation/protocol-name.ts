/** The wire protocols that generate text and that translation joins. */
export const CHAT_PROTOCOLS = ["chat-completions", "responses", "messages", "generate-content"] as const;

export type ChatProtocol = (typeof CHAT_PROTOCOLS)[number];

/** All wire protocols of text, in the order in which the folders of `protocols/` are read. */
export const PROTOCOL_NAMES = [...CHAT_PROTOCOLS, "embeddings", "rerank"] as const;

export type ProtocolName = (typeof PROTOCOL_NAMES)[number];

/** The one in which examples are written. */
export const EXAMPLE_PROTOCOL: ChatProtocol = CHAT_PROTOCOLS[0];

/** True if a protocol's responses are generated text, which has an output side to charge. */
export function isGenerating(name: ProtocolName): name is ChatProtocol {
  return CHAT_PROTOCOLS.some((generating) => generating === name);
}
