import { parseDecimal } from "../../base/money.ts";

const DECIMAL = /^-?\d+(\.\d+)?$/;
const BEYOND_NUMBERS = /^[+-]?\.(inf|nan)$/i;

/**
 * A number of the file, or its own text: where a float would lose digits, which decimal fields read exactly, and where it
 * is not written in decimal digits, which no field takes.
 */
export function exactNumber(value: number, source: string | undefined): number | string {
  if (source === undefined || BEYOND_NUMBERS.test(source)) return value;
  if (!DECIMAL.test(source)) return source;
  try {
    // 40 places: far beyond what any field keeps, so nothing is lost in the comparison itself.
    if (parseDecimal(source, 40) === parseDecimal(value, 40)) return value;
  } catch {
    // Too many places, or too large for a float: the field itself says what is wrong with it.
  }
  return source;
}

/**
 * What a text taken from the environment would be, had it stood in the file. Up to 15 digits only: what is
 * longer is rather a key that happens to have no letters.
 */
export function plainValue(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  const isNumber = text.length <= 15 && DECIMAL.test(text) && String(Number(text)) === text;
  return isNumber ? Number(text) : text;
}
