import type { Exchange } from "./exchange.ts";

/** The client may have disconnected during a wait. Choosing a candidate for it would waste a health probe. */
export function recordDisconnect(exchange: Exchange): void {
  if (!exchange.request.response.open) exchange.clientGone = true;
}

/** The client has disconnected or the gateway is shutting down: no more attempts are made. */
export function shouldStop({ clientGone, isAborted }: Exchange): boolean {
  return clientGone || isAborted;
}
