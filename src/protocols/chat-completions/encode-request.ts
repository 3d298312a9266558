import { definedFields } from "../../base/defined-fields.ts";
import type { LossList } from "../../conversation/loss.ts";
import { minEffortOf, nearestEffort } from "../../conversation/lower/effort.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import type { Quirks } from "../../conversation/lower/quirks.ts";
import type { ChatRequest, ReasoningOptions, ResponseFormat, Sampling } from "../../conversation/request.ts";
import { withOwnFields } from "../fields.ts";
import { asObject, type JsonObject } from "../json.ts";
import { encodeMessages } from "./encode-parts.ts";
import { encodeToolChoice, encodeTools } from "./encode-tools.ts";

/** Writes a chat completions body for an upstream, from a prepared request. Throws RefusedField. */
export function encodeRequest(request: ChatRequest, target: EncodeTarget, losses: LossList): JsonObject {
  const { limits, tools, toolChoice, parallelToolCalls, verbosity, user, cacheKey, cacheRetention, n } =
    request;
  return {
    ...withOwnFields({}, request.foreign, losses, 1),
    ...definedFields({
      model: target.model,
      // Usage is always asked for: it is what the response is charged by (rule 5).
      // Some servers stream unless they are told not to.
      stream: request.stream,
      stream_options: request.stream ? { include_usage: true } : undefined,
      messages: encodeMessages(request, target, losses),
      tools: tools.length === 0 ? undefined : encodeTools(tools),
      tool_choice: toolChoice === undefined ? undefined : encodeToolChoice(toolChoice),
      parallel_tool_calls:
        parallelToolCalls === undefined || tools.length === 0 ? undefined : parallelToolCalls,
      ...encodeSampling(request.sampling),
      [target.quirks.maxTokensField ?? "max_tokens"]: limits.maxOutputTokens,
      stop: limits.stop === undefined || limits.stop.length === 0 ? undefined : limits.stop,
      ...encodeReasoning(request, target.quirks, losses),
      response_format: encodeFormat(request.responseFormat),
      verbosity,
      user,
      prompt_cache_key: cacheKey,
      prompt_cache_retention: cacheRetention,
      n,
    }),
  };
}

function encodeSampling(sampling: Sampling): JsonObject {
  return {
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    seed: sampling.seed,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
  };
}

/** An effort is all that a chat can say; a model that thinks by itself is left to it. */
function encodeReasoning(
  { protocol, reasoning, foreign }: ChatRequest,
  quirks: Quirks,
  losses: LossList,
): JsonObject {
  // A chat's own words for it go back as they came, with an effort where they have none.
  const replayed = foreign.filter(({ isRead }) => isRead).map(({ value }) => value);
  if (reasoning === undefined || (replayed.length > 0 && !saysMore(reasoning, replayed))) return {};
  if (!reasoning.enabled) {
    // Models that never think refuse the word, so it goes only to those that are known to take it.
    const known = quirks.efforts ?? (protocol === "chat-completions" ? ["none"] : []);
    const least = ["none", "minimal"].find((word) => known.includes(word));
    if (least !== "none") losses.field("reasoning", "weakened");
    return least === undefined ? {} : { reasoning_effort: least };
  }
  const effort = minEffortOf(reasoning);
  // The protocol cannot ask for a summary: models decide themselves if they show their reasoning.
  if (reasoning.summary !== undefined && reasoning.summary !== "none") losses.field("reasoning", "weakened");
  if (effort === undefined) return {};
  const word = nearestEffort(effort, quirks.efforts);
  if (word !== reasoning.effort) losses.field("reasoning", "weakened");
  return { reasoning_effort: word };
}

/** True if a wish has an effort that the fields which go back do not tell. */
function saysMore({ effort, enabled }: ReasoningOptions, replayed: readonly unknown[]): boolean {
  return enabled && effort !== undefined && !replayed.some((value) => asObject(value)?.["effort"] === effort);
}

function encodeFormat(format: ResponseFormat | undefined): JsonObject | undefined {
  switch (format?.kind) {
    case undefined:
      return undefined;
    case "text":
      return { type: "text" };
    case "json":
      return { type: "json_object" };
    case "schema": {
      const { name = "response", description, schema, strict } = format;
      return { type: "json_schema", json_schema: { name, description, schema, strict } };
    }
  }
}
