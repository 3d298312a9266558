/** Thrown if data is not in the vendor's form. The message is the end of a sentence and quotes none of the data. */
export class MalformedResponse extends Error {
  override readonly name = "MalformedResponse";
}

/** The end of a sentence: why a response can't be read, never in the runtime's words, which quote what was read. */
export function whyMalformed(error: unknown): string {
  return error instanceof MalformedResponse ? error.message : "it is not in the vendor's form";
}
