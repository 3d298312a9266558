import { writeExact } from "../../base/json/exact-json.ts";
import type { ChatRequest, ResponseFormat, TextPart } from "../request.ts";
import type { ProtocolCapabilities } from "./capabilities.ts";

/**
 * A prepared request that also says in words that its response is to be JSON, where the field for that does not
 * say it all: there is none, its vendor wants the word beside it, or the model takes no schema there.
 */
export function withJsonInstruction(
  prepared: ChatRequest,
  requestedFormat: ResponseFormat | undefined,
  capabilities: ProtocolCapabilities,
): ChatRequest {
  if (prepared.responseFormat?.kind !== "json") return prepared;
  const schema =
    requestedFormat?.kind === "schema" ? ` of this JSON Schema: ${writeExact(requestedFormat.schema)}` : "";
  if (schema === "" && !lacksJsonWord(prepared, capabilities)) return prepared;
  const part: TextPart = { kind: "text", text: `Answer with nothing but JSON${schema || "."}` };
  return capabilities.jsonWord === "in-messages"
    ? { ...prepared, messages: [{ role: "system", parts: [part] }, ...prepared.messages] }
    : { ...prepared, system: [...prepared.system, part] };
}

/** Within one protocol the caller knows what its vendor wants, as when forwarding. */
function lacksJsonWord(
  { protocol, system, messages }: ChatRequest,
  capabilities: ProtocolCapabilities,
): boolean {
  if (capabilities.jsonWord === undefined || protocol === capabilities.protocol) return false;
  if (capabilities.jsonWord === "always") return true;
  const said = messages.flatMap(({ parts }) => parts);
  const looked = capabilities.jsonWord === "anywhere" ? [...system, ...said] : said;
  return !looked.some((part) => part.kind === "text" && /json/i.test(part.text));
}
