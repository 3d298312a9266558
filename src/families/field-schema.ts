import type { Field, FieldTable, ListField, UrlForm, WholeField } from "./field.ts";

type Json = Readonly<Record<string, unknown>>;

/** Converts a family's table to the JSON Schema of a request, without `model`. */
export function schemaOfFields(fields: FieldTable): { properties: Json; required: string[] } {
  const properties = Object.entries(fields).flatMap(([name, field]) => [
    [name, schemaOfField(field)],
    ...(field.alias === undefined
      ? []
      : [
          [
            field.alias,
            { ...schemaOfField(field), description: `Alias of \`${name}\`, used where that is absent` },
          ],
        ]),
  ]);
  return {
    properties: Object.fromEntries(properties),
    required: Object.keys(fields).filter((name) => fields[name]?.required),
  };
}

/** Includes the default. */
function schemaOfField(field: Field): Json {
  const byDefault = "byDefault" in field && field.byDefault !== null ? { default: field.byDefault } : {};
  return { ...formOf(field), ...byDefault, description: field.about };
}

function formOf(field: Field): Json {
  switch (field.type) {
    case "text":
      // A text that is cut may have any length.
      return {
        type: "string",
        minLength: field.required ? 1 : undefined,
        maxLength: field.maxCharacters !== undefined && !field.cut ? field.maxCharacters : undefined,
      };
    case "choice": {
      if (field.forgiving) return { type: "string", examples: field.values };
      const spellings = field.anyCase
        ? field.values.flatMap((word) => [...new Set([word, word.toLowerCase(), word.toUpperCase()])])
        : field.values;
      if (field.orLike === undefined) return { type: "string", enum: spellings };
      return { type: "string", anyOf: [{ enum: spellings }, { pattern: field.orLike.source }] };
    }
    case "whole":
      return wholeForm(field);
    case "flag":
      return { type: "boolean" };
    case "url":
      return addressForm(["public"]);
    case "urls":
    case "objects":
      return listForm(field);
  }
}

function wholeForm({ least, most, also }: WholeField): Json {
  const range = { minimum: least, maximum: most };
  return also === undefined
    ? { type: "integer", ...range }
    : { type: "integer", anyOf: [{ const: also }, range] };
}

function addressForm(forms: readonly UrlForm[]): Json {
  return { type: "string", format: "uri", pattern: `^(${forms.map(beginning).join("|")})` };
}

/** JSON Schema's patterns have no flag that ignores case. */
function beginning(form: UrlForm): string {
  return BEGINNINGS[form].replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}

/** The beginning of each form of URL, as a pattern. */
const BEGINNINGS: Readonly<Record<UrlForm, string>> = {
  public: "https?://",
  data: "data:image/",
  asset: "asset://",
};

function listForm({ type, item, required, most, cut, takes }: ListField): Json {
  const items = type === "urls" ? addressForm(takes ?? ["public"]) : (item ?? { type: "object" });
  return {
    type: "array",
    // Ignored items may be anything.
    items: cut ? true : items,
    prefixItems: cut ? Array.from({ length: most ?? 0 }, () => items) : undefined,
    minItems: required ? 1 : undefined,
    maxItems: most !== undefined && !cut ? most : undefined,
  };
}
