/** Days of a time zone. The moments within a quarter of an hour are all on the same day. */
export interface ZoneDays {
  readonly zone: string;
  /** YYYY-MM-DD */
  dayAt(ms: number): string;
}

/** Throws RangeError if there is no such zone. */
export function zoneDays(zone: string): ZoneDays {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  const known = new Map<number, string>();
  return {
    zone,
    dayAt(ms) {
      const day = known.get(ms) ?? format.format(ms);
      known.set(ms, day);
      return day;
    },
  };
}

/** True if there is a zone of this name. */
export function isZone(name: string): boolean {
  try {
    zoneDays(name);
    return true;
  } catch {
    return false;
  }
}
