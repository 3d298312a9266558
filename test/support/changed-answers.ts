/** The path of a value out of JSON: the names and numbers that lead to it. */
export type Place = readonly (string | number)[];

/** Every place in a value, itself apart. */
export function placesIn(value: unknown, at: Place = []): readonly Place[] {
  if (typeof value !== "object" || value === null) return [];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => {
    const place = [...at, key];
    return [place, ...placesIn((value as Readonly<Record<string | number, unknown>>)[key], place)];
  });
}

/** The values put in place of another, by name: nothing, null, emptied, and each wrong type. */
export const INSTEAD: Readonly<Record<string, unknown>> = {
  nothing: undefined,
  null: null,
  "an empty text": "",
  "a text": "x",
  "the address of an image that is none": "data:image/png;base64,AAAA",
  "a number": 7,
  "a flag": true,
  "an empty list": [],
  "a list of null": [null],
  "a list of a number": [7],
  "an empty object": {},
  "an object": { a: 1 },
};

/** The same value with something else at one place of it. */
export function changedAt(value: unknown, [key, ...further]: Place, instead: unknown): unknown {
  if (key === undefined) return instead;
  if (Array.isArray(value)) return value.with(Number(key), changedAt(value[Number(key)], further, instead));
  const inner = (value as Readonly<Record<string, unknown>>)[key];
  return { ...(value as object), [key]: changedAt(inner, further, instead) };
}
