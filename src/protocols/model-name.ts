/** A name ends up on receipts, so whatever is none is told as such. */
export function readModelName(value: unknown): string {
  return typeof value === "string" && MODEL_NAME.test(value) ? value : "unnamed";
}

const MODEL_NAME = /^[\w.:/@-]{1,100}$/;
