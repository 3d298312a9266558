import { USAGE_LEVELS } from "../../base/json/exact-json.ts";
import { readCount } from "../../usage/usage.ts";
import { asObject, type JsonObject } from "../json.ts";

/**
 * Joins what a stream states one time after the other: per field the last value wins, never a sum, since
 * vendors repeat or raise their counts (rule 6). Null is no statement, and nor are zeros alone behind counts.
 */
export function latestCounts(earlier: JsonObject | undefined, later: JsonObject): JsonObject {
  const stated = keptUsage(later);
  if (earlier === undefined) return stated;
  const isEmpty = Object.values(stated).every((value) => typeof value !== "number" || value === 0);
  return keptUsage(joinCounts(earlier, stated, isEmpty, 0));
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

/**
 * A vendor's usage object as it is read, joined and recorded; whatever copies or looks through usage does so with this. Of an
 * object that is larger than any vendor's only the first values are kept, and `omitted_fields` says how many are not.
 */
export function keptUsage(usage: JsonObject): JsonObject {
  const room: Room = { values: MAX_VALUES, omitted: 0 };
  const kept = keptObject(usage, room, USAGE_LEVELS);
  if (room.omitted === 0) return kept;
  return { ...kept, [OMITTED]: room.omitted + (readCount(usage[OMITTED]) ?? 0) };
}

/** The value as far as it is kept, if it is a usage object. */
export function asUsage(value: unknown): JsonObject | undefined {
  const usage = asObject(value);
  return usage === undefined ? undefined : keptUsage(usage);
}

const OMITTED = "omitted_fields";

/** How many values may still be kept, and how many are not. */
interface Room {
  values: number;
  omitted: number;
}

/** The same object where all of it is kept, as of every honest answer. Its names are listed once, which costs most. */
function keptObject(object: JsonObject, room: Room, levels: number): JsonObject {
  const names = Object.keys(object);
  const first = takeRoom(names, room);
  const values = first.map((name) =>
    keptValue(name.length > MAX_LETTERS ? name : object[name], room, levels),
  );
  const isWhole = first.length === names.length && first.every((name, at) => values[at] === object[name]);
  if (isWhole) return object;
  return Object.fromEntries(
    first.flatMap((name, at) => (values[at] === undefined ? [] : [[name, values[at]]])),
  );
}

function keptList(list: readonly unknown[], room: Room, levels: number): readonly unknown[] {
  const first = takeRoom(list, room);
  const values = first.map((value) => keptValue(value, room, levels));
  const isWhole = first.length === list.length && values.every((value, at) => value === list[at]);
  return isWhole ? list : values.filter((value) => value !== undefined);
}

/** Undefined where it is not kept. `levels`: how many objects and lists it may stand for, one within the other. */
function keptValue(value: unknown, room: Room, levels: number): unknown {
  const isNest = typeof value === "object" && value !== null;
  if (isNest ? levels > 1 : typeof value !== "string" || value.length <= MAX_LETTERS) {
    if (Array.isArray(value)) return keptList(value, room, levels - 1);
    const object = asObject(value);
    return object === undefined ? value : keptObject(object, room, levels - 1);
  }
  room.omitted += 1;
  return undefined;
}

function takeRoom<Value>(all: readonly Value[], room: Room): readonly Value[] {
  const count = Math.min(all.length, MAX_FIELDS, room.values);
  room.values -= count;
  room.omitted += all.length - count;
  return count === all.length ? all : all.slice(0, count);
}

/** Of one object or list: vendors' usage has some dozens. */
const MAX_FIELDS = 256;
/** Of an object with all that it holds. */
const MAX_VALUES = 2_048;
/** Of a name or a text: vendors write words. */
const MAX_LETTERS = 1_024;
