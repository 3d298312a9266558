/** One value that a change set, or took away. */
export interface Difference {
  /** `price.input`; "" where the whole is one value. */
  readonly path: string;
  /** undefined = it was not there. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Every leaf in which two values differ, in the order of the first. A list counts as one value. */
export function differencesOf(before: unknown, after: unknown): Difference[] {
  const [old, wanted] = [leavesOf(before), leavesOf(after)];
  const paths = [...new Set([...old.keys(), ...wanted.keys()])];
  return paths.flatMap((path) => {
    const [from, to] = [old.get(path), wanted.get(path)];
    return from === to ? [] : [{ path, before: from, after: to }];
  });
}

function leavesOf(value: unknown, path = ""): Map<string, string> {
  if (value === undefined || (value === null && path === "")) return new Map();
  if (Array.isArray(value)) return new Map([[path, value.map(textOf).join(", ")]]);
  if (typeof value !== "object" || value === null) return new Map([[path, textOf(value)]]);
  return new Map(
    Object.entries(value).flatMap(([name, inner]) => [
      ...leavesOf(inner, path === "" ? name : `${path}.${name}`),
    ]),
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
