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

/** The gateway stops, and the client can still be told so by a status. */
export function canBeTold({ isAborted, clientGone, request }: Exchange): boolean {
  return isAborted && !clientGone && !request.response.committed;
}

/** A shutdown has cut the request, and its input is charged already: it is settled, and its client not told yet. */
export function throwIfCut(exchange: Exchange, failure: AttemptFailure | undefined): void {
  if (exchange.settled && failure !== undefined && canBeTold(exchange)) throw failure.error;
}
