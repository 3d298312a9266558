import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type Query, readAny } from "./client.ts";
import type { Offered, QueryOf, ResponseOf } from "./operations.ts";

export interface ReadOptions {
  /** Ask again while the page is looked at. */
  readonly everyMs?: number;
  /** False: not yet, as a value of the path is still missing. */
  readonly enabled?: boolean;
}

/** Reads from the console's API: ``useRead(`/accounts/${account}/keys`, { limit: 20 })``. */
export function useRead<const Path extends string>(
  path: Path & Offered<Path, "get">,
  query?: QueryOf<Path>,
  options?: ReadOptions,
): UseQueryResult<ResponseOf<Path, "get">> {
  return useReadAny(path, query, options);
}

/** Does what `useRead` does, with a path that only the calling part knows. */
export function useReadAny<Answer>(
  path: string,
  query: Query = {},
  { everyMs, enabled = true }: ReadOptions = {},
): UseQueryResult<Answer> {
  return useQuery({
    queryKey: ["read", path, query],
    queryFn: ({ signal }) => readAny<Answer>(path, query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: everyMs ?? false,
    enabled,
  });
}
