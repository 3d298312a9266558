import type { Upstream } from "../catalog/catalog.ts";
import type { ProtocolName } from "../conversation/protocol-name.ts";
import { type Condition, conditionOf } from "./condition.ts";
import type { Route } from "./routes.ts";

/** An upstream on the way to a model, as a person looks at it. */
export interface InspectedUpstream {
  /** Counts from 1: upstreams of one tier share the requests by weight, the next is asked when none of them can. */
  readonly tier: number;
  readonly upstream: Upstream;
  /** What the upstream calls the model. */
  readonly model: string;
  /** The protocol in which it is asked. */
  readonly protocol: ProtocolName;
  /** It has as many requests running as it may, in this process. */
  readonly full: boolean;
  readonly credentials: readonly CredentialCondition[];
}

export interface CredentialCondition extends Condition {
  readonly id: bigint;
  readonly name: string;
}

/** Describes a route without choosing anything on it. */
export function inspectRoute(
  route: Route,
  { nowMs, inFlight }: { readonly nowMs: number; readonly inFlight: (upstreamId: bigint) => number },
): InspectedUpstream[] {
  return route.flatMap((tier, index) =>
    tier.flatMap(({ upstream, targets }) => {
      const [first] = targets;
      if (first === undefined) return [];
      return [
        {
          ...{ tier: index + 1, upstream, full: inFlight(upstream.id) >= upstream.maxConcurrency },
          ...{ model: first.candidate.model, protocol: first.candidate.protocol },
          credentials: targets.map(({ candidate, health }) => ({
            ...{ id: candidate.credential.id, name: candidate.credential.name },
            ...conditionOf(health, nowMs),
          })),
        },
      ];
    }),
  );
}
