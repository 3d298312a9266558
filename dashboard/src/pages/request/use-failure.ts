import type { UseQueryResult } from "@tanstack/react-query";
import type { FailedRequestRow } from "../../../../src/console/failed-requests/contract.ts";
import type { RequestDetail } from "../../../../src/console/requests/contract.ts";
import { useRead } from "../../api/use-read.ts";

interface Asked {
  readonly account: string;
  /** Its id, or that of its task. */
  readonly request: string;
  readonly query: UseQueryResult<RequestDetail>;
}

/** What the caller of a request without success was told; asked once it is known that the request has none. */
export function useFailure({ account, request, query }: Asked): {
  readonly row: FailedRequestRow | undefined;
  readonly isLoading: boolean;
} {
  const id = query.data?.receipt.request_id ?? request;
  const failed = query.data?.request?.failed === true || query.data?.request?.error_code != null;
  const enabled = query.isError || failed;
  const found = useRead(`/accounts/${account}/failed-requests`, { request: id, limit: 1 }, { enabled });
  // Until it is there, the row of the request that was looked at before stands in its place.
  const row = found.data?.data.find(({ request_id }) => enabled && request_id === id);
  return { row, isLoading: query.isError && (found.isLoading || found.isPlaceholderData) };
}
