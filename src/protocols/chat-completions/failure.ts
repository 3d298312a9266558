import type { UpstreamError } from "../blame.ts";
import { statesError } from "../error-body.ts";
import { asArray, asObject, asObjects, asText, type JsonObject } from "../json.ts";
import { decodeStatedError } from "../upstream-error.ts";

/**
 * The failure that an answer or a chunk tells of: at its top, by its event's name, in a vendor's own corner, on a
 * choice, or in place of a finish. Some vendors end even a stream that failed with `[DONE]`, so that nothing else
 * tells it from a whole one.
 */
export function statedFailure(body: JsonObject, event = ""): UpstreamError | undefined {
  if (event === "error" || statesError(body) || isBareError(body)) return decodeStatedError(body);
  const corner = asObject(body["x_groq"]);
  if (corner !== undefined && statesError(corner)) return decodeStatedError(corner);
  for (const choice of asObjects(body["choices"])) {
    if (statesError(choice)) return decodeStatedError(choice);
    if (isBrokenOff(asText(choice["finish_reason"]))) return decodeStatedError(BROKEN);
  }
  return undefined;
}

/**
 * Whether an error stands bare in the place of an answer: with a code, as DashScope's, by its type, or as the
 * `detail` of FastAPI, on which many servers are built. What holds choices is an answer.
 */
function isBareError({ choices, type, code, message, detail }: JsonObject): boolean {
  if (asArray(choices).length > 0) return false;
  if (type === "error" || asText(detail) !== "" || asArray(detail).length > 0) return true;
  const hasCode = typeof code === "number" || asText(code) !== "";
  return hasCode && !SUCCESS.test(String(code)) && asText(message) !== "";
}

/** Some tell every outcome by a code. */
const SUCCESS = /^(?:0+|2\d\d|ok|success)$/i;

/** Whether the word in place of a finish says that the vendor broke the answer off itself. */
export function isBrokenOff(finish: string): boolean {
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

const BROKEN = { error: { message: "The upstream broke its answer off." } };
