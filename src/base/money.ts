/**
 * Money is a whole number of nanos (one billionth of a US dollar) in a bigint; there is no float
 * anywhere on its way. Prices are nanos per 1,000,000 tokens, factors are parts per million.
 */
export type Nanos = bigint;

export const PPM = 1_000_000n;

/**
 * Reads a decimal such as `3` or `"0.30"` exactly into `scale` decimal places. A text is decimal digits with a point
 * and nothing else, as another way of writing means another amount to its next reader. Throws RangeError where digits
 * would be lost or the value is no decimal.
 */
export function parseDecimal(value: string | number, scale: number): bigint {
  // JavaScript writes small numbers with exponents, as in 1e-7.
  return typeof value === "number"
    ? parseWrittenNumber(String(value), scale)
    : scaledBy(value, DECIMAL_TEXT, scale);
}

/** The same of a number as JSON writes it, which may have an exponent. */
export function parseWrittenNumber(text: string, scale: number): bigint {
  return scaledBy(text, WRITTEN_NUMBER, scale);
}

function scaledBy(text: string, form: RegExp, scale: number): bigint {
  const match = form.exec(text);
  if (!match) throw new RangeError(`"${text}" is not a decimal number`);
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  const shift = scale - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  let scaled: bigint;
  if (shift >= 0) {
    scaled = digits * 10n ** BigInt(shift);
  } else {
    const divisor = 10n ** BigInt(-shift);
    if (digits % divisor !== 0n) throw new RangeError(`"${text}" has more than ${scale} decimal places`);
    scaled = digits / divisor;
  }
  return sign === "-" ? -scaled : scaled;
}

/** The one way in which amounts are written. */
const DECIMAL_TEXT = /^(-?)(\d+)(?:\.(\d+))?$/;
const WRITTEN_NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/** The shortest decimal text of a number scaled by 10^scale: 1_500_000_000n at 9 is "1.5". */
export function formatDecimal(scaled: bigint, scale: number): string {
  const negative = scaled < 0n;
  const digits = (negative ? -scaled : scaled).toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
  return `${negative ? "-" : ""}${whole}${fraction ? `.${fraction}` : ""}`;
}

/** Dollars as written by a person -> nanos. */
export function parseUsd(value: string | number): Nanos {
  return parseDecimal(value, 9);
}

/** Nanos -> dollars, every digit kept. */
export function formatUsd(nanos: Nanos): string {
  return formatDecimal(nanos, 9);
}

/** numerator / denominator rounded once, half up; both are at least 0 and denominator above 0. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}

/** For sentences: "$12.35", whole cents from a dollar up, otherwise two significant digits. */
export function shortUsd(nanos: Nanos): string {
  const amount = nanos < 0n ? -nanos : nanos;
  const step =
    amount >= 1_000_000_000n ? 10_000_000n : 10n ** BigInt(Math.max(0, amount.toString().length - 2));
  return `${nanos < 0n ? "-" : ""}$${formatUsd(((amount + step / 2n) / step) * step)}`;
}
