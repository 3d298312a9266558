import type { Upstream } from "../../catalog/catalog.ts";
import type { HealthTarget } from "../../routing/health/health.ts";
import type { TaskApi } from "../../upstreams/task-apis/task-api.ts";
import type { Cooling, TaskPlace } from "../store/task-store.ts";

/** A place with everything that is needed to call it, and the health that routing knows of it. */
export interface TaskCandidate extends HealthTarget {
  readonly api: TaskApi;
  readonly place: TaskPlace;
}

/**
 * Returns all places that can make tasks of a model, one for each credential of upstreams that have it and offer a task
 * API.
 */
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

/** Returns the time until the place may be asked; 0 = now. */
export function coolingMs(place: TaskPlace, coolings: readonly Cooling[]): number {
  const found = coolings.find(
    ({ upstreamId, credentialId, model }) =>
      upstreamId === place.upstreamId && credentialId === place.credentialId && model === place.model,
  );
  return found?.leftMs ?? 0;
}
