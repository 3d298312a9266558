/**
 * Whether a value out of JSON has no more levels than these. JSON.parse takes any depth; JSON.stringify and
 * PostgreSQL's jsonb take that of their stacks, so what strangers nest is looked at before it is written.
 */
export function isWithinDepth(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  // A loop over keys, as each request's usage is looked at: a list of its values would take five times as long.
  for (const key in value)
    if (!isWithinDepth((value as Readonly<Record<string, unknown>>)[key], levels - 1)) return false;
  return true;
}

/**
 * Of a call's arguments: with them in it the caller's next request, which may have 64 levels, has some around them in
 * every protocol.
 */
export const ARGUMENT_LEVELS = 56;

/** More than any vendor's usage object has, which are two or three. */
export const USAGE_LEVELS = 32;
