/** One value that a change set, or took away. */
export interface Difference {
  /** `price.input`; "" where the whole is one value. */
  readonly path: string;
  /** undefined = it was not there. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * Every leaf in which two values differ, in the order of the first. A list counts as one value; but the changes of a catalog
 * are one difference for each model, upstream or account, with a line for each of its fields.
 */
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
  if (Array.isArray(value)) {
    return path === "changes" ? changesOf(value) : new Map([[path, value.map(textOf).join(", ")]]);
  }
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

/** Lines as the comparison of a catalog file has them: what changed, and below it, indented, how. */
function changesOf(lines: readonly unknown[]): Map<string, string> {
  const changes = new Map<string, string>();
  let head = "";
  for (const line of lines.map(textOf)) {
    if (line.startsWith(" ")) {
      changes.set(head, [changes.get(head) ?? "", line.trim()].filter(Boolean).join("\n"));
      continue;
    }
    const at = /^[+~-] /.test(line) ? line.indexOf(": ") : -1;
    head = at < 0 ? line : line.slice(0, at);
    changes.set(head, at < 0 ? "" : line.slice(at + 2));
  }
  return changes;
}
