/** Thrown if data is not in the vendor's form. The message is the end of a sentence; of the data it quotes names alone. */
export class MalformedResponse extends Error {
  override readonly name = "MalformedResponse";
}

/** The names of an object's fields, for such a sentence: what is no plain name isn't told, nor more than a few. */
export function fieldNames(object: object): string {
  const names = Object.keys(object).map((name) =>
    /^\w{1,40}$/.test(name) ? name : "a field with another name",
  );
  const shown = names.slice(0, MAX_NAMES);
  return names.length > shown.length ? `${shown.join(", ")} and others` : shown.join(", ");
}

const MAX_NAMES = 5;

/** The end of a sentence: why a response can't be read, never in the runtime's words, which quote what was read. */
export function whyMalformed(error: unknown): string {
  return error instanceof MalformedResponse ? error.message : "it is not in the vendor's form";
}
