import { runEvery, type Timers } from "../../base/async/timers.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../observe/log.ts";
import type { Database } from "../../storage/database.ts";
import { dropPartitionsOlderThan, ensurePartitions } from "../../storage/partitions.ts";
import { CountBuffer, ERROR_HOURS, FAILURE_HOURS, UNKNOWN_KEYS } from "./count-table.ts";
import type { FailedRequest } from "./failed-request.ts";
import { deleteOldCounts, type Failures, writeFailures } from "./failed-requests-store.ts";
import { messageForm } from "./message-form.ts";

export interface FailedRequests {
  /** Never throws and never waits. */
  record(request: FailedRequest): void;
  /** Counts a request whose key nobody knows; only the key's beginning is kept. */
  recordUnknownKey(address: string, key: string, requestId: string): void;
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

const POST_EVERY_MS = 1_000;
const RETAIN_EVERY_MS = 3_600_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** A person reads the first few of a flood: the others are alike, and are counted. */
const ROWS_OF_KEY_AND_MINUTE = 60;
/** A week of it is some 20 GB at worst, which only a flood of many keys brings. */
const ROWS_OF_MINUTE = 2_000;
/** Some 10 MB at worst; a database that is away for longer costs rows, and no counts. */
const MAX_ROWS = 5_000;
const PREFIX_CHARACTERS = 7;
const DAYS_AHEAD = 2;

/** Collects failures in memory and posts them in batches. */
export function createFailedRequests(options: FailedRequestsOptions): FailedRequests {
  const { database, clock, timers, log } = options;
  const failures = new CountBuffer(FAILURE_HOURS);
  const errors = new CountBuffer(ERROR_HOURS);
  const unknownKeys = new CountBuffer(UNKNOWN_KEYS);
  const isKept = rowLimit(clock);
  let rows: FailedRequest[] = [];
  let isWarned = false;

  const once = <Keys extends object>(requestId: string, keys: Keys) => {
    const nowMs = clock.nowMs();
    const hourMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
    return { hourMs, keys, requests: 1, firstMs: nowMs, lastMs: nowMs, lastRequestId: requestId };
  };

  const take = (): Failures => {
    const taken = {
      rows,
      failures: failures.take(),
      errors: errors.take(),
      unknownKeys: unknownKeys.take(),
    };
    rows = [];
    return taken;
  };

  const putBack = (taken: Failures): void => {
    rows = [...taken.rows, ...rows].slice(0, MAX_ROWS);
    for (const count of taken.failures) failures.add(count);
    for (const count of taken.errors) errors.add(count);
    for (const count of taken.unknownKeys) unknownKeys.add(count);
  };

  const post = async (): Promise<void> => {
    if (failures.isEmpty && errors.isEmpty && unknownKeys.isEmpty && rows.length === 0) return;
    const taken = take();
    try {
      await writeFailures(database, taken);
      isWarned = false;
    } catch (err) {
      if (!isWarned) log.warn({ err }, "write of failed requests failed; retrying");
      isWarned = true;
      putBack(taken);
    }
  };

  const retain = async (): Promise<void> => {
    const rowDays = options.days();
    try {
      await ensurePartitions(database, "failed_requests", DAYS_AHEAD);
      const nothing = async (): Promise<void> => undefined;
      await dropPartitionsOlderThan(database, "failed_requests", rowDays, clock.nowMs(), nothing);
      await deleteOldCounts(database, { countDays: options.countDays(), unknownKeyDays: rowDays });
    } catch (err) {
      log.warn({ err }, "deletion of expired failed requests failed; retrying in an hour");
    }
  };

  const posts = runEvery(timers, POST_EVERY_MS, post);
  const retentions = runEvery(timers, RETAIN_EVERY_MS, retain);
  void retentions.now();

  return {
    record(request) {
      const { requestId, accountId, keyId, code, upstream, attempts } = request;
      // One that was answered after all has a row and is no failure.
      if (code !== "") {
        failures.add(once(requestId, { account_id: String(accountId), code }));
        const message = messageForm(attempts.at(-1)?.message ?? "");
        errors.add(once(requestId, { code, upstream: upstream ?? "", message }));
      }
      if (rows.length < MAX_ROWS && isKept(keyId)) rows.push(request);
    },
    recordUnknownKey(address, key, requestId) {
      unknownKeys.add(once(requestId, { address, prefix: key.slice(0, PREFIX_CHARACTERS) }));
    },
    async close() {
      await posts.stop();
      await retentions.stop();
      await post();
    },
  };
}

/** Says whether a failure of a key gets a row; the minute has a limit for each key and one for all. */
function rowLimit(clock: Clock): (keyId: bigint) => boolean {
  let minute = 0;
  let rows = 0;
  let ofKey = new Map<bigint, number>();
  return (keyId) => {
    const now = Math.floor(clock.nowMs() / MINUTE_MS);
    if (now !== minute) [minute, rows, ofKey] = [now, 0, new Map()];
    const before = ofKey.get(keyId) ?? 0;
    if (before >= ROWS_OF_KEY_AND_MINUTE || rows >= ROWS_OF_MINUTE) return false;
    ofKey.set(keyId, before + 1);
    rows += 1;
    return true;
  };
}
