import type { Origin } from "../conversation/state/opaque.ts";
import { GatewayError } from "../errors.ts";
import type { Candidate } from "../upstreams/call.ts";
import type { PlaceReason } from "../usage/usage.ts";
import { type Asking, GRADE, type Grade, gradeOf } from "./choose.ts";
import { type ConversationKey, chanceKey, distance, type Place } from "./conversation.ts";
import { isCrowded } from "./load.ts";
import type { CandidateOrder, CredentialTarget, Pin, Route, Tier, UpstreamTarget } from "./routes.ts";

/** A third failure says that the request, not the place, is the matter. */
const MAX_ATTEMPTS = 3;

/** A full upstream frees a place within about one response. */
const BUSY_RETRY_SECONDS = 2;

/** As long as a conversation waits for its own crowded place before it goes to its second one. */
const CROWDED_WAIT_MS = 250;

export interface CandidateIteratorDeps {
  readonly nowMs: () => number;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  readonly inFlight: (upstreamId: bigint) => number;
}

interface Choice {
  readonly upstreamTarget: UpstreamTarget;
  readonly target: CredentialTarget;
}

/** All but those that are closed to the account. */
const GRADES: readonly Grade[] = [GRADE.ready, GRADE.recovering, GRADE.cooling, GRADE.lastResort];

/** Candidates for one request, in the order to try them. Each is chosen when it is asked for. */
export interface Candidates extends Iterable<Candidate> {
  next(): IteratorResult<Candidate, undefined>;
  /** Why there was no candidate, for a request that got none. */
  refusal(): GatewayError;
  /** Resolves when the conversation's own place has room, at the latest after 250 ms; undefined = it has. */
  room(): Promise<void> | undefined;
  /** Where the conversation belongs while nothing is wrong anywhere; undefined = it is no conversation, or nowhere. */
  home(): Candidate | undefined;
  /** Why the candidate asked last was chosen. */
  reason(): PlaceReason;
  /** The candidate asked last has refused the state that the request carries: no other of its signer is asked. */
  refusedState(): void;
  /** The conversation is found to be at that place: it is asked next, even if its signer has just refused. */
  foundAt(place: Place): void;
  /** The last that refused it, to be asked once more without; reported like any other. */
  again(): Candidate | undefined;
  /** The one asked last, to be asked the same in another form; reported like any other. */
  anew(): void;
}

/**
 * Chooses the candidates of one request, each when it is needed, so that a choice knows how the attempt before it ended.
 * Places that are full or closed to the account are skipped. The others are tried by `GRADE`, the best first. Within a grade:
 * 1. the issuer of the request's state, if it has the first tier's priority;
 * 2. the place that the conversation has moved to;
 * 3. tier by tier, the lowest priority number first: the issuer again, then the places in the conversation's own order, a
 *    crowded one after the others.
 */
export class CandidateIterator implements Candidates, Iterator<Candidate> {
  readonly #route: Route;
  readonly #account: bigint;
  readonly #asking: Asking;
  readonly #pins: CandidateOrder["pins"];
  readonly #issuer: CandidateOrder["issuer"];
  readonly #key: ConversationKey;
  #moved: Place | undefined;
  readonly #deps: CandidateIteratorDeps;
  #attempts = 0;
  #last: Choice | undefined;
  #passed: Set<UpstreamTarget | CredentialTarget> | undefined;
  #isStateRefused = false;
  #isFound = false;
  #reason: PlaceReason = "failover";
  #nearestOfAll: CredentialTarget | undefined;
  #refuser: CredentialTarget | undefined;

  constructor(
    route: Route,
    { account, pins, issuer, conversation, moved }: CandidateOrder,
    deps: CandidateIteratorDeps,
  ) {
    this.#route = route;
    this.#account = account;
    this.#pins = pins;
    this.#issuer = issuer;
    this.#key = conversation ?? chanceKey(deps.random);
    this.#asking = { account, key: this.#key };
    this.#moved = moved;
    this.#deps = deps;
  }

  [Symbol.iterator](): Iterator<Candidate> {
    return this;
  }

  next(): IteratorResult<Candidate, undefined> {
    const target = this.#choose();
    return target === undefined ? { done: true, value: undefined } : { done: false, value: target.candidate };
  }

  refusal(): GatewayError {
    const nowMs = this.#deps.nowMs();
    let full = false;
    let waitMs = Number.POSITIVE_INFINITY;
    for (const upstreamTarget of this.#route.flat()) {
      if (this.#full(upstreamTarget)) full = true;
      for (const { health } of upstreamTarget.targets)
        waitMs = Math.min(waitMs, health.waitMs(this.#account, nowMs));
    }
    if (full) {
      return new GatewayError(
        "no_available_upstream",
        "All upstreams of this model are busy. Try again shortly.",
        {
          retryAfterSeconds: BUSY_RETRY_SECONDS,
        },
      );
    }
    return new GatewayError(
      "no_available_upstream",
      "No upstream of this model is available right now. Try again shortly.",
      { retryAfterSeconds: Math.max(1, Math.min(30, Math.ceil(waitMs / 1_000))) },
    );
  }

  room(): Promise<void> | undefined {
    const [tier] = this.#route;
    if (tier === undefined || tier.length === 0 || this.#key.id === "" || this.#pins || this.#moved) return;
    const nowMs = this.#deps.nowMs();
    if (this.#issuing(tier, nowMs, GRADE.ready) !== undefined) return;
    const own = this.#nearest(tier, nowMs, GRADE.ready, false);
    return own !== undefined && this.#crowded(own.target, tier)
      ? own.target.load.wait(CROWDED_WAIT_MS)
      : undefined;
  }

  home(): Candidate | undefined {
    return this.#key.id === "" ? undefined : this.#own()?.candidate;
  }

  reason(): PlaceReason {
    return this.#reason;
  }

  /** Where the request goes while nothing is wrong anywhere; worked out once. */
  #own(): CredentialTarget | undefined {
    if (this.#nearestOfAll !== undefined) return this.#nearestOfAll;
    let least = Number.POSITIVE_INFINITY;
    for (const { targets } of this.#route[0] ?? []) {
      for (const target of targets) {
        const far = distance(this.#key, target.seed, target.weight);
        if (far < least) [this.#nearestOfAll, least] = [target, far];
      }
    }
    return this.#nearestOfAll;
  }

  #reasonFor(target: CredentialTarget, isFirst: boolean): PlaceReason {
    if (this.#pins !== undefined) return "pinned";
    if (isFirst && this.#issuer !== undefined && issues(target, this.#issuer)) return "state";
    if (isFirst && target === this.#own()) return this.#key.id === "" ? "first_choice" : "affinity";
    return isAt(target, this.#moved) ? "moved" : "failover";
  }

  refusedState(): void {
    this.#isStateRefused = true;
    this.#refuser = this.#last?.target;
  }

  foundAt(place: Place): void {
    this.#moved = place;
    this.#isFound = true;
  }

  again(): Candidate | undefined {
    this.#reason = "failover";
    this.#refuser?.load.take();
    return this.#refuser?.candidate;
  }

  anew(): void {
    this.#last?.target.load.take();
  }

  #choose(): CredentialTarget | undefined {
    if (this.#attempts === MAX_ATTEMPTS) return undefined;
    const nowMs = this.#deps.nowMs();
    const failed = this.#last;
    // A refusal costs its upstream next to nothing, so that no budget need bound what follows it.
    const isPaid = failed === undefined || this.#isStateRefused;
    if (failed !== undefined) this.#pass(failed, nowMs);
    this.#isStateRefused = false;
    this.#isFound = false;
    const found = this.#pins ? this.#pinned(this.#pins, nowMs) : this.#search(nowMs);
    // Going on is paid for by the upstream that failed.
    if (found === undefined || (!isPaid && !failed.upstreamTarget.budget.spend(this.#account)))
      return undefined;
    const { upstreamTarget, target } = found;
    if (failed === undefined) upstreamTarget.budget.earn(this.#account);
    target.load.take();
    target.health.claim(this.#account, nowMs);
    this.#attempts += 1;
    this.#reason = this.#reasonFor(target, failed === undefined);
    this.#last = found;
    return target;
  }

  /** Not there again. Where the credential was the matter, another one of the same upstream may do. */
  #pass({ upstreamTarget, target }: Choice, nowMs: number): void {
    this.#passed ??= new Set();
    if (this.#isStateRefused) {
      for (const other of this.#route.flat().flatMap(({ targets }) => targets))
        if (isSameSigner(other.candidate, target.candidate) && !(this.#isFound && isAt(other, this.#moved)))
          this.#passed.add(other);
      return;
    }
    this.#passed.add(target.health.cooling(nowMs) ? target : upstreamTarget);
  }

  /** The best grade that any tier offers, of its tiers the first. */
  #search(nowMs: number): Choice | undefined {
    const [first] = this.#route;
    for (const grade of GRADES) {
      const staying = first && (this.#issuing(first, nowMs, grade) ?? this.#staying(nowMs, grade));
      if (staying !== undefined) return staying;
      for (const tier of this.#route) {
        const found =
          this.#issuing(tier, nowMs, grade) ??
          this.#nearest(tier, nowMs, grade, true) ??
          this.#nearest(tier, nowMs, grade, false);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** The issuer of the request's state, if it has the tier's priority; without that state nothing is forwarded anyhow. */
  #issuing([first]: Tier, nowMs: number, grade: Grade): Choice | undefined {
    if (this.#issuer === undefined) return undefined;
    let found: Choice | undefined;
    for (const upstreamTarget of this.#route.flat()) {
      if (upstreamTarget.upstream.priority !== first?.upstream.priority || !this.#mayAsk(upstreamTarget))
        continue;
      for (const target of upstreamTarget.targets) {
        if (this.#gradeIn(target, nowMs) !== grade || !issues(target, this.#issuer)) continue;
        if (String(target.candidate.credential.id) === this.#issuer.credential)
          return { upstreamTarget, target };
        found ??= { upstreamTarget, target };
      }
    }
    return found;
  }

  /** Where the conversation has moved to. */
  #staying(nowMs: number, grade: Grade): Choice | undefined {
    const moved = this.#moved;
    if (moved === undefined) return undefined;
    for (const upstreamTarget of this.#route.flat()) {
      if (upstreamTarget.upstream.id !== moved.upstreamId || !this.#mayAsk(upstreamTarget)) continue;
      const target = upstreamTarget.targets.find((each) => isAt(each, moved));
      if (target !== undefined && this.#gradeIn(target, nowMs) === grade) return { upstreamTarget, target };
    }
    return undefined;
  }

  /** Of the tier's places of this grade the conversation's own. */
  #nearest(tier: Tier, nowMs: number, grade: Grade, mindsCrowds: boolean): Choice | undefined {
    let found: Choice | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const upstreamTarget of tier) {
      if (!this.#mayAsk(upstreamTarget)) continue;
      for (const target of upstreamTarget.targets) {
        if (this.#gradeIn(target, nowMs) !== grade) continue;
        const far = distance(this.#key, target.seed, target.weight);
        if (far >= least || (mindsCrowds && this.#crowded(target, tier))) continue;
        found = { upstreamTarget, target };
        least = far;
      }
    }
    return found;
  }

  #crowded(target: CredentialTarget, tier: Tier): boolean {
    let weight = 0;
    let running = 0;
    for (const { targets } of tier) {
      for (const each of targets) {
        weight += each.weight;
        running += each.load.running;
      }
    }
    return isCrowded(target.load, target.weight / weight, running);
  }

  #mayAsk(upstreamTarget: UpstreamTarget): boolean {
    return this.#passed?.has(upstreamTarget) !== true && !this.#full(upstreamTarget);
  }

  /** Undefined where it has been passed by. */
  #gradeIn(target: CredentialTarget, nowMs: number): Grade | undefined {
    if (this.#passed?.has(target) === true) return undefined;
    return gradeOf(target.health, target.seed, this.#asking, nowMs);
  }

  /** Only where it is kept what the request refers to; a cooling credential too, since no other can answer. */
  #pinned(pins: readonly Pin[], nowMs: number): Choice | undefined {
    for (const upstreamTarget of this.#route.flat()) {
      const pin = pins.find(({ upstreamId }) => upstreamId === upstreamTarget.upstream.id);
      if (pin === undefined || this.#passed?.has(upstreamTarget) || this.#full(upstreamTarget)) continue;
      if (pin.credentialId === null) {
        for (const grade of GRADES) {
          const found =
            this.#nearest([upstreamTarget], nowMs, grade, true) ??
            this.#nearest([upstreamTarget], nowMs, grade, false);
          if (found !== undefined) return found;
        }
        continue;
      }
      const target = upstreamTarget.targets.find(
        ({ candidate }) => candidate.credential.id === pin.credentialId,
      );
      if (target === undefined || this.#passed?.has(target)) continue;
      if (target.health.access(this.#account, nowMs) !== "closed") return { upstreamTarget, target };
    }
    return undefined;
  }

  #full({ upstream }: UpstreamTarget): boolean {
    return this.#deps.inFlight(upstream.id) >= upstream.maxConcurrency;
  }
}

function isAt({ candidate: { upstream, credential } }: CredentialTarget, place: Place | undefined): boolean {
  return upstream.id === place?.upstreamId && credential.id === place.credentialId;
}

/** State names its upstream, and since it also names the credential, that one and all of its signer. */
function issues({ candidate }: CredentialTarget, issuer: Origin): boolean {
  const { upstream, model, protocol } = candidate;
  return upstream.name === issuer.upstream && model === issuer.model && protocol === issuer.protocol;
}

type SignedPlace = Pick<Candidate, "credential" | "upstream">;

/** Whether what was signed for one is valid at the other. */
export function isSameSigner(one: SignedPlace, other: SignedPlace): boolean {
  if (one.credential.id === other.credential.id) return true;
  return one.upstream.signer !== null && one.upstream.signer === other.upstream.signer;
}
