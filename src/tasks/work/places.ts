import type { Upstream } from "../../catalog/catalog.ts";
import type { HealthTarget } from "../../routing/health/health.ts";
import type { TaskApi } from "../../upstreams/task-apis/task-api.ts";
import type { Cooling, TaskPlace } from "../store/task-store.ts";

/** A place with all that is needed to call it; routing knows how it does. */
export interface TaskCandidate extends HealthTarget {
  readonly api: TaskApi;
  readonly place: TaskPlace;
}

/** Every place that could make tasks of a model: upstreams that have it and speak a task API, by credential. */
export function placesOf(
  upstreams: readonly Upstream[],
  model: string,
  apiOf: (upstream: Upstream) => TaskApi | undefined,
): readonly TaskCandidate[] {
  return upstreams.flatMap((upstream) => {
    const api = apiOf(upstream);
    const name = upstream.models.get(model);
    if (api === undefined || name === undefined) return [];
    return upstream.credentials.map((credential) => ({
      upstream,
      credential,
      api,
      model: name,
      place: {
        upstreamId: upstream.id,
        upstreamName: upstream.name,
        credentialId: credential.id,
        model: name,
      },
    }));
  });
}

/** How long until the place may be asked, 0 = now. */
export function coolingMs(place: TaskPlace, coolings: readonly Cooling[]): number {
  const found = coolings.find(
    ({ upstreamId, credentialId, model }) =>
      upstreamId === place.upstreamId && credentialId === place.credentialId && model === place.model,
  );
  return found?.leftMs ?? 0;
}
