/** What stands in a value read from JSON, by names and places; undefined where there is no such way. */
export function valueAt(value: unknown, ...way: readonly (string | number)[]): unknown {
  let at = value;
  for (const step of way) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Readonly<Record<string | number, unknown>>)[step];
  }
  return at;
}

/** The text that stands there; "" where none does. */
export function textAt(value: unknown, ...way: readonly (string | number)[]): string {
  const found = valueAt(value, ...way);
  return typeof found === "string" ? found : "";
}

/** The list that stands there; empty where none does. */
export function listAt(value: unknown, ...way: readonly (string | number)[]): readonly unknown[] {
  const found = valueAt(value, ...way);
  return Array.isArray(found) ? found : [];
}

/** The input of a call as an object; {} where the model wrote none, or no JSON. */
export function inputOf(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    return {};
  }
}
