import type { Catalog, Model } from "../catalog/catalog.ts";
import { FallbackChain } from "./admit/fallback-chain.ts";
import type { Held } from "./admit/take-hold.ts";
import type { Exchange } from "./exchange.ts";
import type { TextRequest } from "./text-request.ts";

/** An exchange of which nothing has been asked yet. */
export function openExchange(
  deps: Pick<Exchange, "clock" | "log">,
  catalog: Catalog,
  request: TextRequest,
  held: Held,
  acceptedMs: number,
  model: Model,
): Exchange {
  const { fallbacks, price } = held;
  return {
    request,
    catalog,
    acceptedMs,
    hold: held.hold,
    bound: held.bound,
    fallbacks: fallbacks && new FallbackChain(model, fallbacks),
    priced: fallbacks && { model: model.id, price },
    clock: deps.clock,
    log: deps.log,
    keepAlive: undefined,
    chargeEmptyAnswers: catalog.settings.chargeEmptyAnswers,
    slot: -1,
    attempts: 0,
    uses: [],
    isSent: () => false,
    failedFirst: undefined,
    notes: { attempts: [], refusal: undefined },
    lastCandidate: null,
    reason: null,
    outputLimit: held.outputLimit,
    firstByteMs: null,
    tierInHead: undefined,
    isAborted: false,
    clientGone: false,
    settled: false,
    outcome: undefined,
    charged: undefined,
    losses: [],
    onAbort: () => undefined,
  };
}
