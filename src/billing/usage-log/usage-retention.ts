import { runRepeatedly, systemTimers } from "../../base/async/timers.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../observe/log.ts";
import type { Database } from "../../storage/database.ts";
import { dropPartitionsOlderThan, ensurePartitions } from "../../storage/partitions.ts";
import { archiveUsageDay, forgetTagValues } from "./usage-store.ts";

export interface UsageRetentionOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** How long the usage log is kept; asked at every run, as it is a setting. */
  readonly days: () => number;
}

export interface UsageRetention {
  /** One run now; rejects where the database does. */
  run(): Promise<void>;
  close(): Promise<void>;
}

const INTERVAL_MS = 3_600_000;
// A database that nobody can change for a week has other troubles; a flush then makes its own day.
const DAYS_AHEAD = 7;

/** Makes the usage log's partitions ahead of time and drops those past retention, their sums archived. */
export function createUsageRetention({ database, clock, log, days }: UsageRetentionOptions): UsageRetention {
  const run = async (): Promise<void> => {
    await ensurePartitions(database, "usage", DAYS_AHEAD);
    const dropped = await dropPartitionsOlderThan(database, "usage", days(), clock.nowMs(), (tx, { day }) =>
      archiveUsageDay(tx, day),
    );
    await forgetTagValues(database);
    for (const { day } of dropped) log.info({ day }, "expired day of the usage log deleted");
  };
  const keeping = runRepeatedly(systemTimers, INTERVAL_MS, run, (err) => {
    log.warn({ err }, "deletion of expired usage-log days failed; retrying in an hour");
  });
  return { run, close: () => keeping.stop() };
}
