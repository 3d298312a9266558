import { CHAT_PROTOCOLS, type ProtocolName } from "./protocol-name.ts";

/**
 * The protocol in which an upstream is asked for what came in on `wanted`: the same where it speaks it,
 * else, among the four that translation joins, the one that loses least. Undefined: it cannot answer.
 */
export function spokenProtocol(
  spoken: readonly ProtocolName[],
  wanted: ProtocolName,
): ProtocolName | undefined {
  if (spoken.includes(wanted)) return wanted;
  if (!CHAT_PROTOCOLS.some((name) => name === wanted)) return undefined;
  return RICHEST_FIRST.find((name) => spoken.includes(name));
}

/** By what their slots can hold: blocks with state first, plain chat last. */
const RICHEST_FIRST: readonly ProtocolName[] = [
  "messages",
  "responses",
  "generate-content",
  "chat-completions",
];
