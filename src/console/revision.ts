import { createHash } from "node:crypto";

/**
 * Names a state of a record: 32 hexadecimal digits that are others once anything of what a write replaces is another.
 * A digest, so that no table needs a column for it and every way to change a record counts, a catalog file too.
 */
export function revisionOf(record: unknown): string {
  return createHash("sha256").update(JSON.stringify(record, inOrder)).digest("hex").slice(0, 32);
}

/** The order of fields means nothing: the database keeps its own. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
