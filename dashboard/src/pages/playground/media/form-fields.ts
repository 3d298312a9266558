import { listAt, textAt, valueAt } from "../json.ts";

/** A field of a form for images or videos, made from the JSON Schema of the capability catalog. */
export type FormField = FieldBasics &
  (
    | { readonly kind: "text"; readonly most: number | undefined }
    | { readonly kind: "choice"; readonly values: readonly string[]; readonly orLike: string | undefined }
    | {
        readonly kind: "whole";
        readonly least: number;
        readonly most: number;
        /** One more value beside the range: -1, the model decides. */
        readonly also: number | undefined;
      }
    | { readonly kind: "flag" }
    | {
        readonly kind: "links";
        /** A single one is a text, not a list. */
        readonly single: boolean;
        readonly most: number;
        /** Files of this device may stand in it, as data URLs. */
        readonly files: boolean;
      }
    | { readonly kind: "items"; readonly most: number; readonly variants: readonly ItemVariant[] }
  );

interface FieldBasics {
  readonly name: string;
  /** In the gateway's words, which are English. */
  readonly about: string;
  readonly required: boolean;
  /** What counts where it is left out; undefined = the model's own. */
  readonly byDefault: unknown;
}

/** One form that an item of a list may have: `{ type: "image_url", image_url: { url }, role }`. */
export interface ItemVariant {
  /** What stands in each such item and is not asked for. */
  readonly fixed: Readonly<Record<string, string>>;
  readonly inputs: readonly ItemInput[];
}

export interface ItemInput {
  /** Names from the item inwards: `image_url`, `url`. */
  readonly way: readonly string[];
  /** Empty = any text. */
  readonly values: readonly string[];
  readonly required: boolean;
}

/** The fields of a request's schema, in its order; other names of a field are left out. */
export function formFields(schema: unknown): readonly FormField[] {
  const properties = (valueAt(schema, "properties") ?? {}) as Readonly<Record<string, unknown>>;
  const required = new Set(listAt(schema, "required"));
  return Object.entries(properties).flatMap(([name, form]) => {
    const about = textAt(form, "description");
    if (/^Alias of `.*`, used where that is absent$/.test(about)) return [];
    const basics = { name, about, required: required.has(name), byDefault: valueAt(form, "default") };
    return [{ ...basics, ...kindOf(form) }];
  });
}

type Kind = FormField extends infer Field
  ? Field extends FieldBasics
    ? Omit<Field, keyof FieldBasics>
    : never
  : never;

function kindOf(form: unknown): Kind {
  switch (valueAt(form, "type")) {
    case "boolean":
      return { kind: "flag" };
    case "integer":
      return wholeOf(form);
    case "array":
      return listOf(form);
    default:
      return textOf(form);
  }
}

function textOf(form: unknown): Kind {
  const branches = [form, ...listAt(form, "anyOf")];
  const values = branches.flatMap((branch) => [...listAt(branch, "enum"), ...listAt(branch, "examples")]);
  if (values.length > 0) {
    const orLike = branches.map((branch) => textAt(branch, "pattern")).find((pattern) => pattern !== "");
    return {
      kind: "choice",
      values: spelledOnce(values.filter((value) => typeof value === "string")),
      orLike,
    };
  }
  if (textAt(form, "format") === "uri") return { kind: "links", single: true, most: 1, files: false };
  return { kind: "text", most: numberAt(form, "maxLength") };
}

function wholeOf(form: unknown): Kind {
  const branches = [form, ...listAt(form, "anyOf")];
  const bound = (name: string) =>
    branches.map((branch) => numberAt(branch, name)).find((number) => number !== undefined);
  return {
    kind: "whole",
    least: bound("minimum") ?? Number.MIN_SAFE_INTEGER,
    most: bound("maximum") ?? Number.MAX_SAFE_INTEGER,
    also: bound("const"),
  };
}

/** No list of a request is longer. */
const MAX_LIST = 200;

function listOf(form: unknown): Kind {
  const listed = listAt(form, "prefixItems");
  const item = listed[0] ?? valueAt(form, "items");
  const most = numberAt(form, "maxItems") ?? (listed.length > 0 ? listed.length : MAX_LIST);
  if (textAt(item, "type") === "string") {
    return { kind: "links", single: false, most, files: isMatch(textAt(item, "pattern"), "data:image/png") };
  }
  const variants = listAt(item, "oneOf");
  return { kind: "items", most, variants: (variants.length > 0 ? variants : [item]).map(variantOf) };
}

function variantOf(form: unknown): ItemVariant {
  const properties = (valueAt(form, "properties") ?? {}) as Readonly<Record<string, unknown>>;
  const fixed = Object.entries(properties).flatMap(([name, each]) => {
    const constant = valueAt(each, "const");
    return typeof constant === "string" ? [[name, constant] as const] : [];
  });
  return { fixed: Object.fromEntries(fixed), inputs: inputsOf(form, [], true) };
}

function inputsOf(form: unknown, before: readonly string[], needed: boolean): readonly ItemInput[] {
  const properties = (valueAt(form, "properties") ?? {}) as Readonly<Record<string, unknown>>;
  const required = new Set(listAt(form, "required"));
  return Object.entries(properties).flatMap(([name, each]) => {
    if (valueAt(each, "const") !== undefined) return [];
    const way = [...before, name];
    const isNeeded = needed && required.has(name);
    if (valueAt(each, "type") === "object") return inputsOf(each, way, isNeeded);
    const values = listAt(each, "enum").filter((value) => typeof value === "string");
    return [{ way, values, required: isNeeded }];
  });
}

/** Catalogs list every spelling that is taken; a person needs one. */
function spelledOnce(values: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return values.filter((value) => {
    const known = seen.has(value.toLowerCase());
    seen.add(value.toLowerCase());
    return !known;
  });
}

function numberAt(form: unknown, name: string): number | undefined {
  const value = valueAt(form, name);
  return typeof value === "number" ? value : undefined;
}

function isMatch(pattern: string, text: string): boolean {
  return pattern !== "" && new RegExp(pattern).test(text);
}
