import type { LossList } from "../../conversation/loss.ts";
import { budgetOf, effortOf, nearestEffort } from "../../conversation/lower/effort.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import type { ChatRequest, JsonObject, ReasoningOptions } from "../../conversation/request.ts";
import { asArray, asObject } from "../json.ts";

export interface Thinking {
  /** The `thinking` field. */
  readonly field?: JsonObject | undefined;
  /** `output_config.effort`. */
  readonly effort?: string | undefined;
  /** The model thinks, so that forced choices and most sampling are refused. */
  readonly on: boolean;
}

interface Asked {
  readonly request: ChatRequest;
  readonly target: EncodeTarget;
  readonly maxTokens: number;
  /** The messages in their encoded form. */
  readonly messages: readonly JsonObject[];
  readonly losses: LossList;
}

/** The wish to think in the model's own way (rule 38), or no thinking where the rest of the request forbids it. */
export function encodeThinking(asked: Asked): Thinking {
  const { request, target, losses } = asked;
  const reasoning = request.reasoning;
  if (reasoning === undefined) return { on: false };
  const way = target.quirks.thinking ?? defaultForm(request, reasoning);
  const effort = effortField(asked, reasoning, way);
  if (!reasoning.enabled) return { field: { type: "disabled" }, ...effort, on: false };
  // Only its own callers have a word for it.
  if (reasoning.betweenTools) return { field: { type: "between_tools" }, ...effort, on: true };
  if (way !== "budget" && way !== "adaptive") return { ...effort, on: false };
  if (isForced(request)) {
    // The vendor refuses both together (rule 26); what must be called is the response's meaning.
    losses.field("reasoning", "weakened");
    return { ...effort, on: false };
  }
  if (way === "adaptive") return { field: { type: "adaptive", ...shown(reasoning) }, ...effort, on: true };
  const budget = budgetOf(reasoning, asked.maxTokens, target.quirks.maxBudget);
  if (budget === undefined || lacksThoughts(asked.messages)) {
    losses.field("reasoning", "weakened");
    return { ...effort, on: false };
  }
  if (isLess(budget, reasoning)) losses.field("reasoning", "weakened");
  return { field: { type: "enabled", budget_tokens: budget, ...shown(reasoning) }, ...effort, on: true };
}

/** True if a budget is not what was wished: another one, or that of another effort. */
function isLess(budget: number, { budgetTokens, effort }: ReasoningOptions): boolean {
  if (budgetTokens !== undefined) return budgetTokens !== budget;
  return effort !== undefined && effortOf({ enabled: true, budgetTokens: budget }) !== effort;
}

/** The caller's own way where it speaks this protocol; else a budget, which most models understand. */
function defaultForm(request: ChatRequest, reasoning: ReasoningOptions): "budget" | "adaptive" | "effort" {
  if (request.protocol !== "messages" || reasoning.budgetTokens !== undefined) return "budget";
  return reasoning.adaptive === true ? "adaptive" : "effort";
}

/** Models that are told a budget know no effort, unless a caller of this protocol says both. */
function effortField(
  { request, target, losses }: Asked,
  reasoning: ReasoningOptions,
  way: string,
): { effort?: string | undefined } {
  const own = request.protocol === "messages" && reasoning.effort !== undefined;
  if (!own && (way === "budget" || !reasoning.enabled)) return {};
  const requestedEffort = effortOf(reasoning);
  if (requestedEffort === undefined) return {};
  const effort = nearestEffort(requestedEffort, target.quirks.efforts ?? EFFORT_WORDS);
  if (effort !== requestedEffort) losses.field("reasoning", "weakened");
  return { effort };
}

function shown({ summary }: ReasoningOptions): JsonObject {
  if (summary === undefined) return {};
  return { display: summary === "none" ? "omitted" : "summarized" };
}

function isForced({ toolChoice }: ChatRequest): boolean {
  return toolChoice?.kind === "required" || toolChoice?.kind === "tool";
}

/**
 * True if the turn that is under way calls tools without a thought before them, which the vendor refuses
 * of a model that is told a budget (rule 36): the thoughts were another vendor's, or there were none.
 */
function lacksThoughts(messages: readonly JsonObject[]): boolean {
  const answered = messages.findLastIndex(
    (message) => message["role"] === "user" && !opensWithResult(message),
  );
  const response = messages.slice(answered + 1).find((message) => message["role"] === "assistant");
  const types = blockTypes(response);
  return types.includes("tool_use") && types[0] !== "thinking" && types[0] !== "redacted_thinking";
}

function opensWithResult(message: JsonObject): boolean {
  return blockTypes(message)[0] === "tool_result";
}

function blockTypes(message: JsonObject | undefined): readonly unknown[] {
  return asArray(message?.["content"]).map((block) => asObject(block)?.["type"]);
}

const EFFORT_WORDS = ["low", "medium", "high", "xhigh", "max"];
