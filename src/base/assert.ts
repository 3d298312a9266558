/** For what cannot happen unless our own code is wrong; never for bad input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`impossible: ${message}`);
}

/** Ends an exhaustive switch: the compiler refuses it while a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`impossible: unexpected ${JSON.stringify(value)}`);
}
