import { CHAT_PROTOCOLS, type ChatProtocol } from "../../../src/conversation/protocol-name.ts";
import type { JsonObject } from "../../../src/conversation/request.ts";
import type { ChatResponse } from "../../../src/conversation/response.ts";
import { RESPONSE_SECTIONS } from "./answer-rows.ts";
import { REQUEST_SECTIONS } from "./request-rows.ts";
import { LEAST } from "./spoken.ts";

/** Every request of the matrix that callers of this protocol can write, whoever is asked. */
export function requestsOf(protocol: ChatProtocol): readonly JsonObject[] {
  const said = REQUEST_SECTIONS.flatMap(({ rows }) => rows).flatMap(({ says }) =>
    typeof says === "function" ? CHAT_PROTOCOLS.map((upstream) => says(upstream)) : [says],
  );
  return said.flatMap(({ [protocol]: row }) => (row === undefined ? [] : [{ ...LEAST[protocol], ...row }]));
}

/** Every response of the matrix that an upstream of this protocol can give. */
export function responsesFrom(protocol: ChatProtocol): readonly ChatResponse[] {
  return RESPONSE_SECTIONS.flatMap(({ rows }) => rows)
    .filter(({ from }) => from.includes(protocol))
    .map(({ response }) => response(protocol));
}
