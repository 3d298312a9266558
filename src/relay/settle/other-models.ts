import type { Caller } from "../../accounts/caller.ts";
import type { OtherUsage } from "../../billing/billing.ts";
import { freezePrice } from "../../billing/pricing/max-cost.ts";
import {
  boundReported,
  type Implausible,
  limitsOf,
  mayRun,
  type UsageBound,
} from "../../billing/pricing/usage-bound.ts";
import type { Catalog, Model, Upstream } from "../../catalog/catalog.ts";
import type { Candidate } from "../../upstreams/call.ts";
import { type ModelTokens, type TokenUsage, totalInput, totalOutput } from "../../usage/usage.ts";
import type { TextRequest } from "../text-request.ts";

/** What other models than the one that was asked have used, priced; and what of it they cannot have. */
interface PricedOthers {
  readonly others: readonly OtherUsage[];
  readonly implausible: readonly Implausible[];
}

/** A request with what held when it was accepted. */
interface Accepted {
  readonly catalog: Catalog;
  readonly request: TextRequest;
  readonly bound: UsageBound;
  readonly acceptedMs: number;
}

/**
 * Prices what other models have used for an answer by what the upstream calls ours, at the prices of when the request was
 * accepted. They are those that the request names, each with at most what its model can use in one pass, and as many as that
 * allows.
 */
export function priceOthers(
  { catalog, request, bound, acceptedMs }: Accepted,
  candidate: Candidate | null,
  told: readonly ModelTokens[] | undefined,
): PricedOthers {
  if (told === undefined || candidate === null) return NOTHING;
  const { caller, headers } = request;
  const factorPpm = catalog.groups.get(caller.group)?.factorPpm ?? 0n;
  const implausible: Implausible[] = [];
  const { maxPasses } = catalog.settings;
  const asker = { catalog, caller, asked: request.model };
  const allowance = createAllowance(request, bound, maxPasses);
  const found = told.map((each) => ({ ...each, ours: modelCalled(each.model, candidate.upstream, asker) }));
  const charged = found.filter((each) => allowance.takes(each, each.ours?.id));
  if (charged.length < found.length) implausible.push(...cut(found, charged));
  const others = charged.map(({ model: name, ours: model, tokens, isBeside, tool }, index): OtherUsage => {
    const limits = model && limitsOf(model, headers.betas);
    const isPriced = model?.price?.rates.input !== undefined;
    // The first is bounded already where it has served the answer, with the passes that its tools took.
    const isServing = index === 0 && isBeside !== true;
    const held = isServing
      ? { tokens, implausible: [] }
      : boundReported(
          { tokens, hostile: [] },
          passesOf(limits ?? bound, tool === undefined ? 1 : allowance.calls),
        );
    implausible.push(...held.implausible);
    const price = isPriced ? freezePrice(model, factorPpm, {}, acceptedMs) : undefined;
    return { model: model?.id ?? name, usage: held.tokens, isBeside, tool, price };
  });
  return { others, implausible };
}

const NOTHING: PricedOthers = { others: [], implausible: [] };

/** Which of other models' passes a request can have brought. */
interface Allowance {
  /** Calls of tools, of which each may bring a pass of the tool's model. */
  readonly calls: number;
  /** Counts one pass; `id` is our name of its model, undefined = it has none. */
  takes(pass: Pick<ModelTokens, "isBeside" | "tool">, id: string | undefined): boolean;
}

/** By what was held for: a tool's model and an advisor as often as tools may run, a fallback in the place of the model that was asked. */
function createAllowance(request: TextRequest, bound: UsageBound, maxPasses: number): Allowance {
  const { inner = [], calls: callBound, responses, passes, mostPasses } = bound;
  const calls = Math.min(callBound?.most ?? 0, maxPasses);
  const named = (byCall: boolean): ReadonlySet<string> =>
    new Set(inner.flatMap((each) => (each.byCall === byCall ? [each.model] : [])));
  const advisors = named(true);
  const answering = new Set([...named(false), request.model]);
  const summaries = passes - 1 + (request.compacts === undefined ? 0 : 1);
  const left = {
    advice: advisors.size === 0 ? 0 : calls * responses,
    answers: answering.size * (mostPasses ?? passes) * responses,
    summaries: summaries * answering.size * responses,
  };
  const take = (kind: keyof typeof left): boolean => {
    if (left[kind] === 0) return false;
    left[kind] -= 1;
    return true;
  };
  return {
    calls,
    takes({ isBeside, tool }, id) {
      if (tool !== undefined) return callBound !== undefined && mayRun(callBound, tool);
      if (isBeside !== true) return (id === undefined || answering.has(id)) && take("answers");
      if (id === undefined || advisors.has(id)) return take("advice");
      return answering.has(id) && take("summaries");
    },
  };
}

/** What is left out, as input and output. */
function cut(told: readonly ModelTokens[], charged: readonly ModelTokens[]): Implausible[] {
  const sum = (all: readonly ModelTokens[], of: (usage: TokenUsage) => number): number =>
    all.reduce((total, { tokens }) => total + of(tokens), 0);
  return [
    { field: "input", reported: sum(told, totalInput), most: sum(charged, totalInput) } as const,
    { field: "output", reported: sum(told, totalOutput), most: sum(charged, totalOutput) } as const,
  ].filter(({ reported, most }) => reported > most);
}

/** Of one pass of a model; a tool's model has one for each call, of which it states the sum. */
function passesOf(
  { contextTokens, outputTokens }: Pick<UsageBound, "contextTokens" | "outputTokens">,
  passes: number,
): UsageBound {
  return {
    contextTokens,
    outputTokens,
    statedOutputTokens: outputTokens,
    responses: 1,
    passes,
    mostPasses: undefined,
  };
}

/** Who looks a name up. */
interface Asker {
  readonly catalog: Catalog;
  readonly caller: Caller;
  /** The model of the request. */
  readonly asked: string;
}

/**
 * The model of ours that an upstream calls by this name, with or without a date; of several the one that was asked, then one
 * that the caller may use.
 */
function modelCalled(
  name: string,
  { models }: Upstream,
  { catalog, caller, asked }: Asker,
): Model | undefined {
  const named = (isSame: (theirs: string) => boolean): string[] =>
    [...models].flatMap(([ours, theirs]) => (isSame(theirs) ? [ours] : []));
  const exact = named((theirs) => theirs === name);
  const ids = exact.length > 0 ? exact : named((theirs) => undated(theirs) === undated(name));
  const id =
    ids.find((each) => each === asked) ?? ids.find((each) => catalog.callable(caller, each)) ?? ids[0];
  return id === undefined ? undefined : catalog.models.get(id);
}

/** Answers name a model by its date where requests leave that out: `claude-opus-5-5-20260301`. */
function undated(name: string): string {
  return name.replace(/[-@](\d{8}|\d{4}-\d{2}-\d{2})$/, "");
}
