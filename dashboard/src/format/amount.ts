const PLACES = 9;

/**
 * Dollars as somebody typed them, as decimal text; undefined where it is no amount. A point is the only mark there
 * is: a comma separates thousands for one reader and cents for another, so it is refused rather than guessed at.
 */
export function readAmount(typed: string): string | undefined {
  const text = typed.trim().replace(/^\$\s*/, "");
  return /^\d{1,9}(\.\d{1,9})?$/.test(text) ? text : undefined;
}

/** The same in nanos, exactly. */
export function readNanos(typed: string): string | undefined {
  const [whole, part = ""] = readAmount(typed)?.split(".") ?? [];
  return whole === undefined ? undefined : String(BigInt(whole + part.padEnd(PLACES, "0")));
}

/** Nanos as they are typed: "1500000000" is "1.5". */
export function typedAmount(nanos: string): string {
  const digits = nanos.padStart(PLACES + 1, "0");
  const part = digits.slice(-PLACES).replace(/0+$/, "");
  return digits.slice(0, -PLACES) + (part === "" ? "" : `.${part}`);
}
