import { parseDecimal } from "../base/money.ts";

/** The number, or its own text where a float would lose digits: decimal fields read both exactly. */
export function exactNumber(value: number, source: string | undefined): number | string {
  const text = source?.replace(/^([+-]?)\./, "$10.").replace(/\.(?=$|[eE])/, "");
  if (text === undefined || !/^[+-]?\d/.test(text) || /^0[xo]/.test(text)) return value;
  try {
    // 40 places: far beyond what any field keeps, so nothing is lost in the comparison itself.
    if (parseDecimal(text, 40) === parseDecimal(value, 40)) return value;
  } catch {
    // Too many places, or too large for a float: the field itself says what is wrong with it.
  }
  return text;
}

/**
 * What a text taken from the environment would be, had it stood in the file. Up to 15 digits only: what is
 * longer is rather a key that happens to have no letters.
 */
export function plainValue(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  const isNumber = text.length <= 15 && String(Number(text)) === text && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}
