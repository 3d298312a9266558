import { asObject, type JsonObject } from "../json.ts";

/**
 * Joins what a stream states one time after the other: per field the last value wins, never a sum, since
 * vendors repeat or raise their counts (rule 6). Null is no statement, and nor are zeros alone behind counts.
 */
export function latestCounts(earlier: JsonObject | undefined, later: JsonObject): JsonObject {
  if (earlier === undefined) return later;
  const isEmpty = Object.values(later).every((value) => typeof value !== "number" || value === 0);
  return joinCounts(earlier, later, isEmpty, 0);
}

function joinCounts(earlier: JsonObject, later: JsonObject, isEmpty: boolean, depth: number): JsonObject {
  const joined: Record<string, unknown> = { ...earlier };
  for (const field of Object.keys(later)) {
    const value = later[field];
    // The one name that would set an object's prototype is no count's.
    if (value === null || value === undefined || field === "__proto__") continue;
    if (isEmpty && value === 0 && Number(joined[field]) > 0) continue;
    const before = asObject(joined[field]);
    const now = asObject(value);
    const nested = before !== undefined && now !== undefined && depth < MAX_DEPTH;
    joined[field] = nested ? joinCounts(before, now, isEmpty, depth + 1) : value;
  }
  return joined;
}

/** Vendors nest usage two deep; more is not theirs. */
const MAX_DEPTH = 4;
