import type { Caller } from "../../accounts/caller.ts";
import type { OtherUsage } from "../../billing/billing.ts";
import { freezePrice } from "../../billing/pricing/max-cost.ts";
import {
  boundReported,
  type Implausible,
  limitsOf,
  type UsageBound,
} from "../../billing/pricing/usage-bound.ts";
import type { Catalog, Model, Upstream } from "../../catalog/catalog.ts";
import type { Candidate } from "../../upstreams/call.ts";
import { type ModelTokens, totalInput } from "../../usage/usage.ts";
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
 * accepted. Each has at most what its model can use in one pass, and there are at most as many as passes that are charged.
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
  const charged = told.slice(0, maxPasses);
  if (charged.length < told.length)
    implausible.push({ field: "input", reported: inputOf(told), most: inputOf(charged) });
  const others = charged.map(({ model: name, tokens, isBeside, tool }, index): OtherUsage => {
    const model = modelCalled(name, candidate.upstream, { catalog, caller, asked: request.model });
    const limits = model && limitsOf(model, headers.betas);
    const isPriced = model?.price?.rates.input !== undefined;
    // The first is bounded already where it has served the answer, with the passes that its tools took.
    const isServing = index === 0 && isBeside !== true;
    const held = isServing
      ? { tokens, implausible: [] }
      : boundReported({ tokens, hostile: [] }, passesOf(limits ?? bound, tool === undefined ? 1 : maxPasses));
    implausible.push(...held.implausible);
    const price = isPriced ? freezePrice(model, factorPpm, {}, acceptedMs) : undefined;
    return { model: model?.id ?? name, usage: held.tokens, isBeside, tool, price };
  });
  return { others, implausible };
}

const NOTHING: PricedOthers = { others: [], implausible: [] };

function inputOf(told: readonly ModelTokens[]): number {
  return told.reduce((sum, { tokens }) => sum + totalInput(tokens), 0);
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
