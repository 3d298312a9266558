import type { Origin } from "../conversation/opaque.ts";
import { GatewayError } from "../errors.ts";
import type { Candidate } from "../upstreams/call.ts";
import type { Route, RouteOrder, Station, Stop, Tier } from "./routes.ts";

/** A third failure says that the request, not the place, is the matter. */
const MAX_ATTEMPTS = 3;

/** A full upstream frees a place within about one answer. */
const BUSY_RETRY_SECONDS = 2;

export interface WalkDeps {
  readonly nowMs: () => number;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  readonly inFlight: (upstreamId: bigint) => number;
}

interface Choice {
  readonly station: Station;
  readonly stop: Stop;
}

/** Candidates for one request, in the order to try them. Each is chosen when it is asked for. */
export interface Candidates extends Iterable<Candidate> {
  /** Why there was no candidate, for a request that got none. */
  refusal(): GatewayError;
}

/**
 * One request's way along its route. Lower priority numbers first, within one the minter of the request's
 * state, then by weight; what is full or whose breaker is open is passed by; credentials that cool down
 * come last. It chooses late, so that each choice knows how the attempt before it ended.
 */
export class Walk implements Candidates, Iterator<Candidate> {
  readonly #route: Route;
  readonly #pin: RouteOrder["pin"];
  readonly #minter: RouteOrder["minter"];
  readonly #deps: WalkDeps;
  #attempts = 0;
  #last: Choice | undefined;
  #passed: Set<Station | Stop> | undefined;

  constructor(route: Route, { pin, minter }: RouteOrder, deps: WalkDeps) {
    this.#route = route;
    this.#pin = pin;
    this.#minter = minter;
    this.#deps = deps;
  }

  [Symbol.iterator](): Iterator<Candidate> {
    return this;
  }

  next(): IteratorResult<Candidate, undefined> {
    const stop = this.#choose();
    return stop === undefined ? { done: true, value: undefined } : { done: false, value: stop.candidate };
  }

  refusal(): GatewayError {
    const nowMs = this.#deps.nowMs();
    let full = false;
    let waitMs = Number.POSITIVE_INFINITY;
    for (const station of this.#route.flat()) {
      if (this.#full(station)) full = true;
      for (const { health } of station.stops) waitMs = Math.min(waitMs, health.waitMs(nowMs));
    }
    if (full) {
      return new GatewayError(
        "no_available_upstream",
        "Every upstream of this model is busy; try again shortly.",
        {
          retryAfterSeconds: BUSY_RETRY_SECONDS,
        },
      );
    }
    return new GatewayError(
      "no_available_upstream",
      "No upstream of this model can take a request now; try again shortly.",
      { retryAfterSeconds: Math.max(1, Math.min(30, Math.ceil(waitMs / 1_000))) },
    );
  }

  #choose(): Stop | undefined {
    if (this.#attempts === MAX_ATTEMPTS) return undefined;
    const nowMs = this.#deps.nowMs();
    const failed = this.#last;
    if (failed !== undefined) this.#pass(failed, nowMs);
    const found = this.#pin
      ? this.#pinned(this.#pin, nowMs)
      : (this.#search(nowMs, false) ?? this.#search(nowMs, true));
    // Going on is paid for by the upstream that failed.
    if (found === undefined || (failed !== undefined && !failed.station.budget.spend())) return undefined;
    const { station, stop } = found;
    if (failed === undefined) station.budget.earn();
    station.turn = (station.stops.indexOf(stop) + 1) % station.stops.length;
    stop.health.claim(nowMs);
    this.#attempts += 1;
    this.#last = found;
    return stop;
  }

  /** Not there again. Where the credential was the matter, another one of the same upstream may do. */
  #pass({ station, stop }: Choice, nowMs: number): void {
    this.#passed ??= new Set();
    this.#passed.add(stop.health.cooling(nowMs) ? stop : station);
  }

  /** The best tier that has anything to offer; cooling credentials only when asked for. */
  #search(nowMs: number, cooling: boolean): Choice | undefined {
    for (const tier of this.#route) {
      const found = this.#minting(tier, nowMs, cooling) ?? this.#draw(tier, nowMs, cooling);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The minter of the request's state, if it has the tier's priority; without that state nothing is forwarded anyhow. */
  #minting([first]: Tier, nowMs: number, cooling: boolean): Choice | undefined {
    if (this.#minter === undefined) return undefined;
    for (const station of this.#route.flat()) {
      if (station.upstream.priority !== first?.upstream.priority) continue;
      const stop = this.#offer(station, nowMs, cooling);
      if (stop !== undefined && mints(stop, this.#minter)) return { station, stop };
    }
    return undefined;
  }

  /** Draws one station of a tier by weight, among those that have a credential to offer. */
  #draw(tier: Tier, nowMs: number, cooling: boolean): Choice | undefined {
    let total = 0;
    for (const station of tier) {
      if (this.#offer(station, nowMs, cooling) !== undefined) total += station.upstream.weight;
    }
    if (total === 0) return undefined;
    let left = this.#deps.random() * total;
    let found: Choice | undefined;
    for (const station of tier) {
      const stop = this.#offer(station, nowMs, cooling);
      if (stop === undefined) continue;
      found = { station, stop };
      left -= station.upstream.weight;
      if (left < 0) break;
    }
    return found;
  }

  /** The credential whose turn it is, of those that may be used. */
  #offer(station: Station, nowMs: number, cooling: boolean): Stop | undefined {
    if (this.#passed?.has(station) || this.#full(station)) return undefined;
    const { stops, turn } = station;
    for (let step = 0; step < stops.length; step += 1) {
      const stop = stops[(turn + step) % stops.length];
      if (stop === undefined || this.#passed?.has(stop)) continue;
      if (stop.health.allows(nowMs) && stop.health.cooling(nowMs) === cooling) return stop;
    }
    return undefined;
  }

  /** Only where the stored response is; a cooling credential too, since no other can answer. */
  #pinned(pin: NonNullable<RouteOrder["pin"]>, nowMs: number): Choice | undefined {
    for (const station of this.#route.flat()) {
      if (station.upstream.id !== pin.upstreamId || this.#passed?.has(station) || this.#full(station))
        continue;
      const stop = station.stops.find(({ candidate }) => candidate.credential.id === pin.credentialId);
      if (stop?.health.allows(nowMs) && !this.#passed?.has(stop)) return { station, stop };
    }
    return undefined;
  }

  #full({ upstream }: Station): boolean {
    return this.#deps.inFlight(upstream.id) >= upstream.maxConcurrency;
  }
}

function mints({ candidate }: Stop, minter: Origin): boolean {
  const { upstream, model, protocol } = candidate;
  return upstream.name === minter.upstream && model === minter.model && protocol === minter.protocol;
}
