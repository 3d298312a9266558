import { asObject, type JsonObject } from "../json.ts";

/**
 * Joins what a stream states one time after the other: per field the last value wins, never a sum, since
 * vendors repeat or raise their counts (rule 6). Null is no statement, and nor are zeros alone behind counts.
 */
export function latestCounts(earlier: JsonObject | undefined, later: JsonObject): JsonObject {
  const stated = fewFields(later);
  if (earlier === undefined) return stated;
  const isEmpty = Object.values(stated).every((value) => typeof value !== "number" || value === 0);
  return joinCounts(earlier, stated, isEmpty, 0);
}

function joinCounts(earlier: JsonObject, later: JsonObject, isEmpty: boolean, depth: number): JsonObject {
  const joined: Record<string, unknown> = { ...earlier };
  let fields = Object.keys(joined).length;
  for (const field of Object.keys(later)) {
    const value = later[field];
    // The one name that would set an object's prototype is no count's.
    if (value === null || value === undefined || field === "__proto__") continue;
    if (isEmpty && value === 0 && Number(joined[field]) > 0) continue;
    if (!Object.hasOwn(joined, field)) {
      if (fields === MAX_FIELDS) continue;
      fields += 1;
    }
    const before = asObject(joined[field]);
    const now = asObject(value);
    const nested = before !== undefined && now !== undefined && depth < MAX_DEPTH;
    joined[field] = nested ? joinCounts(fewFields(before), fewFields(now), isEmpty, depth + 1) : value;
  }
  return joined;
}

/** Vendors nest usage two deep; more is not theirs. */
const MAX_DEPTH = 4;

/** The first of an object's fields: whatever has more is copied with each event, and is no vendor's usage. */
function fewFields(counts: JsonObject): JsonObject {
  const names = Object.keys(counts);
  if (names.length <= MAX_FIELDS) return counts;
  return Object.fromEntries(names.slice(0, MAX_FIELDS).map((name) => [name, counts[name]]));
}

/** Vendors' usage has some dozens. */
const MAX_FIELDS = 256;
