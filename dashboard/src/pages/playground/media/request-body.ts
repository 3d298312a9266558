import { textAt, valueAt } from "../json.ts";
import type { FormField, ItemVariant } from "./form-fields.ts";

/** What stands in a form: the request's own fields; what is absent counts as left to its default. */
export type FormValues = Readonly<Record<string, unknown>>;

/** The values with one changed; undefined, "" and an empty list take it away. */
export function withValue(values: FormValues, name: string, value: unknown): FormValues {
  const { [name]: _, ...rest } = values;
  const isNothing = value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
  return isNothing ? rest : { ...rest, [name]: value };
}

/**
 * The request of a form: its model, and of the values those that the form shows for it, as some may have been chosen for
 * another model. Blank links are not sent.
 */
export function requestBody(model: string, fields: readonly FormField[], values: FormValues): FormValues {
  const filled = fields.flatMap((field) => {
    const { name } = field;
    const value = isShown(field, values[name]) ? values[name] : undefined;
    const sent = Array.isArray(value) ? value.filter((item) => item !== "") : value;
    return withValue({}, name, sent)[name] === undefined ? [] : [[name, sent] as const];
  });
  return { model, ...Object.fromEntries(filled) };
}

/** Whether a value stands in its field as it is; else the field shows its default, and that is what counts. */
function isShown(field: FormField, value: unknown): boolean {
  switch (field.kind) {
    case "choice":
      return field.orLike === undefined ? knownChoice(field.values, value) !== undefined : true;
    case "links":
      return Array.isArray(value) !== field.single;
    default:
      return true;
  }
}

/** The choice that a value names; whoever repeats a task may bring another spelling of it. */
export function knownChoice(choices: readonly string[], value: unknown): string | undefined {
  return choices.find((each) => each.toLowerCase() === String(value).toLowerCase());
}

/** Whether everything that the model needs is filled in. */
export function isComplete(fields: readonly FormField[], body: FormValues): boolean {
  return fields.every((field) => {
    const value = body[field.name];
    if (value === undefined) return !field.required;
    if (field.kind !== "items" || !Array.isArray(value)) return true;
    return value.every((item) => {
      const inputs = variantOfItem(field.variants, item)?.inputs ?? [];
      return inputs.every(({ way, required }) => !required || textAt(item, ...way).trim() !== "");
    });
  });
}

/** A new item of a form: what is fixed, each needed choice at its first. */
export function newItem(variant: ItemVariant): unknown {
  return variant.inputs.reduce<unknown>(
    (item, { way, values, required }) => (required ? setAt(item, way, values[0] ?? "") : item),
    { ...variant.fixed },
  );
}

/** Which of the variants an item has: the one whose fixed words it holds. */
export function variantOfItem(variants: readonly ItemVariant[], item: unknown): ItemVariant | undefined {
  return variants.find(({ fixed }) =>
    Object.entries(fixed).every(([name, word]) => valueAt(item, name) === word),
  );
}

/** The value with what stands at a way changed; "" takes an optional one away. */
export function setAt(value: unknown, way: readonly string[], given: string | undefined): unknown {
  const [name, ...rest] = way;
  if (name === undefined) return given;
  const { [name]: inner, ...others } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const changed = rest.length === 0 ? given : setAt(inner, rest, given);
  return changed === undefined ? others : { ...others, [name]: changed };
}
