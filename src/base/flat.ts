/**
 * Whether a value out of JSON has no more levels than these. JSON.parse takes any depth; JSON.stringify and
 * PostgreSQL's jsonb take that of their stacks, so what strangers nest is looked at before it is written.
 */
export function isFlat(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isFlat(each, levels - 1));
}

/** More than any vendor's usage object has, which are two or three. */
export const USAGE_LEVELS = 32;
