import type { Credential, Upstream } from "../../catalog/catalog.ts";
import type { TrialResult } from "../../upstreams/probe.ts";
import { type AccountRecord, OPEN_MS } from "./account-record.ts";
import { AccountRecords, hasMajority } from "./account-records.ts";
import { Cooling } from "./cooling.ts";
import type { FailedPlaces } from "./failed-places.ts";
import type { AttemptOutcome, Requester } from "./outcome.ts";

/** Connections are nobody's request: whoever's they were, so many in a row that could not be made are no accident. */
const UNREACHABLE_TO_OPEN = 5;

/** How often accounts may try a place that they agree is failing if they have no other; shared by all of them. */
const LAST_PROBE_MS = 1_000;

/** How often an open breaker checks its votes again. */
const RECOUNT_MS = 1_000;

/** A place that is back gets so little at first, and all of its share after a minute. */
const FIRST_SHARE = 0.1;
const RAMP_MS = 60_000;

/** A model at an upstream under one credential. */
export interface HealthTarget {
  readonly upstream: Upstream;
  readonly credential: Credential;
  /** The upstream's name of the model. */
  readonly model: string;
}

/**
 * - `ready`: like any other.
 * - `last`: where no other place can take it.
 * - `closed`: not now.
 */
export type Access = "ready" | "last" | "closed";

/** A change of health that is logged. */
export type HealthChange =
  | "unreachable"
  | "outvoted"
  | "closed-to-account"
  | "closed"
  | "withdrawn"
  | "refused"
  | "rate-limited"
  | undefined;

/**
 * The health of one model at one place (an upstream and a credential): as narrow as that, so that a wrong model name or a
 * limit on one model takes nothing else out of service.
 *
 * Its breaker opens after five connections in a row that could not be made, or when at least two accounts, and more than are
 * served well, see half of their requests fail there; an account whose requests fail elsewhere too has no vote. One request
 * of anybody's probes it every 30 s until one succeeds. An account whose own last five requests failed here is kept away, also
 * while the breaker is closed, and probes for itself; any other may still ask where it has no other place, so that nothing
 * that others send keeps away one whose requests are answered.
 *
 * Cooling only puts a place behind all others: a request that has no other choice may still try it, so that one caller's 429
 * is not everybody's outage.
 */
export class Health {
  readonly #place: string;
  readonly #failedPlaces: FailedPlaces;
  readonly #accounts: AccountRecords;
  readonly #cooling = new Cooling();
  #unreachableInRow = 0;
  /** Why the breaker is open. */
  #open: "unreachable" | "votes" | undefined;
  /** When anybody's next request is the probe; counts while it is open. */
  #probeAtMs = 0;
  #probedMs = 0;
  #prober: bigint | undefined;
  #recountAtMs = 0;
  #withdrawn = false;
  #closedMs = Number.NEGATIVE_INFINITY;

  constructor(place: string, failedPlaces: FailedPlaces) {
    this.#place = place;
    this.#failedPlaces = failedPlaces;
    this.#accounts = new AccountRecords(failedPlaces);
  }

  /** Decides if a request of this account may be sent there. */
  access(account: bigint, nowMs: number): Access {
    const record = this.#accounts.find(account);
    if (this.#open === "votes" && nowMs >= this.#recountAtMs) this.#recount(nowMs);
    if (this.#open === undefined)
      return record?.closed === true && nowMs < record.probeAtMs ? "closed" : "ready";
    if (nowMs >= this.#probeAtMs) return "ready";
    return record?.closed === true && nowMs < this.#ownProbeAtMs(record) ? "closed" : "last";
  }

  /** Milliseconds until a request of this account may go there, 0 = now. */
  waitMs(account: bigint, nowMs: number): number {
    const record = this.#accounts.find(account);
    if (record === undefined || this.access(account, nowMs) !== "closed") return 0;
    const own = this.#ownProbeAtMs(record);
    return Math.max(0, (this.#open === undefined ? own : Math.min(own, this.#probeAtMs)) - nowMs);
  }

  /** The part of the requests that it gets while it comes back, 0.1 to 1. */
  share(account: bigint, nowMs: number): number {
    const reopenedMs = Math.max(this.#closedMs, this.#accounts.find(account)?.reopenedMs ?? this.#closedMs);
    return shareSince(reopenedMs, nowMs);
  }

  cooling(nowMs: number): boolean {
    return this.#cooling.leftMs(nowMs) > 0;
  }

  /** Milliseconds until it has cooled, 0 = it has. */
  coolMs(nowMs: number): number {
    return this.#cooling.leftMs(nowMs);
  }

  /** It is open to nobody who has another place. */
  get open(): boolean {
    return this.#open !== undefined;
  }

  /** Milliseconds until the next probe, 0 = it is due or the breaker is closed. */
  probeMs(nowMs: number): number {
    return this.#open === undefined ? 0 : Math.max(0, this.#probeAtMs - nowMs);
  }

  /** The part of all requests that it gets while it comes back. */
  shareOfAll(nowMs: number): number {
    return shareSince(this.#closedMs, nowMs);
  }

  /** Accounts that are kept away as their own requests failed. */
  closedTo(): number {
    return this.#accounts.closed();
  }

  /** A request of this account is about to go there; if it is a probe, the next one is due only later whatever becomes of it. */
  claim(account: bigint, nowMs: number): void {
    const record = this.#accounts.find(account);
    if (this.#open !== undefined && (nowMs >= this.#probeAtMs || record?.closed === true)) {
      this.#probeAtMs = nowMs + OPEN_MS;
      this.#probedMs = nowMs;
      this.#prober = account;
    }
    record?.claim(nowMs);
  }

  report(outcome: AttemptOutcome, requester: Requester, nowMs: number): HealthChange {
    const withdrawn = this.#withdrawn ? "withdrawn" : undefined;
    this.#withdrawn = false;
    return this.#judge(outcome, requester, nowMs) ?? withdrawn;
  }

  /** Records the result of an idle place's probe, which tests the connection and our key but no real request. */
  reportTrial(found: TrialResult["found"], nowMs: number): HealthChange {
    if (found === "away") return this.#unreachable(nowMs);
    const reached = this.#reached(nowMs);
    return found === "refused" ? this.#refused(nowMs) : reached;
  }

  #judge(outcome: AttemptOutcome, requester: Requester, nowMs: number): HealthChange {
    const record = this.#accounts.of(requester.account);
    switch (outcome.kind) {
      case "unreachable":
        return this.#unreachable(nowMs) ?? this.#closedTo(record, nowMs);
      case "failed":
        return this.#failed(record, requester, nowMs);
      case "answering":
      case "ok":
        // Cooling goes on: this may have been sent before the 429 came.
        if (outcome.kind === "ok") record.count(false, nowMs);
        return this.#answered(record, requester.account, nowMs);
      case "client-error":
        record.succeeded(nowMs);
        this.#handOn(requester.account, nowMs);
        return this.#reached(nowMs);
      case "rate-limited":
        this.#answered(record, requester.account, nowMs);
        return this.#cooling.rateLimited(outcome.retryAfterSeconds, nowMs) ? "rate-limited" : undefined;
      case "refused-account":
        this.#answered(record, requester.account, nowMs);
        return this.#refused(nowMs);
      case "neutral":
        this.#handOn(requester.account, nowMs);
        record.neutral(nowMs);
        return undefined;
    }
  }

  #unreachable(nowMs: number): HealthChange {
    this.#unreachableInRow += 1;
    if (this.#open !== undefined || this.#unreachableInRow < UNREACHABLE_TO_OPEN) return undefined;
    return this.#openFor("unreachable", nowMs);
  }

  #failed(record: AccountRecord, requester: Requester, nowMs: number): HealthChange {
    const reached = this.#reached(nowMs);
    record.count(true, nowMs);
    record.failedModel = requester.model;
    this.#failedPlaces.note(requester, this.#place, nowMs);
    const closedTo = this.#closedTo(record, nowMs);
    if (this.#open === undefined && record.vote(nowMs) === "bad") {
      if (hasMajority(this.#accounts.votes(nowMs))) return this.#openFor("votes", nowMs);
    }
    return closedTo ?? reached;
  }

  #closedTo(record: AccountRecord, nowMs: number): HealthChange {
    return record.failed(nowMs) ? "closed-to-account" : undefined;
  }

  #answered(record: AccountRecord, account: bigint, nowMs: number): HealthChange {
    record.succeeded(nowMs);
    const reached = this.#reached(nowMs);
    return this.#open === "votes" && this.#prober === account ? this.#close(nowMs) : reached;
  }

  /** Something came back from there, whatever it was: connections can be made. */
  #reached(nowMs: number): HealthChange {
    this.#unreachableInRow = 0;
    return this.#open === "unreachable" ? this.#close(nowMs) : undefined;
  }

  #openFor(why: "unreachable" | "votes", nowMs: number): HealthChange {
    this.#open = why;
    this.#probeAtMs = nowMs + OPEN_MS;
    this.#probedMs = nowMs;
    this.#prober = undefined;
    this.#recountAtMs = nowMs + RECOUNT_MS;
    return why === "votes" ? "outvoted" : "unreachable";
  }

  #close(nowMs: number): HealthChange {
    this.#open = undefined;
    this.#prober = undefined;
    this.#closedMs = nowMs;
    this.#accounts.reset();
    return "closed";
  }

  /** The probe told nothing: the next request is it instead. */
  #handOn(account: bigint, nowMs: number): void {
    if (this.#prober !== account) return;
    this.#prober = undefined;
    this.#probeAtMs = nowMs;
  }

  /** Votes that were taken back, or that more good ones stand against, do not keep it open; votes that are merely old do. */
  #recount(nowMs: number): void {
    this.#recountAtMs = nowMs + RECOUNT_MS;
    const votes = this.#accounts.votes(nowMs);
    if (hasMajority(votes) || votes.good + votes.withdrawn === 0) return;
    this.#open = undefined;
    this.#prober = undefined;
    this.#withdrawn = true;
  }

  /** When an account that is kept away may ask all the same. */
  #ownProbeAtMs(record: AccountRecord): number {
    return this.#open === "votes"
      ? Math.min(record.probeAtMs, this.#probedMs + LAST_PROBE_MS)
      : record.probeAtMs;
  }

  #refused(nowMs: number): HealthChange {
    return this.#cooling.refused(nowMs) ? "refused" : undefined;
  }
}

function shareSince(reopenedMs: number, nowMs: number): number {
  const part = (nowMs - reopenedMs) / RAMP_MS;
  return part >= 1 ? 1 : FIRST_SHARE + (1 - FIRST_SHARE) * Math.max(0, part);
}
