import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import type { Translation } from "../../src/protocols/translation.ts";

/** The codec of a protocol that generates text, each of which has one. */
export function codecOf(protocol: ChatProtocol): Translation {
  const codec = PROTOCOLS[protocol].translation;
  if (codec === undefined) throw new Error(`${protocol} has no codec`);
  return codec;
}
