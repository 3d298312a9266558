import { statesError } from "../errors/error-body.ts";
import { decodeStatedError } from "../errors/upstream-error.ts";
import type { UpstreamError } from "../errors/upstream-error-policy.ts";
import { asObject, asObjects, asText, type JsonObject } from "../json.ts";

/**
 * The failure that a response or a chunk tells of: at its top, by its event's name, in a vendor's own corner, on a
 * choice, or in place of a finish. Some vendors end even a stream that failed with `[DONE]`, so that nothing else
 * tells it from a whole one.
 */
export function reportedFailure(body: JsonObject, event = ""): UpstreamError | undefined {
  if (event === "error" || statesError(body)) return decodeStatedError(body);
  const corner = asObject(body["x_groq"]);
  if (corner !== undefined && statesError(corner)) return decodeStatedError(corner);
  for (const choice of asObjects(body["choices"])) {
    if (statesError(choice)) return decodeStatedError(choice);
    if (isTruncated(asText(choice["finish_reason"]))) return decodeStatedError(BROKEN);
  }
  return undefined;
}

/** True if the word in place of a finish says that the vendor broke the response off itself. */
export function isTruncated(finish: string): boolean {
  return BROKEN_OFF.has(finish);
}

const BROKEN_OFF = new Set([
  // OpenRouter and Mistral
  "error",
  // Zhipu
  "network_error",
  // DeepSeek
  "insufficient_system_resource",
  // vLLM and SGLang
  "abort",
]);

const BROKEN = { error: { message: "The upstream ended its response early." } };
