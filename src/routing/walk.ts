import type { Origin } from "../conversation/opaque.ts";
import { GatewayError } from "../errors.ts";
import type { Candidate } from "../upstreams/call.ts";
import type { CandidateOrder, Pin, Route, Station, Stop, Tier } from "./routes.ts";

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

/** How gladly a place is asked: ready, coming back and not its turn, cooling, open; undefined = not at all. */
type Grade = 0 | 1 | 2 | 3;
const GRADES: readonly Grade[] = [0, 1, 2, 3];

/** Candidates for one request, in the order to try them. Each is chosen when it is asked for. */
export interface Candidates extends Iterable<Candidate> {
  /** Why there was no candidate, for a request that got none. */
  refusal(): GatewayError;
}

/**
 * One request's way along its route. Lower priority numbers first, within one the minter of the request's
 * state, then by weight; what is full or closed to the account is passed by. Before any of lower grade come all that are well:
 * what comes back has only part of the requests that could go elsewhere, what cools down is asked after that, and what is open
 * to nobody with another choice comes last. It chooses late, so that each choice knows how the attempt before it ended.
 */
export class Walk implements Candidates, Iterator<Candidate> {
  readonly #route: Route;
  readonly #account: bigint;
  readonly #pins: CandidateOrder["pins"];
  readonly #minter: CandidateOrder["minter"];
  readonly #deps: WalkDeps;
  #attempts = 0;
  #last: Choice | undefined;
  #passed: Set<Station | Stop> | undefined;
  /** Drawn once a request, where a place comes back: whether it is among those that go there. */
  #luck: number | undefined;

  constructor(route: Route, { account, pins, minter }: CandidateOrder, deps: WalkDeps) {
    this.#route = route;
    this.#account = account;
    this.#pins = pins;
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
      for (const { health } of station.stops) waitMs = Math.min(waitMs, health.waitMs(this.#account, nowMs));
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
    const found = this.#pins ? this.#pinned(this.#pins, nowMs) : this.#search(nowMs);
    // Going on is paid for by the upstream that failed.
    if (found === undefined || (failed !== undefined && !failed.station.budget.spend(this.#account)))
      return undefined;
    const { station, stop } = found;
    if (failed === undefined) station.budget.earn(this.#account);
    station.turn = (station.stops.indexOf(stop) + 1) % station.stops.length;
    stop.health.claim(this.#account, nowMs);
    this.#attempts += 1;
    this.#last = found;
    return stop;
  }

  /** Not there again. Where the credential was the matter, another one of the same upstream may do. */
  #pass({ station, stop }: Choice, nowMs: number): void {
    this.#passed ??= new Set();
    this.#passed.add(stop.health.cooling(nowMs) ? stop : station);
  }

  /** The best grade that any tier offers, of its tiers the first. */
  #search(nowMs: number): Choice | undefined {
    for (const grade of GRADES) {
      for (const tier of this.#route) {
        const found = this.#minting(tier, nowMs, grade) ?? this.#draw(tier, nowMs, grade);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** The minter of the request's state, if it has the tier's priority; without that state nothing is forwarded anyhow. */
  #minting([first]: Tier, nowMs: number, grade: Grade): Choice | undefined {
    if (this.#minter === undefined) return undefined;
    for (const station of this.#route.flat()) {
      if (station.upstream.priority !== first?.upstream.priority) continue;
      const stop = this.#offer(station, nowMs, grade);
      if (stop !== undefined && mints(stop, this.#minter)) return { station, stop };
    }
    return undefined;
  }

  /** Draws one station of a tier by weight, among those that have a credential to offer. */
  #draw(tier: Tier, nowMs: number, grade: Grade): Choice | undefined {
    let total = 0;
    for (const station of tier) {
      if (this.#offer(station, nowMs, grade) !== undefined) total += station.upstream.weight;
    }
    if (total === 0) return undefined;
    let left = this.#deps.random() * total;
    let found: Choice | undefined;
    for (const station of tier) {
      const stop = this.#offer(station, nowMs, grade);
      if (stop === undefined) continue;
      found = { station, stop };
      left -= station.upstream.weight;
      if (left < 0) break;
    }
    return found;
  }

  /** The credential whose turn it is, of those that may be used. */
  #offer(station: Station, nowMs: number, grade: Grade): Stop | undefined {
    if (this.#passed?.has(station) || this.#full(station)) return undefined;
    const { stops, turn } = station;
    for (let step = 0; step < stops.length; step += 1) {
      const stop = stops[(turn + step) % stops.length];
      if (stop === undefined || this.#passed?.has(stop)) continue;
      if (this.#gradeOf(stop, nowMs) === grade) return stop;
    }
    return undefined;
  }

  #best(station: Station, nowMs: number): Stop | undefined {
    for (const grade of GRADES) {
      const stop = this.#offer(station, nowMs, grade);
      if (stop !== undefined) return stop;
    }
    return undefined;
  }

  #gradeOf({ health }: Stop, nowMs: number): Grade | undefined {
    const access = health.access(this.#account, nowMs);
    if (access === "closed") return undefined;
    if (access === "last") return 3;
    if (health.cooling(nowMs)) return 2;
    const share = health.share(this.#account, nowMs);
    if (share === 1) return 0;
    this.#luck ??= this.#deps.random();
    return this.#luck < share ? 0 : 1;
  }

  /** Only where it is kept what the request refers to; a cooling credential too, since no other can answer. */
  #pinned(pins: readonly Pin[], nowMs: number): Choice | undefined {
    for (const station of this.#route.flat()) {
      const pin = pins.find(({ upstreamId }) => upstreamId === station.upstream.id);
      if (pin === undefined || this.#passed?.has(station) || this.#full(station)) continue;
      if (pin.credentialId === null) {
        const stop = this.#best(station, nowMs);
        if (stop !== undefined) return { station, stop };
        continue;
      }
      const stop = station.stops.find(({ candidate }) => candidate.credential.id === pin.credentialId);
      if (stop === undefined || this.#passed?.has(stop)) continue;
      if (stop.health.access(this.#account, nowMs) !== "closed") return { station, stop };
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
