import type { Log } from "./log.ts";

type Level = "info" | "warn" | "error";

/** Lines of one sentence in a minute; the rest is counted. */
const PER_MINUTE = 30;

/** Lines of an outage, whatever they say: the first ones tell all there is to know. */
const OF_AN_OUTAGE = 8;

/** Sentences that are counted at once; those with names in them could be without end. */
const MAX_SENTENCES = 1_000;

export interface BoundedLogOptions {
  /** True if a line is one of the many by which everything tells of the same outage. */
  readonly isOutage: (fields: Readonly<Record<string, unknown>>) => boolean;
  readonly minuteMs?: number;
}

interface Count {
  readonly level: Level;
  lines: number;
  leftOut: number;
}

/**
 * A log whose lines cannot flood it: of each sentence so many a minute are written, and at the minute's end how many were
 * left out. Of an outage of the database the first lines are written, then one sum a minute until it is over. Alarms
 * are always written.
 */
export function boundedLog(log: Log, { isOutage, minuteMs = 60_000 }: BoundedLogOptions): Log {
  const counts = new Map<string, Count>();
  let outage: Count | undefined;
  let outageLimit = OF_AN_OUTAGE;

  const endMinute = (): void => {
    for (const [message, { level, leftOut }] of counts) if (leftOut > 0) log[level]({ leftOut }, message);
    counts.clear();
    if (outage === undefined) return;
    const { lines, leftOut } = outage;
    if (leftOut > 0) log.warn({ leftOut }, "database does not respond; repeated messages were suppressed");
    // A minute without a word of it: the next one is told from its beginning.
    outage = lines + leftOut === 0 ? undefined : { level: "warn", lines: 0, leftOut: 0 };
    outageLimit = outage === undefined ? OF_AN_OUTAGE : 0;
  };
  setInterval(endMinute, minuteMs).unref();

  /** True if the line is written; else it is counted. */
  const passes = (count: Count, limit: number): boolean => {
    if (count.lines < limit) count.lines += 1;
    else count.leftOut += 1;
    return count.leftOut === 0;
  };
  const isWritten = (level: Level, fields: Readonly<Record<string, unknown>>, message: string): boolean => {
    if (fields["alarm"] === true) return true;
    if (isOutage(fields)) {
      outage ??= { level, lines: 0, leftOut: 0 };
      return passes(outage, outageLimit);
    }
    let count = counts.get(message);
    if (count === undefined) {
      if (counts.size === MAX_SENTENCES) endMinute();
      count = { level, lines: 0, leftOut: 0 };
      counts.set(message, count);
    }
    return passes(count, PER_MINUTE);
  };
  const over = (inner: Log): Log => {
    const write =
      (level: Level) =>
      (fields: Readonly<Record<string, unknown>>, message: string): void => {
        if (isWritten(level, fields, message)) inner[level](fields, message);
      };
    return {
      trace: (fields, message) => inner.trace(fields, message),
      debug: (fields, message) => inner.debug(fields, message),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
      fatal: (fields, message) => inner.fatal(fields, message),
      child: (fields) => over(inner.child(fields)),
    };
  };
  return over(log);
}
