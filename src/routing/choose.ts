import { type ConversationKey, distance, drawnShare, type Seed, seedOf } from "./conversation.ts";
import type { Health, HealthTarget } from "./health/health.ts";

/** How well a place can serve a request; those with the lowest grade are asked first, whatever their priority. */
export const GRADE = {
  ready: 0,
  /** It is coming back, and this request is not among its share. */
  recovering: 1,
  /** It cools down, or has just failed this kind of request. */
  cooling: 2,
  /** It is asked only if there is no other choice. */
  lastResort: 3,
  /** Closed to this account. */
  closed: 4,
} as const;

export type Grade = (typeof GRADE)[keyof typeof GRADE];

/** The account of a request, and the key by which its place is drawn. */
export interface RoutingKey {
  readonly account: bigint;
  /** Absent = a place that comes back counts as ready. */
  readonly key?: ConversationKey;
}

export function gradeOf(health: Health, seed: Seed, { account, key }: RoutingKey, nowMs: number): Grade {
  const access = health.access(account, nowMs);
  if (access === "closed") return GRADE.closed;
  if (access === "last") return GRADE.lastResort;
  if (health.cooling(nowMs)) return GRADE.cooling;
  const share = health.share(account, nowMs);
  // A conversation that has come back stays, as the share only grows.
  return key === undefined || share === 1 || drawnShare(key, seed) < share ? GRADE.ready : GRADE.recovering;
}

/** A credential's part of its upstream's weight. By what is configured: by what is in service, each change would move conversations of all other upstreams too. */
export function weightOf({ upstream }: HealthTarget): number {
  return upstream.weight / upstream.configuredCredentials;
}

export interface PlaceChoice<Site extends HealthTarget> {
  readonly routingKey: Required<RoutingKey>;
  readonly nowMs: number;
  readonly healthOf: (site: Site) => Health;
  /** It failed a moment ago in a way that its health does not tell: it is asked as one that cools. */
  readonly isDeprioritized: (site: Site) => boolean;
}

/**
 * Chooses the next of a few places: of the best grade, the lowest priority number, the nearest to the key. The candidate
 * iterator gives the same choice for a text request without a conversation, on a route computed ahead; here closed places are
 * tried too, after all others.
 */
export function choosePlace<Site extends HealthTarget>(
  sites: readonly Site[],
  { routingKey, nowMs, healthOf, isDeprioritized }: PlaceChoice<Site>,
): Site | undefined {
  let found: Site | undefined;
  let best: readonly number[] = [];
  for (const site of sites) {
    const seed = seedOfTarget(site);
    const grade = gradeOf(healthOf(site), seed, routingKey, nowMs);
    const rank = [
      isDeprioritized(site) ? Math.max(grade, GRADE.cooling) : grade,
      site.upstream.priority,
      distance(routingKey.key, seed, weightOf(site)),
    ];
    if (found === undefined || isBefore(rank, best)) [found, best] = [site, rank];
  }
  return found;
}

export function seedOfTarget({ upstream, credential }: HealthTarget): Seed {
  return seedOf({ upstreamId: upstream.id, credentialId: credential.id });
}

/** Compares by the first number that differs. */
export function isBefore(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
}
