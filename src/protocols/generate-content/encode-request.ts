import { definedFields } from "../../base/defined-fields.ts";
import type { LossList } from "../../conversation/loss.ts";
import { budgetOf, effortOf, nearestEffort } from "../../conversation/lower/effort.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import { describedSchema } from "../../conversation/lower/schema-subset.ts";
import type { ChatRequest, ReasoningOptions, ResponseFormat } from "../../conversation/request.ts";
import { withOwnFields } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import { encodeContents, encodeSystem } from "./encode-contents.ts";
import { encodeSchema, type SchemaForm } from "./encode-schema.ts";
import { encodeToolConfig, encodeTools } from "./encode-tools.ts";

/** Writes a generateContent body for an upstream, from a prepared request. Throws RefusedField. */
export function encodeRequest(request: ChatRequest, target: EncodeTarget, losses: LossList): JsonObject {
  const { tools, toolChoice } = request;
  const system = encodeSystem(request);
  const config = {
    ...encodeSampling(request, losses),
    ...encodeReasoning(request, target, losses),
    ...encodeFormat(request.responseFormat, target, losses),
  };
  const body = definedFields({
    contents: encodeContents(request, target, losses),
    systemInstruction: system.length === 0 ? undefined : { parts: system },
    tools: tools.length === 0 ? undefined : encodeTools(tools, schemaForm(target), losses),
    toolConfig: encodeToolConfig(toolChoice),
    generationConfig: Object.keys(config).length === 0 ? undefined : config,
  });
  return withOwnFields(body, request.foreign, losses, Number.POSITIVE_INFINITY);
}

function encodeSampling({ sampling, limits, n }: ChatRequest, losses: LossList): JsonObject {
  const { maxOutputTokens, stop } = limits;
  const { seed, ...others } = sampling;
  // Seeds are 32 bits here; any other would be a 400.
  const fits = seed !== undefined && seed === Math.trunc(seed) && Math.abs(seed) <= MAX_SEED;
  if (seed !== undefined && !fits) losses.field("seed");
  return definedFields({
    ...others,
    seed: fits ? seed : undefined,
    maxOutputTokens,
    stopSequences: stop === undefined || stop.length === 0 ? undefined : stop,
    candidateCount: n,
  });
}

/**
 * A level where the catalog says that the model has levels, else a budget, which all that think take
 * (rule 38). A wish that names no amount leaves the amount to the model.
 */
function encodeReasoning(request: ChatRequest, target: EncodeTarget, losses: LossList): JsonObject {
  const { reasoning } = request;
  if (reasoning === undefined) return {};
  const ownLevel = request.protocol === "generate-content" && reasoning.effort !== undefined;
  const way = target.quirks.thinking ?? (ownLevel ? "level" : "budget");
  const amount =
    way === "level" || way === "effort"
      ? encodeLevel(reasoning, target, losses)
      : encodeBudget(request, reasoning, target, losses);
  const shown =
    reasoning.summary === undefined
      ? reasoning.enabled && SHOWS_THOUGHTS.has(request.protocol)
      : reasoning.summary !== "none";
  const said = reasoning.summary !== undefined || shown;
  const config = definedFields({ ...amount, includeThoughts: said ? shown : undefined });
  return Object.keys(config).length === 0 ? {} : { thinkingConfig: config };
}

function encodeLevel(reasoning: ReasoningOptions, { quirks }: EncodeTarget, losses: LossList): JsonObject {
  const effort = reasoning.enabled ? effortOf(reasoning) : "minimal";
  if (effort === undefined) return {};
  const level = nearestEffort(effort, quirks.efforts ?? LEVELS);
  // There is no level that forbids thinking.
  if (level !== effort || reasoning.effort === undefined) losses.field("reasoning", "weakened");
  return { thinkingLevel: level.toUpperCase() };
}

function encodeBudget(
  request: ChatRequest,
  reasoning: ReasoningOptions,
  target: EncodeTarget,
  losses: LossList,
): JsonObject {
  if (!reasoning.enabled) return { thinkingBudget: 0 };
  if (reasoning.effort === undefined && reasoning.budgetTokens === undefined) {
    return reasoning.adaptive ? { thinkingBudget: -1 } : {};
  }
  const { maxBudget = Number.POSITIVE_INFINITY } = target.quirks;
  // A stated budget is taken over: some models think with fewer tokens than others must be given.
  if (reasoning.budgetTokens !== undefined) {
    if (reasoning.budgetTokens > maxBudget) losses.field("reasoning", "weakened");
    return { thinkingBudget: Math.min(reasoning.budgetTokens, maxBudget) };
  }
  const limit = request.limits.maxOutputTokens ?? target.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  const budget = budgetOf(reasoning, limit, maxBudget);
  if (budget === undefined || effortOf({ enabled: true, budgetTokens: budget }) !== reasoning.effort)
    losses.field("reasoning", "weakened");
  return budget === undefined ? {} : { thinkingBudget: budget };
}

function encodeFormat(
  format: ResponseFormat | undefined,
  target: EncodeTarget,
  losses: LossList,
): JsonObject {
  switch (format?.kind) {
    case undefined:
      return {};
    case "text":
      return { responseMimeType: "text/plain" };
    case "json":
      return { responseMimeType: "application/json" };
    case "schema": {
      const form = schemaForm(target);
      const { schema, lossy } = encodeSchema(describedSchema(format, losses), form);
      if (lossy) losses.field("responseFormat", "weakened");
      const field = form === "subset" ? "responseSchema" : "responseJsonSchema";
      return { responseMimeType: "application/json", [field]: schema };
    }
  }
}

function schemaForm({ quirks }: EncodeTarget): SchemaForm {
  return quirks.schemas ?? "whole";
}

const MAX_SEED = 2 ** 31 - 1;

/** Client protocols whose responses contain reasoning without a request for it. */
const SHOWS_THOUGHTS: ReadonlySet<string> = new Set(["chat-completions", "messages"]);

const LEVELS = ["minimal", "low", "medium", "high"];
