import { InsufficientFunds, type OpenHold, type TextBilling } from "../../billing/billing.ts";
import { type CostEstimateInput, estimateMaxCost, freezePrice } from "../../billing/pricing/max-cost.ts";
import { limitOutput } from "../../billing/pricing/output-limit.ts";
import { unaskedTerms } from "../../billing/pricing/unasked-terms.ts";
import type { UsageBound } from "../../billing/pricing/usage-bound.ts";
import type { Catalog, Model } from "../../catalog/catalog.ts";
import { maxCopies } from "../mode/relay-modes.ts";
import type { TextRequest } from "../text-request.ts";
import { findAdditionalModels, tokenPricedModel } from "./additional-models.ts";
import { priceOptions } from "./priced-options.ts";
import type { References } from "./references.ts";
import { searchesUnasked } from "./searching-models.ts";

/** A hold with what its request can have used. */
export interface Held {
  readonly hold: OpenHold;
  readonly bound: UsageBound;
  /** To be written into the request: the caller states none, and the money covers no more. */
  readonly outputLimit: number | undefined;
}

/** Takes the hold: from here on the exchange must be settled, whatever happens. */
export function takeHold(
  billing: TextBilling,
  catalog: Catalog,
  model: Model,
  request: TextRequest,
  references: References,
  atMs: number,
): Held | Promise<Held> {
  const group = catalog.groups.get(request.caller.group);
  // The group was there a moment ago, when it made the model callable; without it nothing has a price.
  const factorPpm = group?.factorPpm ?? 0n;
  const options = priceOptions(
    request,
    catalog,
    model,
    (tool) => tokenPricedModel(tool, request, catalog, model) !== undefined,
  );
  const serving = catalog.serving(model.id, request.caller.group, request.protocol.name);
  const unasked = unaskedTerms(model, serving);
  const price = freezePrice(
    model,
    factorPpm,
    unasked === undefined ? options : { ...options, unasked },
    atMs,
  );
  const question: CostEstimateInput = {
    forward: request.protocol.forward,
    model,
    price,
    body: request.body,
    scan: request.scan,
    copies: maxCopies(catalog, model, request),
    refersElsewhere: references.addContent,
    betas: request.headers.betas,
    settings: catalog.settings,
    runsUnasked: searchesUnasked(catalog, model, request.caller),
    additionalModels: findAdditionalModels(request, catalog, model, factorPpm, atMs),
  };
  const { amountNanos, usage: bound } = estimateMaxCost(question);
  const taken = take(billing, request, question, amountNanos, atMs);
  if (!(taken instanceof Promise)) return { hold: taken, bound, outputLimit: undefined };
  return taken.then(
    (hold) => ({ hold, bound, outputLimit: undefined }),
    (error: unknown) => takeSmaller(billing, request, question, error, atMs),
  );
}

/** The money covers no response of any length: then one of a length that it does cover, where the caller leaves that open. */
async function takeSmaller(
  billing: TextBilling,
  request: TextRequest,
  question: CostEstimateInput,
  error: unknown,
  atMs: number,
): Promise<Held> {
  const limited = error instanceof InsufficientFunds ? limitOutput(question, error.fundsNanos) : undefined;
  if (limited === undefined) throw error;
  const { amountNanos, usage: bound, outputLimit } = limited;
  const hold = await take(billing, request, question, amountNanos, atMs);
  return { hold, bound, outputLimit };
}

function take(
  billing: TextBilling,
  request: TextRequest,
  { model, price }: CostEstimateInput,
  amountNanos: bigint,
  acceptedMs: number,
): OpenHold | Promise<OpenHold> {
  return billing.take({
    requestId: request.id,
    caller: request.caller,
    model: model.id,
    askedModel: request.alias,
    endpoint: request.protocol.name,
    streamed: request.streamed,
    price,
    amountNanos,
    acceptedMs,
  });
}

/** `x-faregate-output-limit`: the limit that the gateway wrote into a request without one, as the money covers no more. */
export function outputLimitHeader(tokens: number): Record<string, string> {
  return { "x-faregate-output-limit": `${tokens}` };
}
