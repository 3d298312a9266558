import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";

/** How long an answer counts as fresh: going back and forth between pages asks nothing twice. */
const FRESH_MS = 10_000;

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
    queries: {
      staleTime: FRESH_MS,
      // What the gateway refuses it refuses again; what did not reach it may reach it now.
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.status >= 502),
    },
  },
});
