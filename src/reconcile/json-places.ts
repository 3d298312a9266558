/** Where a value of a JSON text begins; both count from 1. */
export interface JsonPlace {
  readonly line: number;
  readonly column: number;
}

type JsonPath = readonly PropertyKey[];

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Where the values at these paths begin in a valid JSON text; of one that is not there, the innermost that should hold it. */
export function placesIn(json: string, paths: readonly JsonPath[]): JsonPlace[] {
  const offsets = paths.map(() => 0);
  const lengths = paths.map(() => -1);
  // The key of the current value in each object and array around it.
  const keys: (PropertyKey | undefined)[] = [];
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    const depth = keys.length;
    const key = keys[depth - 1];
    if (token === "}" || token === "]") keys.pop();
    else if (token === ",") keys[depth - 1] = typeof key === "number" ? key + 1 : undefined;
    else if (token === ":") continue;
    else if (depth > 0 && key === undefined) keys[depth - 1] = JSON.parse(token) as string;
    else {
      for (const [at, path] of paths.entries()) {
        if (depth <= (lengths[at] ?? 0) || !keys.every((each, level) => each === path[level])) continue;
        [offsets[at], lengths[at]] = [index, depth];
      }
      if (token === "{") keys.push(undefined);
      else if (token === "[") keys.push(0);
    }
  }
  return offsets.map((offset) => placeAt(json, offset));
}

export function placeAt(text: string, offset: number): JsonPlace {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
