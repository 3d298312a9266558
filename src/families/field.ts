/**
 * A field of a family's request as data. This one description determines how the field is read, its default, the
 * handling of faults, the OpenAPI schema and the capability catalog.
 */
export type Field = TextField | ChoiceField | WholeField | FlagField | UrlField | ListField;

export type FieldTable = Readonly<Record<string, Field>>;

/** Ways in which a field can be wrong: absent, of another type, not allowed, or a list that is too long. */
export type Fault = "missing" | "malformed" | "outside" | "many";

/**
 * Faults for which the response is 400, with the error's code. All other faults let the task be accepted and then fail.
 */
export type Refusals = Readonly<Partial<Record<Fault, "invalid_request" | "invalid_duration">>>;

interface FieldBasics {
  /** Description for people. */
  readonly about: string;
  readonly required?: true;
  readonly refused?: Refusals | undefined;
  /** Another name of the field, read if the field itself is absent. */
  readonly alias?: string;
}

export interface TextField extends FieldBasics {
  readonly type: "text";
  /** Counted in Unicode characters. */
  readonly maxCharacters?: number;
  /** The text beyond the limit is cut off silently; without this, a longer text is a fault. */
  readonly cut?: true;
}

/** One of the listed words, spelt as in the specification. */
export interface ChoiceField extends FieldBasics {
  readonly type: "choice";
  readonly values: readonly string[];
  readonly byDefault: string | null;
  readonly anyCase?: true;
  /** Other texts that are allowed as well. */
  readonly orLike?: RegExp;
  /** Any other value silently counts as the default. */
  readonly forgiving?: true;
}

export interface WholeField extends FieldBasics {
  readonly type: "whole";
  readonly least: number;
  readonly most: number;
  /** A single value that is allowed outside the range. */
  readonly also?: number;
  readonly byDefault: number | null;
}

export interface FlagField extends FieldBasics {
  readonly type: "flag";
  readonly byDefault: boolean | null;
}

export interface UrlField extends FieldBasics {
  readonly type: "url";
}

export interface ListField extends FieldBasics {
  readonly type: "urls" | "objects";
  readonly most?: number;
  /** Items beyond the limit are ignored silently; without this, a longer list is a fault. */
  readonly cut?: true;
  /** Accepted forms of URLs; absent = public ones only. */
  readonly takes?: readonly UrlForm[];
  /** JSON Schema of an item, if items are objects. */
  readonly item?: Readonly<Record<string, unknown>>;
}

/** Public http(s), `data:image/...;base64,...`, `asset://<Id>`. */
export type UrlForm = "public" | "data" | "asset";
