import type { ProtocolName } from "../conversation/protocol-name.ts";
import { chatCompletions } from "./chat-completions/codec.ts";
import { embeddings } from "./embeddings/codec.ts";
import type { EndpointTable } from "./endpoint-table.ts";
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

/**
 * The protocol in which an upstream is asked for what came in on `wanted`: the same where it speaks it,
 * else, among those that translation joins, the one that loses least. Undefined: it cannot answer.
 */
export function chooseProtocol(
  spoken: readonly ProtocolName[],
  wanted: ProtocolName,
): ProtocolName | undefined {
  if (spoken.includes(wanted)) return wanted;
  if (PROTOCOLS[wanted].translation === undefined) return undefined;
  return RICHEST_FIRST.find((name) => spoken.includes(name));
}

const RICHEST_FIRST = Object.values(PROTOCOLS)
  .flatMap(({ translation }) => translation?.capabilities ?? [])
  .sort((one, other) => one.rank - other.rank)
  .map(({ protocol }) => protocol);

/** The content that models of these endpoints make; a model of vectors or scores is listed as that. */
export function madeAt(endpoints: readonly string[]): EndpointTable["makes"] {
  const made = Object.values(PROTOCOLS).find(
    ({ name, endpoint }) => endpoint.makes !== "text" && endpoints.includes(name),
  );
  return made?.endpoint.makes ?? "text";
}
