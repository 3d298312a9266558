import { bodyFields, type Fields, optionalTexts, pathOf, refuse } from "../fields.ts";
import { asObject, type JsonObject } from "../json.ts";

/**
 * The vendor reads every field in camelCase and in snake_case alike, and SDKs write both. These readers
 * give the fields that a decoder knows in camelCase; unknown ones keep their spelling. Where a body has
 * both, camelCase wins.
 */
export function camelBody(body: unknown, known: ReadonlySet<string>): Fields {
  return camelFields(bodyFields(body), known);
}

function camelFields(fields: Fields, known: ReadonlySet<string>): Fields {
  const value: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(fields.value)) {
    const camel = camelCase(key);
    if (camel === key || !known.has(camel)) value[key] = inner;
    else value[camel] ??= fields.value[camel] ?? inner;
  }
  return { value, path: fields.path };
}

/** An object inside; undefined where it is absent. */
export function camelInside(fields: Fields, key: string, known: ReadonlySet<string>): Fields | undefined {
  const value = fields.value[key] ?? undefined;
  if (value === undefined) return undefined;
  const object = asObject(value) ?? refuse(fields, key, `\`${pathOf(fields, key)}\` must be an object.`);
  return camelFields({ value: object, path: pathOf(fields, key) }, known);
}

/** The items of a list, or the single value in place of a list of one (rule 42). */
export function itemsOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** The strings of a list; undefined where it is absent. */
export function textsOf(fields: Fields, key: string): readonly string[] | undefined {
  const value = fields.value[key];
  return optionalTexts(typeof value === "string" ? { ...fields, value: { [key]: [value] } } : fields, key);
}

/** The objects of a list. */
export function camelList(fields: Fields, key: string, known: ReadonlySet<string>): readonly Fields[] {
  const path = pathOf(fields, key);
  return itemsOf(fields.value[key]).map((item, index) => {
    const object = asObject(item);
    if (object === undefined) return refuse(fields, key, `\`${path}[${index}]\` must be an object.`);
    return camelFields({ value: object, path: `${path}[${index}]` }, known);
  });
}

/** The same for a response, which is read leniently: the object with all its fields in camelCase. */
export function camelObject(value: unknown): JsonObject | undefined {
  const object = asObject(value);
  // Vendors' own responses are in camelCase already.
  if (object === undefined || !Object.keys(object).some((key) => key.includes("_"))) return object;
  return Object.fromEntries(Object.entries(object).map(([key, inner]) => [camelCase(key), inner]));
}

function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
