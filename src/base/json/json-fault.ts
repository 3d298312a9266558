/**
 * Why a body is refused before anything is sent. `kind`:
 * - `syntax`: not JSON (structure, tokens, a byte order mark, trailing bytes, or cut short)
 * - `not-object`: JSON of another type at the top
 * - `utf8`: bytes that are not UTF-8 (overlong, surrogates, above U+10FFFF, cut short)
 * - `depth`: nested deeper than MAX_DEPTH
 * - `duplicate`: a field that may stand only once stands twice; `param` names it
 * - `case`: a key that others may take for a field that is read, as it differs in case only; `param` is that key
 */
export type JsonFaultKind = "syntax" | "not-object" | "utf8" | "depth" | "duplicate" | "case";

/** A refused body; `message` is a sentence for the caller, `offset` the byte at fault. */
export class JsonFault extends Error {
  override readonly name = "JsonFault";
  readonly kind: JsonFaultKind;
  readonly offset: number;
  /** The field at fault, or "". */
  readonly param: string;

  constructor(kind: JsonFaultKind, offset: number, message: string, param = "") {
    super(message);
    this.kind = kind;
    this.offset = offset;
    this.param = param;
  }
}

/** A byte that cannot stand where it stands; `expected` says what can. */
export function unexpectedByte(byte: number, offset: number, expected: string): JsonFault {
  const message = `The body is not valid JSON: ${named(byte)} at byte ${offset}, where ${expected} should be.`;
  return new JsonFault("syntax", offset, message);
}

/** A control character that stands in a string as it is. */
export function rawControl(byte: number, offset: number, stringStart: number): JsonFault {
  const message = `The body is not valid JSON: the string at byte ${stringStart} contains a raw control character (${named(byte)} at byte ${offset}); write it as an escape such as \\n.`;
  return new JsonFault("syntax", offset, message);
}

/** A key that some readers take for a field: they don't tell cases apart, and take the later of both. */
export function differsInCase(key: string, field: string, offset: number): JsonFault {
  const message = `\`${key}\` differs from \`${field}\` only in case. Remove it or spell it \`${field}\`.`;
  return new JsonFault("case", offset, message, key);
}

/** A body whose first byte does not open an object. */
export function notAnObject(byte: number, offset: number): JsonFault {
  if (byte === 0xef && offset === 0) {
    const message = "The body begins with a byte order mark; send plain UTF-8 without it.";
    return new JsonFault("syntax", offset, message);
  }
  const opensOtherValue = '["-0123456789tfn'.includes(String.fromCharCode(byte));
  if (opensOtherValue) return new JsonFault("not-object", offset, "The body must be a JSON object.");
  return unexpectedByte(byte, offset, "a JSON object");
}

function named(byte: number): string {
  if (byte > 0x20 && byte < 0x7f) return `"${String.fromCharCode(byte)}"`;
  return `0x${byte.toString(16).padStart(2, "0")}`;
}
