const DAY_MS = 86_400_000;

/**
 * True if a value of the URL, which anybody may have typed or cut short, is a day: `YYYY-MM-DD`. A year below 1000 is
 * half typed: browsers report 0002, 0020 and 0202 on the way to 2026.
 */
export function isDay(text: string | undefined): text is string {
  return text !== undefined && /^[1-9]\d{3}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** A day's last second in UTC, until which what is given that last day holds. The gateway refuses what is no day. */
export function endOfDay(day: string): string {
  return `${day}T23:59:59Z`;
}

/** A day's first moment in UTC, as the console's API takes it, or that of a later day; undefined where the text is no day. */
export function momentOfDay(text: string | undefined, daysLater = 0): string | undefined {
  return isDay(text) ? new Date(Date.parse(text) + daysLater * DAY_MS).toISOString() : undefined;
}
