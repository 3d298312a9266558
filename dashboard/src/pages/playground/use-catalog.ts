import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { readPublic } from "./public-api.ts";

/** A model as GET /v1/models lists it. */
export interface ListedModel {
  readonly id: string;
  readonly supported_endpoint_types: readonly string[];
}

/** A model of images or videos as GET /v1/capabilities describes it. */
export interface Capability {
  readonly id: string;
  readonly family: string;
  readonly medium: "image" | "video";
  readonly submit: string;
  /** JSON Schema. */
  readonly request: unknown;
}

/** The models that the account may call now, with the endpoints that serve them. */
export function useModels(account: string): UseQueryResult<readonly ListedModel[]> {
  return usePublicList<ListedModel>(account, "/v1/models");
}

/** What each of the account's models of images and videos takes. */
export function useCapabilities(account: string): UseQueryResult<readonly Capability[]> {
  return usePublicList<Capability>(account, "/v1/capabilities");
}

function usePublicList<Item>(account: string, path: string): UseQueryResult<readonly Item[]> {
  return useQuery({
    queryKey: ["public", account, path],
    queryFn: async ({ signal }) =>
      (await readPublic<{ data: readonly Item[] }>(account, path, { signal })).data,
    staleTime: 60_000,
  });
}
