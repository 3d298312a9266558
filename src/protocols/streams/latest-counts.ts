import { USAGE_LEVELS } from "../../base/json/exact-json.ts";
import { readCount } from "../../usage/usage.ts";
import { asObject, type JsonObject } from "../json.ts";

/**
 * Joins what a stream states one time after the other: per field the last value wins, never a sum, since
 * vendors repeat or raise their counts (rule 6). Null is no statement, and nor are zeros alone behind counts.
 * The result is joined further in place: a vendor that states little very often must cost little each time.
 */
export function latestCounts(earlier: JsonObject | undefined, later: JsonObject): JsonObject {
  const stated = keptUsage(later);
  if (earlier === undefined) return stated;
  const isEmpty = Object.values(stated).every((value) => typeof value !== "number" || value === 0);
  const joined = ownCounts(earlier);
  const omitted = joinCounts(joined, stated, { isEmpty, total: joined, depth: 0 });
  if (omitted > 0) joined[OMITTED] = (readCount(joined[OMITTED]) ?? 0) + omitted;
  return joined;
}

type Counts = Record<string, unknown>;

/** Counts that were joined here, with how many values they hold. Whatever else is given may be read by others. */
const sizes = new WeakMap<JsonObject, number>();

function ownCounts(counts: JsonObject): Counts {
  if (sizes.has(counts)) return counts as Counts;
  const copy = copyOf(counts);
  sizes.set(copy, valuesIn(copy));
  return copy;
}

/** Objects alone: a list is replaced by the next one as a whole. */
function copyOf(counts: JsonObject): Counts {
  const copy: Counts = {};
  for (const field of Object.keys(counts)) {
    if (field === "__proto__") continue;
    const nested = asObject(counts[field]);
    copy[field] = nested === undefined ? counts[field] : copyOf(nested);
  }
  return copy;
}

/** How many values it holds, at any depth. Values are kept within bounds before. */
function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let values = 0;
  for (const each of Object.values(value)) values += 1 + valuesIn(each);
  return values;
}

interface Joining {
  readonly isEmpty: boolean;
  /** All that is joined, by which its size is known. */
  readonly total: Counts;
  readonly depth: number;
}

/** Changes `joined`. Returns how many values found no room. */
function joinCounts(joined: Counts, later: JsonObject, joining: Joining): number {
  const { isEmpty, total, depth } = joining;
  let omitted = 0;
  for (const field of Object.keys(later)) {
    const value = later[field];
    // The one name that would set an object's prototype is no count's.
    if (value === null || value === undefined || field === "__proto__") continue;
    const before = joined[field];
    if (isEmpty && value === 0 && Number(before) > 0) continue;
    const now = asObject(value);
    if (now !== undefined && depth < MAX_DEPTH && asObject(before) !== undefined) {
      omitted += joinCounts(before as Counts, now, { isEmpty, total, depth: depth + 1 });
      continue;
    }
    const isNew = !Object.hasOwn(joined, field);
    const added = (isNew ? 1 : -valuesIn(before)) + valuesIn(value);
    const size = (sizes.get(total) ?? 0) + added;
    if (size > MAX_VALUES) {
      omitted += 1 + valuesIn(value);
      continue;
    }
    joined[field] = now === undefined ? value : copyOf(now);
    sizes.set(total, size);
  }
  return omitted;
}

/** Vendors nest usage two deep; more is not theirs. */
const MAX_DEPTH = 4;

/**
 * A vendor's usage object as it is read, joined and recorded; whatever copies or looks through usage does so with this. Of an
 * object that is larger than any vendor's only the first values are kept, and `omitted_fields` says how many are not.
 */
export function keptUsage(usage: JsonObject): JsonObject {
  const capacity: Capacity = { values: MAX_VALUES, omitted: 0 };
  const kept = keptObject(usage, capacity, USAGE_LEVELS);
  if (capacity.omitted === 0) return kept;
  return { ...kept, [OMITTED]: capacity.omitted + (readCount(usage[OMITTED]) ?? 0) };
}

/** The value as far as it is kept, if it is a usage object. */
export function asUsage(value: unknown): JsonObject | undefined {
  const usage = asObject(value);
  return usage === undefined ? undefined : keptUsage(usage);
}

const OMITTED = "omitted_fields";

/** How many values may still be kept, and how many are not. */
interface Capacity {
  values: number;
  omitted: number;
}

/**
 * Returns the same object if all of it is kept, as in every honest response. Listing the names, the most expensive step, happens
 * once.
 */
function keptObject(object: JsonObject, capacity: Capacity, levels: number): JsonObject {
  const names = Object.keys(object);
  const first = takeCapacity(names, capacity);
  const values = first.map((name) =>
    keptValue(name.length > MAX_LETTERS ? name : object[name], capacity, levels),
  );
  const isWhole = first.length === names.length && first.every((name, at) => values[at] === object[name]);
  if (isWhole) return object;
  return Object.fromEntries(
    first.flatMap((name, at) => (values[at] === undefined ? [] : [[name, values[at]]])),
  );
}

function keptList(list: readonly unknown[], capacity: Capacity, levels: number): readonly unknown[] {
  const first = takeCapacity(list, capacity);
  const values = first.map((value) => keptValue(value, capacity, levels));
  const isWhole = first.length === list.length && values.every((value, at) => value === list[at]);
  return isWhole ? list : values.filter((value) => value !== undefined);
}

/** Undefined if the value isn't kept. `levels`: how many levels of objects and lists it may have. */
function keptValue(value: unknown, capacity: Capacity, levels: number): unknown {
  const isNest = typeof value === "object" && value !== null;
  if (isNest ? levels > 1 : typeof value !== "string" || value.length <= MAX_LETTERS) {
    if (Array.isArray(value)) return keptList(value, capacity, levels - 1);
    const object = asObject(value);
    return object === undefined ? value : keptObject(object, capacity, levels - 1);
  }
  capacity.omitted += 1;
  return undefined;
}

function takeCapacity<Value>(all: readonly Value[], capacity: Capacity): readonly Value[] {
  const count = Math.min(all.length, MAX_FIELDS, capacity.values);
  capacity.values -= count;
  capacity.omitted += all.length - count;
  return count === all.length ? all : all.slice(0, count);
}

/** Fields of one object or list: vendors' usage has some dozens. */
const MAX_FIELDS = 256;
/** Values of an object with everything inside it. */
const MAX_VALUES = 2_048;
/** Length of a name or text: vendors write words. */
const MAX_LETTERS = 1_024;
