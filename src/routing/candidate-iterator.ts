import type { Upstream } from "../catalog/catalog.ts";
import type { Origin } from "../conversation/state/opaque.ts";
import { BUSY_RETRY_SECONDS, GatewayError } from "../errors.ts";
import type { Candidate } from "../upstreams/call.ts";
import type { PlaceReason } from "../usage/usage.ts";
import { GRADE, type Grade, gradeOf, isBefore, type RoutingKey } from "./choose.ts";
import { type ConversationKey, distance, type Place, randomKey } from "./conversation.ts";
import { latencyFactor, quickestOf } from "./latency.ts";
import { isCrowded } from "./load.ts";
import type {
  CandidateOrder,
  CredentialTarget,
  Pin,
  PriorityLevel,
  Route,
  UpstreamTarget,
} from "./routes.ts";

/** After a third failure the request itself is the likely cause. */
const MAX_ATTEMPTS = 3;

/** How long a conversation waits for its crowded preferred place before it takes the next one. */
const CROWDED_WAIT_MS = 250;

export interface CandidateIteratorDeps {
  readonly nowMs: () => number;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  readonly inFlight: (upstreamId: bigint) => number;
  /** Until an upstream at its limit per minute gets requests again; 0 = now. */
  readonly limitedSeconds: (upstream: Upstream) => number;
}

interface Choice {
  readonly upstreamTarget: UpstreamTarget;
  readonly target: CredentialTarget;
}

/** All but those that are closed to the account. */
const GRADES: readonly Grade[] = [GRADE.ready, GRADE.recovering, GRADE.cooling, GRADE.lastResort];

/** Candidates for one request, in the order to try them. Each is chosen when it is needed. */
export interface Candidates extends Iterable<Candidate> {
  next(): IteratorResult<Candidate, undefined>;
  /** The error for a request that got no candidate. */
  unavailableError(): GatewayError;
  /** Resolves when the conversation's preferred place has capacity, at the latest after 250 ms; undefined = it has. */
  waitForCapacity(): Promise<void> | undefined;
  /** The conversation's candidate while all upstreams are healthy; undefined = the request belongs to no conversation, or there is none. */
  preferredCandidate(): Candidate | undefined;
  /** Why the last candidate was chosen. */
  reason(): PlaceReason;
  /** The last candidate refused the state in the request: skips all other candidates of its signer. */
  stateRefused(): void;
  /** The conversation was found at that place, which is tried next, even if its signer has just refused. */
  relocate(place: Place): void;
  /** The candidate that last refused the state, for one attempt without it; reported like any other. */
  retryWithoutState(): Candidate | undefined;
  /** The last candidate's upstream is at its limit: it was not asked, and the next is chosen as if it had never been. */
  passOver(): void;
  /** Counts another attempt at the last candidate, in a different form; reported like any other. */
  retrySame(): void;
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
  readonly #routingKey: RoutingKey;
  readonly #pins: CandidateOrder["pins"];
  readonly #issuer: CandidateOrder["issuer"];
  readonly #key: ConversationKey;
  #moved: Place | undefined;
  readonly #deps: CandidateIteratorDeps;
  #attempts = 0;
  #last: Choice | undefined;
  #excluded: Set<UpstreamTarget | CredentialTarget> | undefined;
  #isStateRefused = false;
  #isPassedOver = false;
  #isFound = false;
  #reason: PlaceReason = "failover";
  #preferredTarget: CredentialTarget | undefined;
  #stateRefuser: CredentialTarget | undefined;

  constructor(
    route: Route,
    { account, pins, issuer, conversation, moved }: CandidateOrder,
    deps: CandidateIteratorDeps,
  ) {
    this.#route = route;
    this.#account = account;
    this.#pins = pins;
    this.#issuer = issuer;
    this.#key = conversation ?? randomKey(deps.random);
    this.#routingKey = { account, key: this.#key };
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

  unavailableError(): GatewayError {
    const nowMs = this.#deps.nowMs();
    let fullSeconds = Number.POSITIVE_INFINITY;
    let waitMs = Number.POSITIVE_INFINITY;
    for (const upstreamTarget of this.#route.flat()) {
      const seconds = this.#fullSeconds(upstreamTarget);
      if (seconds > 0) fullSeconds = Math.min(fullSeconds, seconds);
      for (const { health } of upstreamTarget.targets)
        waitMs = Math.min(waitMs, health.waitMs(this.#account, nowMs));
    }
    if (fullSeconds < Number.POSITIVE_INFINITY) {
      return new GatewayError(
        "no_available_upstream",
        "All upstreams of this model are busy. Try again shortly.",
        { retryAfterSeconds: Math.ceil(fullSeconds), limit: "upstream_limits" },
      );
    }
    return new GatewayError(
      "no_available_upstream",
      "No upstream of this model is available right now. Try again shortly.",
      { retryAfterSeconds: Math.max(1, Math.min(30, Math.ceil(waitMs / 1_000))) },
    );
  }

  waitForCapacity(): Promise<void> | undefined {
    const [tier] = this.#route;
    if (tier === undefined || tier.length === 0 || this.#key.id === "" || this.#pins || this.#moved) return;
    const nowMs = this.#deps.nowMs();
    if (this.#atIssuer(tier, nowMs, GRADE.ready) !== undefined) return;
    const preferred = this.#nearest(tier, nowMs, GRADE.ready, false);
    return preferred !== undefined && this.#crowded(preferred, tier)
      ? preferred.target.load.wait(CROWDED_WAIT_MS)
      : undefined;
  }

  preferredCandidate(): Candidate | undefined {
    return this.#key.id === "" ? undefined : this.#preferred()?.candidate;
  }

  reason(): PlaceReason {
    return this.#reason;
  }

  /**
   * The request's target while all upstreams are healthy; computed once. By weight also where the model's upstreams are preferred
   * by latency: that changes, and a conversation that it leads elsewhere has moved, where it stays.
   */
  #preferred(): CredentialTarget | undefined {
    if (this.#preferredTarget !== undefined) return this.#preferredTarget;
    let least: readonly [costRank: number, distance: number] = NOTHING_FOUND;
    for (const { targets, costRank } of this.#route[0] ?? []) {
      for (const target of targets) {
        const targetDistance = distance(this.#key, target.seed, target.weight);
        if (!isBefore([costRank, targetDistance], least)) continue;
        this.#preferredTarget = target;
        least = [costRank, targetDistance];
      }
    }
    return this.#preferredTarget;
  }

  #reasonFor(target: CredentialTarget, isFirst: boolean): PlaceReason {
    if (this.#pins !== undefined) return "pinned";
    if (isFirst && this.#issuer !== undefined && issues(target, this.#issuer)) return "state";
    if (isFirst && target === this.#preferred()) return this.#key.id === "" ? "first_choice" : "affinity";
    return isAt(target, this.#moved) ? "moved" : "failover";
  }

  stateRefused(): void {
    this.#isStateRefused = true;
    this.#stateRefuser = this.#last?.target;
  }

  relocate(place: Place): void {
    this.#moved = place;
    this.#isFound = true;
  }

  retryWithoutState(): Candidate | undefined {
    this.#reason = "failover";
    this.#stateRefuser?.load.acquire();
    return this.#stateRefuser?.candidate;
  }

  passOver(): void {
    this.#isPassedOver = true;
    this.#attempts -= 1;
  }

  retrySame(): void {
    this.#last?.target.load.acquire();
  }

  #choose(): CredentialTarget | undefined {
    if (this.#attempts === MAX_ATTEMPTS) return undefined;
    const nowMs = this.#deps.nowMs();
    const failed = this.#last;
    // A refusal costs its upstream next to nothing, so the next attempt needs no retry budget.
    const isPaid = failed === undefined || this.#isStateRefused || this.#isPassedOver;
    if (failed !== undefined) this.#exclude(failed, nowMs);
    this.#isPassedOver = false;
    this.#isStateRefused = false;
    this.#isFound = false;
    const found = this.#pins ? this.#pinned(this.#pins, nowMs) : this.#search(nowMs);
    // The retry is charged to the retry budget of the upstream that failed.
    if (found === undefined || (!isPaid && !failed.upstreamTarget.budget.spend(this.#account)))
      return undefined;
    const { upstreamTarget, target } = found;
    if (failed === undefined) upstreamTarget.budget.earn(this.#account);
    target.load.acquire();
    target.health.claim(this.#account, nowMs);
    this.#attempts += 1;
    this.#reason = this.#reasonFor(target, failed === undefined);
    this.#last = found;
    return target;
  }

  /** Excludes a failed choice. If the credential was the cause, another one of the same upstream may still be tried. */
  #exclude({ upstreamTarget, target }: Choice, nowMs: number): void {
    this.#excluded ??= new Set();
    if (this.#isPassedOver) {
      this.#excluded.add(upstreamTarget);
      return;
    }
    if (this.#isStateRefused) {
      for (const other of this.#route.flat().flatMap(({ targets }) => targets))
        if (isSameSigner(other.candidate, target.candidate) && !(this.#isFound && isAt(other, this.#moved)))
          this.#excluded.add(other);
      return;
    }
    this.#excluded.add(target.health.cooling(nowMs) ? target : upstreamTarget);
  }

  /** Searches for the best grade, and within it tier by tier. */
  #search(nowMs: number): Choice | undefined {
    const [first] = this.#route;
    for (const grade of GRADES) {
      const preferredChoice =
        first && (this.#atIssuer(first, nowMs, grade) ?? this.#atMovedPlace(nowMs, grade));
      if (preferredChoice !== undefined) return preferredChoice;
      for (const tier of this.#route) {
        const found =
          this.#atIssuer(tier, nowMs, grade) ??
          this.#nearest(tier, nowMs, grade, true) ??
          this.#nearest(tier, nowMs, grade, false);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** The issuer of the request's state, if it has the tier's priority. */
  #atIssuer([first]: PriorityLevel, nowMs: number, grade: Grade): Choice | undefined {
    if (this.#issuer === undefined) return undefined;
    let found: Choice | undefined;
    for (const upstreamTarget of this.#route.flat()) {
      if (upstreamTarget.upstream.priority !== first?.upstream.priority || !this.#mayTry(upstreamTarget))
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

  /** The target that the conversation has moved to. */
  #atMovedPlace(nowMs: number, grade: Grade): Choice | undefined {
    const moved = this.#moved;
    if (moved === undefined) return undefined;
    for (const upstreamTarget of this.#route.flat()) {
      if (upstreamTarget.upstream.id !== moved.upstreamId || !this.#mayTry(upstreamTarget)) continue;
      const target = upstreamTarget.targets.find((each) => isAt(each, moved));
      if (target !== undefined && this.#gradeIn(target, nowMs) === grade) return { upstreamTarget, target };
    }
    return undefined;
  }

  /** The tier's place of this grade that is nearest to the conversation's key, among the cheapest where the model asks for them. */
  #nearest(tier: PriorityLevel, nowMs: number, grade: Grade, skipCrowded: boolean): Choice | undefined {
    let found: Choice | undefined;
    let least: readonly [costRank: number, distance: number] = NOTHING_FOUND;
    const quickestMs = quickestOf(tier);
    for (const upstreamTarget of tier) {
      if (!this.#mayTry(upstreamTarget)) continue;
      const { targets, latency, costRank } = upstreamTarget;
      const factor = latencyFactor(latency, quickestMs);
      for (const target of targets) {
        if (this.#gradeIn(target, nowMs) !== grade) continue;
        const targetDistance = distance(this.#key, target.seed, target.weight * factor);
        if (!isBefore([costRank, targetDistance], least)) continue;
        if (skipCrowded && this.#crowded({ upstreamTarget, target }, tier)) continue;
        found = { upstreamTarget, target };
        least = [costRank, targetDistance];
      }
    }
    return found;
  }

  /** Its share is that of the places between which nothing but weight and latency decide. */
  #crowded({ upstreamTarget: { costRank }, target }: Choice, tier: PriorityLevel): boolean {
    const quickestMs = quickestOf(tier);
    let weight = 0;
    let running = 0;
    for (const other of tier) {
      if (other.costRank !== costRank) continue;
      const factor = latencyFactor(other.latency, quickestMs);
      for (const each of other.targets) {
        weight += each.weight * factor;
        running += each.load.running;
      }
    }
    const own = target.weight * latencyFactor(target.latency, quickestMs);
    return isCrowded(target.load, own / weight, running);
  }

  #mayTry(upstreamTarget: UpstreamTarget): boolean {
    return this.#excluded?.has(upstreamTarget) !== true && !this.#full(upstreamTarget);
  }

  /** Undefined = the target is excluded. */
  #gradeIn(target: CredentialTarget, nowMs: number): Grade | undefined {
    if (this.#excluded?.has(target) === true) return undefined;
    return gradeOf(target.health, target.seed, this.#routingKey, nowMs);
  }

  /** Only places that store what the request names; a cooling credential too, since no other can respond. */
  #pinned(pins: readonly Pin[], nowMs: number): Choice | undefined {
    for (const upstreamTarget of this.#route.flat()) {
      const pin = pins.find(({ upstreamId }) => upstreamId === upstreamTarget.upstream.id);
      if (pin === undefined || this.#excluded?.has(upstreamTarget) || this.#full(upstreamTarget)) continue;
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
      if (target === undefined || this.#excluded?.has(target)) continue;
      if (target.health.access(this.#account, nowMs) !== "closed") return { upstreamTarget, target };
    }
    return undefined;
  }

  #full(upstreamTarget: UpstreamTarget): boolean {
    return this.#fullSeconds(upstreamTarget) > 0;
  }

  /** About how long it takes until the upstream has room; 0 = it has. */
  #fullSeconds({ upstream }: UpstreamTarget): number {
    return this.#deps.inFlight(upstream.id) >= upstream.maxConcurrency
      ? BUSY_RETRY_SECONDS
      : this.#deps.limitedSeconds(upstream);
  }
}

const NOTHING_FOUND = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

function isAt({ candidate: { upstream, credential } }: CredentialTarget, place: Place | undefined): boolean {
  return upstream.id === place?.upstreamId && credential.id === place.credentialId;
}

/** State names its upstream, and since it also names the credential, that one and all of its signer. */
function issues({ candidate }: CredentialTarget, issuer: Origin): boolean {
  const { upstream, model, protocol } = candidate;
  return upstream.name === issuer.upstream && model === issuer.model && protocol === issuer.protocol;
}

type SignedPlace = Pick<Candidate, "credential" | "upstream">;

/** True if state that one credential signed is valid at the other. */
export function isSameSigner(one: SignedPlace, other: SignedPlace): boolean {
  if (one.credential.id === other.credential.id) return true;
  return one.upstream.signer !== null && one.upstream.signer === other.upstream.signer;
}
