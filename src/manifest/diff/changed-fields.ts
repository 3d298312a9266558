import { isRecord } from "../../base/json/record.ts";
import type { FileRecord, FileValue } from "../file/file-value.ts";

/** `weight 1 -> 2` for each field in which two records differ; lists count as one field. */
export function changedFields(before: FileRecord, after: FileRecord): string[] {
  const [old, wanted] = [flatten(before), flatten(after)];
  const fields = new Set([...old.keys(), ...wanted.keys()]);
  return [...fields].flatMap((field) => {
    const [from, to] = [old.get(field) ?? UNSET, wanted.get(field) ?? UNSET];
    return from === to ? [] : [`${field} ${from} -> ${to}`];
  });
}

/** `weight 3` for each field that a new item has otherwise than `defaults`. */
export function setFields(record: FileRecord, defaults: FileRecord = {}): string[] {
  const usual = flatten(defaults);
  return Array.from(flatten(record)).flatMap(([field, text]) =>
    usual.get(field) === text ? [] : [`${field} ${text}`],
  );
}

const UNSET = "(unset)";

/** Every leaf by its path, as text that only equal values share. */
function flatten(record: FileRecord, under = ""): Map<string, string> {
  const leaves = new Map<string, string>();
  for (const [field, value] of Object.entries(record)) {
    if (value === undefined) continue;
    const path = under ? `${under}.${field}` : field;
    if (isRecord(value)) {
      for (const [inner, text] of flatten(value, path)) leaves.set(inner, text);
    } else {
      leaves.set(path, leafText(value));
    }
  }
  return leaves;
}

/** Text is quoted only where it could be taken for something else. */
function leafText(value: FileValue): string {
  if (Array.isArray(value)) return `[${value.map(leafText).join(", ")}]`;
  // A record in a list. Sorted: the database gives its fields back in an order of its own.
  if (isRecord(value)) {
    const fields = Array.from(flatten(value), ([field, text]) => `${field}: ${text}`);
    return `{ ${fields.sort().join(", ")} }`;
  }
  if (typeof value !== "string") return String(value);
  return /^[A-Za-z][\w./:@-]*$/.test(value) && !/^(true|false|null)$/.test(value)
    ? value
    : JSON.stringify(value);
}
