import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type Query, read } from "./client.ts";

export interface ReadOptions {
  /** Ask again while the page is looked at. */
  readonly everyMs?: number;
  /** False: not yet, as a value of the path is still missing. */
  readonly enabled?: boolean;
}

/** What the console's API answers: `useRead<KeyList>(`/accounts/${account}/keys`, { limit: 20 })`. */
export function useRead<Answer>(
  path: string,
  query: Query = {},
  { everyMs, enabled = true }: ReadOptions = {},
): UseQueryResult<Answer> {
  return useQuery({
    queryKey: ["read", path, query],
    queryFn: ({ signal }) => read<Answer>(path, query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: everyMs ?? false,
    enabled,
  });
}
