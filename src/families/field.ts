/**
 * A field of a family's request as data. One description drives what is read from a body, what stands for a
 * value that is absent, what happens to a wrong one, the OpenAPI schema and the capability catalog.
 */
export type Field = TextField | ChoiceField | WholeField | FlagField | UrlField | ListField;

export type FieldTable = Readonly<Record<string, Field>>;

/** How a field can be wrong: not there, not of its type, of its type and not allowed, or a list that is too long. */
export type Fault = "missing" | "malformed" | "outside" | "many";

/** The faults that are answered with 400, and as what; any other lets the task be accepted and then fail. */
export type Refusals = Readonly<Partial<Record<Fault, "invalid_request" | "invalid_duration">>>;

interface FieldBasics {
  /** For people. */
  readonly about: string;
  readonly required?: true;
  readonly refused?: Refusals | undefined;
  /** Another name of the field, which counts where the field itself is absent. */
  readonly alias?: string;
}

export interface TextField extends FieldBasics {
  readonly type: "text";
  /** In Unicode characters. */
  readonly maxCharacters?: number;
  /** The text beyond is cut off without a word; else too long a text is a fault. */
  readonly cut?: true;
}

/** One of the listed words, in the specification's spelling. */
export interface ChoiceField extends FieldBasics {
  readonly type: "choice";
  readonly values: readonly string[];
  readonly byDefault: string | null;
  readonly anyCase?: true;
  /** Texts that are allowed beside the listed words. */
  readonly orLike?: RegExp;
  /** Any other value stands for the default without a word. */
  readonly forgiving?: true;
}

export interface WholeField extends FieldBasics {
  readonly type: "whole";
  readonly least: number;
  readonly most: number;
  /** A single value that is allowed beside the range. */
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
  /** Items beyond are ignored without a word; else too many are a fault. */
  readonly cut?: true;
  /** Which addresses are taken; without it only public ones. */
  readonly takes?: readonly UrlForm[];
  /** JSON Schema of an item, where it is an object. */
  readonly item?: Readonly<Record<string, unknown>>;
}

/** http(s), `data:image/...;base64,...`, `asset://<Id>`. */
export type UrlForm = "public" | "data" | "asset";
