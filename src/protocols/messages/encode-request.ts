import { definedFields } from "../../base/defined-fields.ts";
import type { LossList } from "../../conversation/loss.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import { describedSchema } from "../../conversation/lower/schema-subset.ts";
import type { ChatRequest, JsonObject, ResponseFormat } from "../../conversation/request.ts";
import { withOwnFields } from "../fields.ts";
import { encodeMark, encodeMessages, encodeSystem } from "./encode-parts.ts";
import { encodeThinking, type Thinking } from "./encode-thinking.ts";
import { encodeToolChoice, encodeTools } from "./encode-tools.ts";
import { responseSchema } from "./response-schema.ts";

/** Writes a messages body for an upstream. Throws RefusedField. */
export function encodeRequest(request: ChatRequest, target: EncodeTarget, losses: LossList): JsonObject {
  const maxTokens = request.limits.maxOutputTokens ?? target.maxOutputTokens ?? DEFAULT_MAX_TOKENS;
  const system = encodeSystem(request.system);
  const messages = encodeMessages(request, losses);
  const toolChoice = encodeToolChoice(request);
  const thinking = encodeThinking({ request, target, maxTokens, messages, losses });
  const format = encodeFormat(request, losses);
  const config = definedFields({ effort: thinking.effort, format });
  const body = {
    model: target.model,
    max_tokens: maxTokens,
    system,
    messages,
    tools: request.tools.length === 0 ? undefined : encodeTools(request, target, losses),
    tool_choice: toolChoice,
    ...encodeSampling(request, thinking, losses),
    ...encodeStops(request, losses),
    thinking: thinking.field,
    output_config: Object.keys(config).length === 0 ? undefined : config,
    metadata: request.user === undefined ? undefined : { user_id: request.user },
    ...encodeMark(request.cacheAll),
    // Some servers stream unless they are told not to.
    stream: request.stream,
  };
  return withOwnFields(definedFields(body), request.foreign, losses, 1);
}

/** Temperature ends at 1 here (rule 39), and a thinking model takes only what leaves it be. */
function encodeSampling(
  { sampling, protocol }: ChatRequest,
  thinking: Thinking,
  losses: LossList,
): JsonObject {
  const { topK } = sampling;
  let { temperature, topP } = sampling;
  if (temperature !== undefined && (temperature > 1 || temperature < 0)) {
    temperature = Math.min(Math.max(temperature, 0), 1);
    losses.field("temperature", "weakened");
  }
  if (thinking.on && temperature !== undefined && temperature !== 1) {
    temperature = undefined;
    losses.field("temperature", "model-refuses");
  }
  // Newer models take one of the two; other protocols' clients send both as a habit.
  const both = temperature !== undefined && protocol !== "messages";
  if (topP !== undefined && (both || (thinking.on && topP < LEAST_TOP_P_THINKING))) {
    topP = undefined;
    losses.field("topP", "model-refuses");
  }
  if (thinking.on && topK !== undefined) losses.field("topK", "model-refuses");
  return { temperature, top_p: topP, top_k: thinking.on ? undefined : topK };
}

/** Blank stop sequences are refused here. */
function encodeStops({ limits }: ChatRequest, losses: LossList): JsonObject {
  if (limits.stop === undefined || limits.stop.length === 0) return {};
  const stops = limits.stop.filter((stop) => stop.trim() !== "");
  if (stops.length < limits.stop.length) losses.field("stop", "model-refuses");
  return stops.length === 0 ? {} : { stop_sequences: stops };
}

/** Only a schema has a slot: JSON of any form is asked for in words (`json-instruction.ts`). */
function encodeFormat({ responseFormat, protocol }: ChatRequest, losses: LossList): JsonObject | undefined {
  const requestedFormat: ResponseFormat = responseFormat ?? { kind: "text" };
  if (requestedFormat.kind === "text") return undefined;
  if (requestedFormat.kind === "json") {
    losses.field("responseFormat", "weakened");
    return undefined;
  }
  if (protocol === "messages") return { type: "json_schema", schema: requestedFormat.schema };
  const { schema, lossy } = responseSchema(describedSchema(requestedFormat, losses));
  if (lossy) losses.field("responseFormat", "weakened");
  return { type: "json_schema", schema };
}

/** Used if neither the caller nor the catalog states a limit: the lowest maximum of all models still served. */
const DEFAULT_MAX_TOKENS = 8192;

/** With thinking enabled, `top_p` may be 0.95 to 1. */
const LEAST_TOP_P_THINKING = 0.95;
