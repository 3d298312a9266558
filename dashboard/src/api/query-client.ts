import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";

/** The time for which a response counts as fresh: going back and forth between pages reads nothing twice. */
const FRESH_MS = 10_000;

/**
 * Requests are sent whatever the browser believes of its network: a gateway on this machine or network responds without
 * one, and if it does not, the page says so. Otherwise reads and writes would wait silently, and writes would be made
 * whenever the network is back.
 */
const NETWORK_MODE = "always";

let turnAway: (error: ApiError) => void = () => undefined;

/** Registers the action for a user whose session is over, or who must choose a password first. */
export function onTurnedAway(act: (error: ApiError) => void): void {
  turnAway = act;
}

const watch = (error: unknown): void => {
  if (!(error instanceof ApiError)) return;
  if (error.code === "not_signed_in" || error.code === "password_change_required") turnAway(error);
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: watch }),
  mutationCache: new MutationCache({ onError: watch }),
  defaultOptions: {
    mutations: { networkMode: NETWORK_MODE },
    queries: {
      networkMode: NETWORK_MODE,
      staleTime: FRESH_MS,
      // The gateway would refuse the request again; a request that did not reach it may reach it now.
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.status >= 502),
    },
  },
});
