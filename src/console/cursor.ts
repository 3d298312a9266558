import { wrongMark } from "./input.ts";

/** The place of a row in a list by time: PostgreSQL's microseconds, as a Date would lose three digits, and the row's id. */
export interface CursorPosition {
  readonly micros: bigint;
  readonly id: string;
}

/** A place as the opaque word that a list gives as `next`. */
export function encodeCursor({ micros, id }: CursorPosition): string {
  return Buffer.from(`${micros} ${id}`).toString("base64url");
}

/** Reads `after`; undefined = from the beginning. Throws 400 on what no list has given. */
export function decodeCursor(after: string | undefined): CursorPosition | undefined {
  if (after === undefined) return undefined;
  const [, micros, id] = /^(\d{1,17}) ([\w-]{1,100})$/.exec(Buffer.from(after, "base64url").toString()) ?? [];
  if (micros === undefined || id === undefined) throw wrongMark();
  return { micros: BigInt(micros), id };
}
