import { runEvery, type Timers } from "../../base/async/timers.ts";
import type { Clock } from "../../base/clock.ts";
import { cutText } from "../../base/cut-text.ts";
import type { Log } from "../../observe/log.ts";
import type { Database } from "../../storage/database.ts";
import { dropPartitionsOlderThan, ensurePartitions } from "../../storage/partitions.ts";
import {
  deleteOldCounts,
  type FailureCount,
  type UnknownKeyCount,
  writeFailures,
} from "./failed-requests-store.ts";

/** One request to an upstream, as far as it came. */
export interface FailedAttempt {
  readonly upstream: string;
  readonly upstream_model: string;
  readonly credential: string;
  /** HTTP status of the upstream; null = it did not respond. */
  readonly status: number | null;
  /** The vendor's words, scrubbed. */
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly vendor_request_id: string | null;
  /** Milliseconds since the request came: when it was sent on, when the response's head was here, when it was over. */
  readonly began_ms: number;
  readonly first_byte_ms: number | null;
  readonly ended_ms: number;
}

/** A request of a known key that was refused, failed or needed more than one attempt. */
export interface FailedRequest {
  readonly requestId: string;
  readonly acceptedMs: number;
  readonly accountId: bigint;
  readonly keyId: bigint;
  readonly endpoint: string;
  /** null = it named no model that its caller may use. */
  readonly model: string | null;
  /** 0 = the client disconnected first. */
  readonly status: number;
  readonly code: string;
  /** What the caller was told. */
  readonly message: string;
  /** The limit that refused it. */
  readonly limit: string | null;
  readonly upstream: string | null;
  readonly totalMs: number;
  /** It held money, so that the usage log has it too. */
  readonly isInUsageLog: boolean;
  readonly attempts: readonly FailedAttempt[];
}

export interface FailedRequests {
  /** Never throws and never waits. */
  record(request: FailedRequest): void;
  /** Counts a request whose key nobody knows; only the key's beginning is kept. */
  unknownKey(address: string, key: string): void;
  close(): Promise<void>;
}

export interface FailedRequestsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** How long rows are kept. */
  readonly days: () => number;
  /** How long counts are kept: as long as the usage log. */
  readonly countDays: () => number;
}

/** Vendors repeat whole requests in their messages. */
const MAX_MESSAGE_BYTES = 1_024;

/** A message as it is kept. */
export function cutMessage(text: string): string {
  return cutText(text, MAX_MESSAGE_BYTES);
}

const POST_EVERY_MS = 1_000;
const RETAIN_EVERY_MS = 3_600_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** A person reads the first few of a flood: the others are alike, and are counted. */
const ROWS_PER_KEY_AND_MINUTE = 60;
/** Some 10 MB at worst; a database that is away for longer costs rows, and no counts. */
const MAX_ROWS = 5_000;
/** Guessed keys come in millions: further addresses and beginnings of an hour are counted as one. */
const MAX_UNKNOWN_KEYS = 1_000;
/** Accounts, keys, models and codes of an hour that are counted apart; further ones are counted as one. */
const MAX_COUNTS = 20_000;
const PREFIX_CHARACTERS = 7;
const DAYS_AHEAD = 2;

/** Collects failures in memory and posts them in batches. */
export function createFailedRequests(options: FailedRequestsOptions): FailedRequests {
  const { database, clock, timers, log } = options;
  let rows: FailedRequest[] = [];
  let counts = new Map<string, FailureCount>();
  let unknown = new Map<string, UnknownKeyCount>();
  let minute = 0;
  let perKey = new Map<bigint, number>();
  let isWarned = false;

  const keepsRow = ({ keyId }: FailedRequest): boolean => {
    const now = Math.floor(clock.nowMs() / MINUTE_MS);
    if (now !== minute) {
      minute = now;
      perKey = new Map();
    }
    const kept = perKey.get(keyId) ?? 0;
    if (kept >= ROWS_PER_KEY_AND_MINUTE || rows.length >= MAX_ROWS) return false;
    perKey.set(keyId, kept + 1);
    return true;
  };

  const count = (added: Omit<FailureCount, "requests">, requests: number): void => {
    const { hourMs, accountId, keyId, endpoint, model, code } = added;
    const name = JSON.stringify([hourMs, String(accountId), String(keyId), endpoint, model, code]);
    const known = counts.get(name);
    if (known !== undefined) known.requests += requests;
    else if (counts.size < MAX_COUNTS) counts.set(name, { ...added, requests });
    else count({ hourMs, accountId: 0n, keyId: 0n, endpoint: "", model: "", code }, requests);
  };

  const countUnknown = (added: Omit<UnknownKeyCount, "requests">, requests: number): void => {
    const { hourMs, address, prefix } = added;
    const name = JSON.stringify([hourMs, address, prefix]);
    const known = unknown.get(name);
    if (known !== undefined) known.requests += requests;
    else if (unknown.size < MAX_UNKNOWN_KEYS || address === "") unknown.set(name, { ...added, requests });
    else countUnknown({ hourMs, address: "", prefix: "" }, requests);
  };

  const hourNow = (): number => Math.floor(clock.nowMs() / HOUR_MS) * HOUR_MS;

  const post = async (): Promise<void> => {
    if (rows.length === 0 && counts.size === 0 && unknown.size === 0) return;
    const [nowRows, nowCounts, nowUnknown] = [rows, counts, unknown];
    [rows, counts, unknown] = [[], new Map(), new Map()];
    try {
      await writeFailures(database, nowRows, [...nowCounts.values()], [...nowUnknown.values()]);
      isWarned = false;
    } catch (err) {
      if (!isWarned) log.warn({ err }, "failed requests could not be logged; retrying");
      isWarned = true;
      rows = [...nowRows, ...rows].slice(0, MAX_ROWS);
      for (const { requests, ...each } of nowCounts.values()) count(each, requests);
      for (const { requests, ...each } of nowUnknown.values()) countUnknown(each, requests);
    }
  };

  const retain = async (): Promise<void> => {
    try {
      await ensurePartitions(database, "failed_requests", DAYS_AHEAD);
      await dropPartitionsOlderThan(
        database,
        "failed_requests",
        options.days(),
        clock.nowMs(),
        async () => undefined,
      );
      await deleteOldCounts(database, { countDays: options.countDays(), unknownKeyDays: options.days() });
    } catch (err) {
      log.warn({ err }, "old failed requests could not be deleted; retrying in an hour");
    }
  };

  const posting = runEvery(timers, POST_EVERY_MS, post);
  const retaining = runEvery(timers, RETAIN_EVERY_MS, retain);
  void retaining.now();

  return {
    record(request) {
      const { accountId, keyId, endpoint, model, code } = request;
      count({ hourMs: hourNow(), accountId, keyId, endpoint, model: model ?? "", code }, 1);
      if (keepsRow(request)) rows.push(request);
    },
    unknownKey(address, key) {
      countUnknown({ hourMs: hourNow(), address, prefix: key.slice(0, PREFIX_CHARACTERS) }, 1);
    },
    async close() {
      await posting.stop();
      await retaining.stop();
      await post();
    },
  };
}
