import { definedFields } from "../../base/defined-fields.ts";
import type { LossList } from "../../conversation/loss.ts";
import { minEffortOf, nearestEffort } from "../../conversation/lower/effort.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import { subsetSchema } from "../../conversation/lower/schema-subset.ts";
import { fitWord } from "../../conversation/lower/words.ts";
import type { ChatRequest, ResponseFormat } from "../../conversation/request.ts";
import { withOwnFields } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import { ENCRYPTED_REASONING } from "./decode-request.ts";
import { encodeInput, opensInput } from "./encode-input.ts";
import { encodeToolChoice, encodeTools } from "./encode-tools.ts";

/** Writes a responses body for an upstream. Throws RefusedField. */
export function encodeRequest(request: ChatRequest, target: EncodeTarget, losses: LossList): JsonObject {
  const { sampling, limits } = request;
  const asMessage = opensInput(request, target);
  const instructions = request.system.map(({ text }) => text).join("\n\n");
  const reasoning = encodeReasoning(request, target, losses);
  const text = definedFields({
    format: encodeFormat(request, target, losses),
    verbosity: request.verbosity,
  });
  const tools = encodeTools(request.tools, target, losses);
  const body = definedFields({
    model: target.model,
    instructions: instructions === "" || asMessage ? undefined : instructions,
    input: encodeInput(request, target, losses),
    tools: tools.length === 0 ? undefined : tools,
    tool_choice:
      request.toolChoice === undefined ? undefined : encodeToolChoice(request.toolChoice, request.tools),
    parallel_tool_calls: tools.length === 0 ? undefined : request.parallelToolCalls,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    max_output_tokens: limits.maxOutputTokens,
    reasoning,
    text: Object.keys(text).length === 0 ? undefined : text,
    user: request.user,
    prompt_cache_key: request.cacheKey,
    prompt_cache_retention: request.cacheRetention,
    stream: request.stream,
    // No caller could read a response that the vendor stores: responses carry their state with them.
    store: false,
    include: asksForState(request, target) ? [ENCRYPTED_REASONING] : undefined,
  });
  return withOwnFields(body, request.foreign, losses, 2);
}

function encodeReasoning(
  request: ChatRequest,
  target: EncodeTarget,
  losses: LossList,
): JsonObject | undefined {
  const reasoning = request.reasoning;
  if (reasoning === undefined) return undefined;
  const { efforts } = target.quirks;
  const summary =
    reasoning.summary === undefined || reasoning.summary === "none" ? {} : { summary: reasoning.summary };
  if (!reasoning.enabled) {
    if (request.protocol === "responses" || efforts?.includes("none") === true) return { effort: "none" };
    losses.field("reasoning", "weakened");
    // Models that always think take their least; of others nobody knows whether they take any effort at all.
    return efforts === undefined ? undefined : { effort: nearestEffort("minimal", efforts) };
  }
  const wanted = minEffortOf(reasoning);
  const effort = wanted === undefined ? undefined : nearestEffort(wanted, efforts);
  if (effort !== reasoning.effort) losses.field("reasoning", "weakened");
  if (effort === undefined && reasoning.summary === undefined) return undefined;
  return { effort, ...summary };
}

function encodeFormat(request: ChatRequest, target: EncodeTarget, losses: LossList): JsonObject | undefined {
  const format = request.responseFormat;
  switch (format?.kind) {
    case undefined:
      return undefined;
    case "text":
      return { type: "text" };
    case "json":
      return { type: "json_object" };
    case "schema":
      return encodeSchema(format, request, target, losses);
  }
}

/** The protocol is strict where it is not told, which few schemas bear (rule 27). */
function encodeSchema(
  format: Extract<ResponseFormat, { kind: "schema" }>,
  request: ChatRequest,
  target: EncodeTarget,
  losses: LossList,
): JsonObject {
  const strict = format.strict ?? (request.protocol === "responses" ? undefined : false);
  let { schema } = format;
  if (target.quirks.schemas === "subset") {
    const subset = subsetSchema(schema);
    if (subset.lossy) losses.field("responseFormat", "weakened");
    schema = subset.schema;
  }
  return {
    type: "json_schema",
    name: fitWord(format.name ?? "answer", FORMAT_NAMES),
    description: format.description,
    schema,
    strict,
  };
}

/** Models that do not think refuse to be asked for encrypted thoughts, so only those are asked that do. */
function asksForState(request: ChatRequest, { quirks }: EncodeTarget): boolean {
  if (quirks.thinking === "none") return false;
  if (quirks.thinking !== undefined || request.reasoning?.enabled === true) return true;
  return request.messages.some(({ parts }) => parts.some((part) => part.kind === "reasoning"));
}

const FORMAT_NAMES = { maxLength: 64, also: "" };
