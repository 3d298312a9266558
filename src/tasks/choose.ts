import type { Credential, Upstream } from "../catalog/catalog.ts";
import type { HealthSite } from "../routing/routes.ts";
import type { TaskApi } from "../upstreams/task-apis/task-api.ts";
import type { Cooling, TaskPlace } from "./task-store.ts";

/** A place with all that is needed to call it. */
export interface TaskCandidate {
  readonly upstream: Upstream;
  readonly credential: Credential;
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
      place: {
        upstreamId: upstream.id,
        upstreamName: upstream.name,
        credentialId: credential.id,
        model: name,
      },
    }));
  });
}

/** The place as routing knows it. */
export function siteOf({ upstream, credential, place }: TaskCandidate): HealthSite {
  return { upstream, credential, model: place.model };
}

/** How long until the place may be asked, 0 = now. */
export function coolingMs(place: TaskPlace, coolings: readonly Cooling[]): number {
  const found = coolings.find(
    ({ upstreamId, credentialId, model }) =>
      upstreamId === place.upstreamId && credentialId === place.credentialId && model === place.model,
  );
  return found?.leftMs ?? 0;
}

/**
 * Draws the next place: the lowest priority number first, within it an upstream by weight, of its credentials
 * any. A higher `rank` puts a place behind all others (a fault a moment ago).
 */
export function choose(
  places: readonly TaskCandidate[],
  rank: (candidate: TaskCandidate) => number,
  random: () => number,
): TaskCandidate | undefined {
  const keyOf = (each: TaskCandidate): [number, number] => [rank(each), each.upstream.priority];
  const best = places.map(keyOf).sort(([a, b], [c, d]) => a - c || b - d)[0];
  if (best === undefined) return undefined;
  const front = places.filter((each) => {
    const [ranked, priority] = keyOf(each);
    return ranked === best[0] && priority === best[1];
  });
  // An upstream's share does not grow with the number of its credentials.
  const share = ({ upstream }: TaskCandidate): number =>
    upstream.weight / front.filter((each) => each.upstream.id === upstream.id).length;
  let left = random() * front.reduce((sum, each) => sum + share(each), 0);
  return (
    front.find((each) => {
      left -= share(each);
      return left < 0;
    }) ?? front.at(-1)
  );
}
