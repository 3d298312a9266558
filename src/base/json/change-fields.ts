import type { FieldChanges } from "./field-changes.ts";
import { isRecord } from "./record.ts";

/** The object with the changes made. */
export function withChanges<Value>(
  object: Readonly<Record<string, Value>>,
  { set, default: ifAbsent, remove = [] }: FieldChanges,
): Record<string, Value> {
  const fields = Object.entries({ ...ifAbsent, ...object, ...set } as Record<string, Value>);
  const changed = Object.fromEntries(fields.filter(([name]) => !remove.includes(name)));
  const deeper = remove.filter((name) => name.includes("."));
  return deeper.reduce((value, path) => without(value, path.split(".")) as typeof changed, changed);
}

/** The same value where nothing is at that path. */
function without(value: unknown, [step = "", ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const left = value.map((each: unknown) => without(each, [step, ...rest]));
    return left.some((each, at) => each !== value[at]) ? left : value;
  }
  if (!isRecord(value) || !Object.hasOwn(value, step)) return value;
  if (rest.length === 0) {
    const { [step]: _cut, ...others } = value;
    return others;
  }
  const inner = without(value[step], rest);
  return inner === value[step] ? value : { ...value, [step]: inner };
}
