import type { UseQueryResult } from "@tanstack/react-query";
import type { Offered, QueryOf, RowOf } from "./operations.ts";
import { useSearch } from "./search.ts";
import { type ReadOptions, useReadAny } from "./use-read.ts";

/** The response of the console's lists: a page, and the mark of the next. */
export interface ListAnswer<Row> {
  readonly data: readonly Row[];
  readonly next: string | null;
}

/** A page of a list, which Table shows with its states and its way on. */
export interface List<Row> {
  readonly query: UseQueryResult<ListAnswer<Row>>;
  /** The name of the search value that says where the page begins. */
  readonly cursor: string;
}

/** Rows of a list from where the URL says (`?after=`): ``useList(`/accounts/${account}/keys`, { state })``. */
export function useList<const Path extends string>(
  path: Path & Offered<Path, "get">,
  query?: QueryOf<Path>,
  { cursor = "after", ...options }: ReadOptions & { readonly cursor?: string } = {},
): List<RowOf<Path>> {
  const [search] = useSearch();
  const given = { limit: 50, ...query, after: search[cursor] };
  return { query: useReadAny(path, given, options), cursor };
}
