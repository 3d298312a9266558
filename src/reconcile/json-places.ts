/** The place in a JSON text where a value begins; line and column count from 1. */
export interface JsonPlace {
  readonly line: number;
  readonly column: number;
}

type JsonPath = readonly PropertyKey[];

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Finds the places of the values at these paths in a valid JSON text. For an absent value, this is the place of the
 * innermost value that should contain it.
 */
export function placesIn(json: string, paths: readonly JsonPath[]): JsonPlace[] {
  const offsets = paths.map(() => 0);
  const lengths = paths.map(() => -1);
  // Keys of the current value in the objects and arrays around it.
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
