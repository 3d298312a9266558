import { withChanges } from "../../base/json/change-fields.ts";
import type { FieldChanges } from "../../base/json/field-changes.ts";
import { isRecord } from "../../base/json/record.ts";
import type { JsonObject } from "../request.ts";

/** The end user of a request for which neither its caller nor the operator names one. */
export interface EndUser {
  readonly id: string;
  /** The field, or the field inside of one. */
  readonly place: readonly [field: string, inner?: string | undefined];
  /** Every spelling of it in the protocol. */
  readonly paths: readonly string[];
}

/** The values of a body, either built or found in its bytes. */
export interface StatedFields {
  /** The top-level field is there, be it null. */
  has(field: string): boolean;
  /** The path has a value that is not null. */
  states(path: string): boolean;
}

/** True if nobody is named once an operator's changes are made. */
export function isAnonymous(
  { paths }: EndUser,
  { set = {}, default: ifAbsent = {}, remove = [] }: FieldChanges,
  body: StatedFields,
): boolean {
  return paths.every((path) => {
    const [field = path] = path.split(".");
    if (Object.hasOwn(set, field)) return false;
    if (remove.includes(field)) return true;
    return body.has(field) ? !body.states(path) : !Object.hasOwn(ifAbsent, field);
  });
}

/** A body that the gateway writes, with an operator's changes and the end user. */
export function withEndUser(body: JsonObject, changes: FieldChanges, endUser: EndUser): JsonObject {
  const changed = withChanges(body, changes);
  const isOpen = isAnonymous(endUser, changes, {
    has: (field) => body[field] !== undefined,
    states: (path) => (valueAt(body, path) ?? null) !== null,
  });
  if (!isOpen) return changed;
  const { id, place } = endUser;
  const [field, inner] = place;
  if (inner === undefined) return { ...changed, [field]: id };
  const before = changed[field];
  const within = isRecord(before) ? before : {};
  return { ...changed, [field]: { ...within, [inner]: id } };
}

function valueAt(body: JsonObject, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), body);
}
