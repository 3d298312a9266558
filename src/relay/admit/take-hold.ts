import {
  type FrozenPrice,
  InsufficientFunds,
  type OpenHold,
  type TextBilling,
} from "../../billing/billing.ts";
import { freezePrice } from "../../billing/pricing/frozen-price.ts";
import { type CostEstimateInput, estimateMaxCost } from "../../billing/pricing/max-cost.ts";
import { limitOutput } from "../../billing/pricing/output-limit.ts";
import { unrequestedTerms } from "../../billing/pricing/unrequested-terms.ts";
import type { UsageBound } from "../../billing/pricing/usage-bound.ts";
import type { Catalog, Model } from "../../catalog/catalog.ts";
import { maxCopies } from "../mode/relay-modes.ts";
import type { TextRequest } from "../text-request.ts";
import { findAdditionalModels, tokenPricedModel } from "./additional-models.ts";
import type { FallbackModel } from "./fallback-chain.ts";
import { priceOptions } from "./priced-options.ts";
import type { References } from "./references.ts";
import { searchesByDefault, unrequestedCalls } from "./searching-models.ts";

/** A hold with what its request can have used. */
export interface Held {
  readonly hold: OpenHold;
  readonly bound: UsageBound;
  readonly price: FrozenPrice;
  /** Output limit to write into the request: the caller states none, and the money doesn't cover more. */
  readonly outputLimit: number | undefined;
  /** Models that may respond in its place, as far as the money covers them; undefined = none. */
  readonly fallbacks: readonly FallbackModel[] | undefined;
}

/** Takes the hold: from here on the exchange must be settled, whatever happens. */
export function takeHold(
  billing: TextBilling,
  catalog: Catalog,
  model: Model,
  request: TextRequest,
  references: References,
  atMs: number,
  fallbacks?: readonly FallbackModel[],
): Held | Promise<Held> {
  const question = costEstimateInput(catalog, model, request, references, atMs);
  const { amountNanos, usage: bound } = estimateMaxCost(question);
  const own = { bound, price: question.price, outputLimit: undefined, fallbacks };
  const taken = take(billing, request, question, highestOf(amountNanos, fallbacks), atMs);
  if (!(taken instanceof Promise)) return { ...own, hold: taken };
  return taken
    .then(
      (hold): Held => ({ ...own, hold }),
      (error: unknown) => {
        const covered = fallbacks === undefined ? undefined : coveredBy(error, amountNanos, fallbacks);
        if (covered === undefined) return takeSmaller(billing, request, question, error, atMs);
        return Promise.resolve(take(billing, request, question, highestOf(amountNanos, covered), atMs)).then(
          (hold) => ({ ...own, hold, fallbacks: covered }),
        );
      },
    )
    .catch((error: unknown) => {
      billing.refused(error);
      throw error;
    });
}

/** The hold that covers whichever of them responds: any may, and one is charged. */
function highestOf(amountNanos: bigint, fallbacks: readonly FallbackModel[] | undefined): bigint {
  if (fallbacks === undefined) return amountNanos;
  return fallbacks.reduce((most, each) => (each.amountNanos > most ? each.amountNanos : most), amountNanos);
}

/** Returns the fallback models that the money covers besides the requested model; undefined = it doesn't cover even that. */
function coveredBy(
  error: unknown,
  amountNanos: bigint,
  fallbacks: readonly FallbackModel[],
): readonly FallbackModel[] | undefined {
  if (!(error instanceof InsufficientFunds) || amountNanos > error.fundsNanos) return undefined;
  return fallbacks.filter((each) => each.amountNanos <= error.fundsNanos);
}

/** Returns the input of the hold's estimate if this model responds to the request. */
export function costEstimateInput(
  catalog: Catalog,
  model: Model,
  request: TextRequest,
  references: References,
  atMs: number,
): CostEstimateInput {
  const group = catalog.groups.get(request.caller.group);
  // The group can be deleted meanwhile; nothing has a price then.
  const factorPpm = group?.factorPpm ?? 0n;
  const options = priceOptions(
    request,
    catalog,
    model,
    (tool) => tokenPricedModel(tool, request, catalog, model) !== undefined,
  );
  const serving = catalog.serving(model.id, request.caller.group, request.protocol.name);
  const unasked = unrequestedTerms(model, serving);
  const once = unrequestedCalls(catalog, model, request.caller);
  const price = freezePrice(
    model,
    factorPpm,
    unasked === undefined && once === undefined ? options : { ...options, unasked, unrequestedCalls: once },
    atMs,
  );
  return {
    forward: request.protocol.forward,
    model,
    price,
    body: request.body,
    scan: request.scan,
    copies: maxCopies(catalog, model, request),
    refersElsewhere: references.addContent,
    betas: request.headers.betas,
    settings: catalog.settings,
    runsByDefault: searchesByDefault(catalog, model, request.caller),
    additionalModels: findAdditionalModels(request, catalog, model, factorPpm, atMs),
  };
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
  return { hold, bound, price: question.price, outputLimit, fallbacks: undefined };
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
    tags: request.tags,
    price,
    amountNanos,
    acceptedMs,
  });
}

/** `x-faregate-output-limit`: the limit that the gateway wrote into a request without one, as the money covers no more. */
export function outputLimitHeader(tokens: number): Record<string, string> {
  return { "x-faregate-output-limit": `${tokens}` };
}
