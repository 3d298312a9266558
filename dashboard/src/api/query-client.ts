import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";

/** How long a response counts as fresh: going back and forth between pages asks nothing twice. */
const FRESH_MS = 10_000;

/**
 * Whatever the browser believes of its network: a gateway on this machine or in this house answers without one, and where
 * it does not, that is said. Otherwise reads and writes wait without a word, and writes are made whenever it is back.
 */
const NETWORK_MODE = "always";

let turnAway: (error: ApiError) => void = () => undefined;

/** What to do with a person whose session is over, or who must choose a password first. */
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
      // What the gateway refuses it refuses again; what did not reach it may reach it now.
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.status >= 502),
    },
  },
});
