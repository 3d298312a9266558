import { appendAll } from "../../base/append-all.ts";
import type { AdditionalUsage, ServedUsage } from "../../billing/billing.ts";
import { freezePrice } from "../../billing/pricing/frozen-price.ts";
import {
  boundReported,
  type Implausible,
  limitsOf,
  mayRun,
  type UsageBound,
} from "../../billing/pricing/usage-bound.ts";
import type { Catalog, Model, Upstream } from "../../catalog/catalog.ts";
import type { Candidate } from "../../upstreams/call.ts";
import { isSecretWord } from "../../upstreams/scrub/sent-secrets.ts";
import { type ModelTokens, type TokenUsage, totalInput, totalOutput } from "../../usage/usage.ts";
import type { TextRequest } from "../text-request.ts";

/** The priced usage of models other than the asked one, and reported usage that is impossible. */
interface PricedAdditional {
  readonly additionalUsage: readonly AdditionalUsage[];
  readonly implausible: readonly Implausible[];
}

/** A request with the catalog and the bound that applied when it was accepted. */
interface Accepted {
  readonly catalog: Catalog;
  readonly request: TextRequest;
  readonly bound: UsageBound;
  readonly acceptedMs: number;
}

/**
 * Prices what models other than the asked one have used for a response. A model is found by the upstream's name for it, and has the
 * price that applied when the request was accepted. Only models that the request names count, each with at most the usage of
 * one pass per allowed pass. If another model served the response, its usage stays without a price.
 */
export function priceAdditional(
  { catalog, request, bound, acceptedMs }: Accepted,
  candidate: Candidate | null,
  reported: readonly ModelTokens[] | undefined,
): PricedAdditional {
  if (reported === undefined || candidate === null) return NOTHING;
  const { headers } = request;
  const factorPpm = catalog.groups.get(request.caller.group)?.factorPpm ?? 0n;
  const implausible: Implausible[] = [];
  const { maxPasses } = catalog.settings;
  const answering = answeringModels(request, bound);
  const allowance = createAllowance(request, bound, answering, maxPasses);
  const found = reported.map((each) => {
    const ours = modelCalled(each.model, candidate.upstream, { catalog, request, bound });
    const isUnasked = each.hasServed === true && ours !== undefined && !answering.has(ours.id);
    return { ...each, model: recordedName(each.model, candidate), ours: isUnasked ? undefined : ours };
  });
  const charged = found.filter((each) => allowance.takes(each, each.ours?.id));
  if (charged.length < found.length) appendAll(implausible, cut(found, charged));
  const additionalUsage = charged.map(
    ({ model: name, ours: model, tokens, isBeside, hasServed, tool, callOf }): AdditionalUsage => {
      const limits = model && limitsOf(model, headers.betas);
      const isPriced = model?.price?.rates.input !== undefined;
      // The usage of the model that served the response is bounded already, over all passes that its tools took.
      const held = hasServed
        ? { tokens, implausible: [] }
        : boundReported(
            { tokens, hostile: [] },
            passesOf(limits ?? bound, tool === undefined ? 1 : allowance.calls),
          );
      appendAll(implausible, held.implausible);
      const price = isPriced ? freezePrice(model, factorPpm, {}, acceptedMs) : undefined;
      return { model: model?.id ?? name, usage: held.tokens, isBeside, tool, callOf, price };
    },
  );
  return { additionalUsage, implausible };
}

/** What receipts and logs call a model or a tool whose name can't be told. */
const UNNAMED = "unnamed";

/** The calls and the terms of service that a vendor reports, without words that are what it knows us by. */
export function recordedWork<Work extends Pick<ServedUsage, "calls" | "served">>(
  { calls, served }: Work,
  candidate: Candidate | null,
): Pick<ServedUsage, "calls" | "served"> {
  if (candidate === null || (calls === undefined && served === undefined)) return { calls, served };
  return {
    calls: calls?.map((call) => (isSecretWord(call.tool, candidate) ? { ...call, tool: UNNAMED } : call)),
    served:
      served &&
      Object.fromEntries(
        Object.entries(served).filter(([, word]) => word === undefined || !isSecretWord(word, candidate)),
      ),
  };
}

/** Receipts have a vendor's name of a model where none of ours is called so; what its vendor knows us by is no name. */
function recordedName(name: string, candidate: Candidate): string {
  return isSecretWord(name, candidate) ? UNNAMED : name;
}

const NOTHING: PricedAdditional = { additionalUsage: [], implausible: [] };

/** How many passes of other models a request can have caused. */
interface Allowance {
  /** Calls of tools; each may cause one pass of the tool's model. */
  readonly calls: number;
  /** Counts one pass, and says whether it is possible; `id` is the catalog's name of its model, undefined = the catalog lacks it. */
  takes(pass: Pick<ModelTokens, "isBeside" | "tool">, id: string | undefined): boolean;
}

/** The models that may serve the response: the asked one, and those that the request names in its place. */
function answeringModels({ model }: TextRequest, { additionalModels = [] }: UsageBound): ReadonlySet<string> {
  return new Set([model, ...additionalModels.flatMap((each) => (each.byCall ? [] : [each.model]))]);
}

/** The models that the request names to work beside the one that serves the response. */
function advisorsOf({ additionalModels = [] }: UsageBound): ReadonlySet<string> {
  return new Set(additionalModels.flatMap(({ byCall, model }) => (byCall ? [model] : [])));
}

/**
 * Allows the same passes as the hold: a tool's model and an advisor once per tool call, a fallback in place of the requested
 * model.
 */
function createAllowance(
  request: TextRequest,
  bound: UsageBound,
  answering: ReadonlySet<string>,
  maxPasses: number,
): Allowance {
  const { calls: callBound, responses, passes, maxPassesWithTools } = bound;
  const calls = Math.min(callBound?.max ?? 0, maxPasses);
  const advisors = advisorsOf(bound);
  const summaries = passes - 1 + (request.compacts === undefined ? 0 : 1);
  const left = {
    advice: advisors.size === 0 ? 0 : calls * responses,
    answers: answering.size * (maxPassesWithTools ?? passes) * responses,
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

/** The reported usage that is not charged, as input and output. */
function cut(all: readonly ModelTokens[], charged: readonly ModelTokens[]): Implausible[] {
  const sum = (some: readonly ModelTokens[], of: (usage: TokenUsage) => number): number =>
    some.reduce((total, { tokens }) => total + of(tokens), 0);
  return [
    { field: "input", reported: sum(all, totalInput), most: sum(charged, totalInput) } as const,
    { field: "output", reported: sum(all, totalOutput), most: sum(charged, totalOutput) } as const,
  ].filter(({ reported, most }) => reported > most);
}

/** The bound of this many passes of a model. A tool's model runs once per call and reports the sum. */
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
    maxPassesWithTools: undefined,
  };
}

/** The catalog's name of the model that a response names in its upstream's words. */
export function ourNameOf(
  name: string,
  upstream: Upstream,
  asker: Omit<Accepted, "acceptedMs">,
): string | undefined {
  return modelCalled(name, upstream, asker)?.id;
}

/**
 * The catalog's model that an upstream calls by this name, with or without a date or a variant. With the closest spelling first,
 * it is the asked model, one that may serve the response, or an advisor; otherwise any other, preferably one that the caller
 * may use.
 */
function modelCalled(
  name: string,
  { models }: Upstream,
  { catalog, request, bound }: Omit<Accepted, "acceptedMs">,
): Model | undefined {
  const asked = [...answeringModels(request, bound), ...advisorsOf(bound)];
  const named = SPELLINGS.map((spelled) =>
    [...models].flatMap(([ours, theirs]) => (spelled(theirs) === spelled(name) ? [ours] : [])),
  );
  for (const ids of named) {
    const id = asked.find((each) => ids.includes(each));
    if (id !== undefined) return catalog.models.get(id);
  }
  const additionalUsage = named.find((ids) => ids.length > 0) ?? [];
  const id = additionalUsage.find((each) => catalog.callable(request.caller, each)) ?? additionalUsage[0];
  return id === undefined ? undefined : catalog.models.get(id);
}

/** Responses add a date that requests leave out: `claude-opus-5-5-20260301`, `v/mid-20260101:free`. */
function undated(name: string): string {
  return name.replace(/[-@](\d{8}|\d{4}-\d{2}-\d{2})(?=$|:)/, "");
}

/** https://openrouter.ai/docs/guides/routing/model-variants : responses may leave the variant out, with or without a date. */
function withoutVariant(name: string): string {
  return undated(name.replace(/:(free|nitro|floor|exacto|online|extended|thinking)$/, ""));
}

/** The closest spelling first, because two models may differ only in a date or a variant. */
const SPELLINGS: readonly ((name: string) => string)[] = [(name) => name, undated, withoutVariant];
