import { LongNumber } from "../base/json/exact-json.ts";
import { setField } from "../base/json/record.ts";
import { fieldPath, type LossList, RefusedField } from "../conversation/loss.ts";
import type { ForeignField } from "../conversation/request.ts";
import { asArray, asObject, type JsonObject } from "./json.ts";
import type { JsonType } from "./protocol.ts";

/**
 * An object of a caller's body and where it stands. What is listed by the specification is read strictly:
 * null counts as absent, a wrong type is refused naming the field. (Upstreams' answers are read
 * leniently, with `json.ts`.)
 */
export interface Fields {
  readonly value: JsonObject;
  /** "" for the body itself. */
  readonly path: string;
}

/** The body as fields; refused where it is no object. */
export function bodyFields(body: unknown): Fields {
  const value = asObject(body);
  if (value === undefined) throw new RefusedField("", "The body must be a JSON object.");
  return { value, path: "" };
}

/** The path of a field, or of an item where `key` is a number. */
export function pathOf(fields: Fields, key: string | number): string {
  return typeof key === "number" ? `${fields.path}[${key}]` : fieldPath(fields.path, key);
}

/** The keys that lead to a path, from the body's top; undefined inside of a list. */
function keysTo(path: string): readonly string[] | undefined {
  const steps = path.match(STEP) ?? [];
  const keys = steps.flatMap((step): readonly string[] => {
    if (!step.startsWith("[")) return [step];
    return step.startsWith('["') ? [JSON.parse(step.slice(1, -1)) as string] : [];
  });
  return keys.length < steps.length ? undefined : keys;
}

/** The form that `fieldPath` returns. */
const STEP = /[^\s.,[\]"]+|\["(?:[^"\\]|\\.)*"\]|\[\d*\]/g;

/**
 * A body for an upstream with the fields of the caller's own protocol that the neutral form has no place for, each where it was:
 * at the top, or as many levels below as are given. Inside of lists, and deeper, they have no place to go back to.
 */
export function withOwnFields(
  body: JsonObject,
  foreign: readonly ForeignField[],
  losses: LossList,
  levels: number,
): Record<string, unknown> {
  const copied = new Set<unknown>();
  const copyOf = (value: unknown): Record<string, unknown> => {
    const copy: Record<string, unknown> = { ...asObject(value) };
    copied.add(copy);
    return copy;
  };
  const whole = copyOf(body);
  for (const { path, value } of foreign) {
    const keys = keysTo(path);
    const last = keys?.at(-1);
    if (keys === undefined || last === undefined || keys.length > levels) {
      losses.at(path);
      continue;
    }
    let object = whole;
    // Each object is copied once: as many copies as fields would be work that grows with their square.
    for (const key of keys.slice(0, -1)) {
      const inner = Object.hasOwn(object, key) ? object[key] : undefined;
      const copy = copied.has(inner) ? (inner as typeof whole) : copyOf(inner);
      setField(object, key, copy);
      object = copy;
    }
    setField(object, last, value);
  }
  return whole;
}

export function refuse(fields: Fields, key: string, why: string): never {
  throw new RefusedField(pathOf(fields, key), why);
}

export function optionalText(fields: Fields, key: string): string | undefined {
  const value = fields.value[key] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  return refuse(fields, key, `\`${pathOf(fields, key)}\` must be a string.`);
}

export function requiredText(fields: Fields, key: string): string {
  return optionalText(fields, key) ?? refuse(fields, key, `\`${pathOf(fields, key)}\` is missing.`);
}

export function optionalNumber(fields: Fields, key: string): number | undefined {
  const stated = fields.value[key] ?? undefined;
  const value = stated instanceof LongNumber ? stated.valueOf() : stated;
  if (value === undefined || (typeof value === "number" && Number.isFinite(value))) return value;
  return refuse(fields, key, `\`${pathOf(fields, key)}\` must be a number.`);
}

/** A whole number from `least` on, e.g. a limit of tokens. */
export function optionalCount(fields: Fields, key: string, least: 0 | 1 = 1): number | undefined {
  const value = optionalNumber(fields, key);
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return value;
  const range = least === 0 ? "from 0 on" : "above 0";
  return refuse(fields, key, `\`${pathOf(fields, key)}\` must be a whole number ${range}.`);
}

export function optionalFlag(fields: Fields, key: string): boolean | undefined {
  const value = fields.value[key] ?? undefined;
  if (value === undefined || typeof value === "boolean") return value;
  return refuse(fields, key, `\`${pathOf(fields, key)}\` must be true or false.`);
}

export function optionalFields(fields: Fields, key: string): Fields | undefined {
  const value = fields.value[key] ?? undefined;
  if (value === undefined) return undefined;
  const object = asObject(value);
  if (object !== undefined) return { value: object, path: pathOf(fields, key) };
  return refuse(fields, key, `\`${pathOf(fields, key)}\` must be an object.`);
}

export function requiredFields(fields: Fields, key: string): Fields {
  return optionalFields(fields, key) ?? refuse(fields, key, `\`${pathOf(fields, key)}\` is missing.`);
}

/** The objects of an array; [] where it is absent. */
export function listOf(fields: Fields, key: string): readonly Fields[] {
  const value = fields.value[key] ?? undefined;
  if (value === undefined) return [];
  const path = pathOf(fields, key);
  if (!Array.isArray(value)) return refuse(fields, key, `\`${path}\` must be an array.`);
  return value.map((item: unknown, index) => {
    const object = asObject(item);
    if (object === undefined)
      throw new RefusedField(`${path}[${index}]`, `\`${path}[${index}]\` must be an object.`);
    return { value: object, path: `${path}[${index}]` };
  });
}

/** The strings of an array; undefined where it is absent. */
export function optionalTexts(fields: Fields, key: string): readonly string[] | undefined {
  const value = fields.value[key] ?? undefined;
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  return refuse(fields, key, `\`${pathOf(fields, key)}\` must be an array of strings.`);
}

/**
 * The fields that the decoder knows nothing of, or keeps for its own protocol: each a loss elsewhere.
 * `meaning` names those that change what the response means. Null counts as absent, and so does an empty
 * list: clients send earlier responses back as they got them, with lists of what was not cited.
 */
export function foreignFields(
  fields: Fields,
  known: ReadonlySet<string>,
  meaning: ReadonlySet<string> = NONE,
): readonly ForeignField[] {
  return foreignKeys(fields, known).map((key) => ({
    path: pathOf(fields, key),
    value: fields.value[key],
    ifUnsupported: meaning.has(key) ? "refuse" : "drop",
  }));
}

/** Their keys. */
export function foreignKeys({ value }: Fields, known: ReadonlySet<string>): readonly string[] {
  return Object.keys(value).filter((key) => !known.has(key) && isPresent(value[key]));
}

/** Objects inside of a body by their paths, such as `messages[].content[].file`, with the fields that are known there. */
export type Insides = readonly (readonly [path: string, known: readonly string[]])[];

/** The same for objects further inside. What is no object there is for the decoders to refuse, or to read. */
export function foreignInside(body: Fields, insides: Insides): readonly ForeignField[] {
  return insides.flatMap(([path, known]) => {
    const all = path.split(".").reduce(stepInto, [body]);
    const names = new Set(known);
    return all.flatMap((fields) => foreignFields(fields, names));
  });
}

function stepInto(all: readonly Fields[], step: string): Fields[] {
  const key = step.replace("[]", "");
  return all.flatMap((fields): Fields[] => {
    const path = pathOf(fields, key);
    const inner = fields.value[key];
    const found = step === key ? [{ value: inner, path }] : itemsOf(inner, path);
    return found.flatMap(({ value, path }) => {
      const object = asObject(value);
      return object === undefined ? [] : [{ value: object, path }];
    });
  });
}

function itemsOf(list: unknown, path: string): { readonly value: unknown; readonly path: string }[] {
  return asArray(list).map((value, index) => ({ value, path: `${path}[${index}]` }));
}

function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}

const NONE: ReadonlySet<string> = new Set();

/**
 * The top-level fields of a protocol's requests, which is the one table of them: forwarding checks the types of what is
 * listed, the decoder knows by it what it reads and what is lost elsewhere, and OpenAPI describes each that is listed.
 */
export interface RequestFields {
  /** Those of the specification and the types that it allows; `null` always counts as absent. */
  readonly listed: Readonly<Record<string, readonly JsonType[]>>;
  /** Further ones that the decoder reads. */
  readonly decoded: readonly string[];
  /** Those that change what the response means and that only their own protocol has: refused elsewhere. */
  readonly meaning: readonly string[];
  /** Listed ones that the decoder does not read by this name, besides: hints, and second spellings. */
  readonly passed: readonly string[];
}

/** The fields that a decoder reads; every other is a loss elsewhere, or refused. */
export function knownFields({ listed, decoded, meaning, passed }: RequestFields): ReadonlySet<string> {
  const known = new Set([...Object.keys(listed), ...decoded]);
  for (const field of [...meaning, ...passed]) known.delete(field);
  return known;
}

/** The end user behind a caller. Chat completions and responses have two fields for it, the others one. */
export interface EndUser {
  readonly user: string | undefined;
  /** The second field, where both are said and differ. */
  readonly foreign: readonly ForeignField[];
}

export function decodeEndUser(body: Fields): EndUser {
  const user = optionalText(body, "user");
  const identifier = optionalText(body, "safety_identifier");
  const isLost = user !== undefined && identifier !== undefined && identifier !== user;
  return {
    user: user ?? identifier,
    foreign: isLost ? [{ path: "safety_identifier", value: identifier, ifUnsupported: "drop" }] : [],
  };
}
