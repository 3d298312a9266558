import { type ConversationKey, distance, luck, type Seed, seedOf } from "./conversation.ts";
import type { Health, HealthSite } from "./health/health.ts";

/**
 * How gladly a place is asked, the lowest first: 0 = ready, 1 = coming back and not its turn, 2 = cooling, or it failed this kind
 * of request a moment ago, 3 = open to nobody with another choice, 4 = closed to this account. A grade counts more than a
 * priority: before any of a lower grade come all that are well.
 */
export type Grade = 0 | 1 | 2 | 3 | 4;

/** Who asks, and by which key its place is drawn. */
export interface Asking {
  readonly account: bigint;
  /** Absent = a place that comes back counts as ready. */
  readonly key?: ConversationKey;
}

export function gradeOf(health: Health, seed: Seed, { account, key }: Asking, nowMs: number): Grade {
  const access = health.access(account, nowMs);
  if (access === "closed") return 4;
  if (access === "last") return 3;
  if (health.cooling(nowMs)) return 2;
  const share = health.share(account, nowMs);
  // A conversation that has come back stays, as the share only grows.
  return key === undefined || share === 1 || luck(key, seed) < share ? 0 : 1;
}

/** A credential's part of its upstream's weight. By what is configured: by what is in service, each change would move conversations of all other upstreams too. */
export function weightOf({ upstream }: HealthSite): number {
  return upstream.weight / upstream.configuredCredentials;
}

export interface PlaceChoice<Site extends HealthSite> {
  readonly asking: Required<Asking>;
  readonly nowMs: number;
  readonly healthOf: (site: Site) => Health;
  /** It failed a moment ago in a way that its health does not tell: it is asked as one that cools. */
  readonly isSetBack: (site: Site) => boolean;
}

/**
 * Of few places the one to ask next: of the best grade, of the lowest priority number, the nearest to the key. For a text request of
 * no conversation the candidate iterator comes to the same on a route that was worked out ahead; here closed places are asked too, after all others.
 */
export function choosePlace<Site extends HealthSite>(
  sites: readonly Site[],
  { asking, nowMs, healthOf, isSetBack }: PlaceChoice<Site>,
): Site | undefined {
  let found: Site | undefined;
  let best: readonly number[] = [];
  for (const site of sites) {
    const seed = seedOfSite(site);
    const grade = gradeOf(healthOf(site), seed, asking, nowMs);
    const rank = [
      isSetBack(site) ? Math.max(grade, 2) : grade,
      site.upstream.priority,
      distance(asking.key, seed, weightOf(site)),
    ];
    if (found === undefined || isBefore(rank, best)) [found, best] = [site, rank];
  }
  return found;
}

export function seedOfSite({ upstream, credential }: HealthSite): Seed {
  return seedOf({ upstreamId: upstream.id, credentialId: credential.id });
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
}
