const FIRST_MS = Date.parse("0000-01-01T00:00:00Z");
const END_MS = Date.parse("+010000-01-01T00:00:00Z");

/**
 * Whether a moment (ISO 8601 with a zone) has a year of four digits in UTC too. Other years are written with a sign and
 * six digits, which no catalog file takes: the end of 9999 in New York, somebody's "never", is such a one. What is no
 * moment at all is for others to refuse.
 */
export function hasPlainYear(text: string): boolean {
  const at = Date.parse(text);
  return Number.isNaN(at) || (at >= FIRST_MS && at < END_MS);
}

export const PLAIN_YEAR = "must have a year of four digits in UTC";
