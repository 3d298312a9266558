import type { Exchange } from "./exchange.ts";
import type { AttemptFailure } from "./failures.ts";

/** The client may have disconnected during a wait. Choosing a candidate for it would waste a health probe. */
export function recordDisconnect(exchange: Exchange): void {
  if (!exchange.request.response.open) exchange.clientGone = true;
}

/** The client has disconnected or the gateway is shutting down: no more attempts are made. */
export function shouldStop({ clientGone, isAborted }: Exchange): boolean {
  return clientGone || isAborted;
}

/** The gateway stops, and the request can still fail with a status that tells its client so. */
export function canStillFail({ isAborted, clientGone, request }: Exchange): boolean {
  return isAborted && !clientGone && !request.response.committed;
}

/** A shutdown has cut the request, and its input is charged already: it is settled, and its client not told yet. */
export function throwIfCut(exchange: Exchange, failure: AttemptFailure | undefined): void {
  if (exchange.settled && failure !== undefined && canStillFail(exchange)) throw failure.error;
}
