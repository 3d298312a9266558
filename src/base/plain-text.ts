/**
 * Text without control characters, which no database and no log likes. The class is spelt out because it ends up in the
 * OpenAPI document and in the catalog file's JSON Schema, whose readers know no `\p{Cc}` where they are written in Python.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keeping them out is what it is for
export const PLAIN_TEXT = /^[^\x00-\x1f\x7f-\x9f]*$/;

/** "1 account", "2 accounts": for regular nouns. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
