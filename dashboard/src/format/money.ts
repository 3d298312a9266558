const PLACES = 9;

/**
 * Nanos as dollars, exact to the last digit: "412000" is "$0.000412", "-1500000000" is "−$1.50". At least two
 * places; never fewer than it takes.
 */
export function formatMoney(nanos: string): string {
  const value = BigInt(nanos);
  const digits = (value < 0n ? -value : value).toString().padStart(PLACES + 1, "0");
  const whole = digits.slice(0, -PLACES).replace(/\B(?=(\d{3})+$)/g, ",");
  const places = digits.slice(-PLACES).replace(/0+$/, "").padEnd(2, "0");
  return `${value < 0n ? "−" : ""}$${whole}.${places}`;
}

const CENT = 10_000_000n;

/**
 * A forecast amount, for which nine digits would be false precision: rounded up to a cent, so never below the amount
 * spent.
 */
export function formatForecast(nanos: string): string {
  return formatMoney(String(((BigInt(nanos) + CENT - 1n) / CENT) * CENT));
}

/** Dollars as exact decimal text in the same manner: "0.3" is "$0.30", "0.000412" stays whole. */
export function formatUsd(usd: string): string {
  const [whole = "0", places = ""] = usd.split(".");
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${places.padEnd(2, "0")}`;
}

/** Dollars as a number, for the height of a line in a chart and for nothing that is shown as an amount. */
export function dollarsOf(nanos: string): number {
  return Number(nanos) / 1e9;
}

/** A dollar amount of an axis: short, as its ticks are round. */
export function formatAxisMoney(dollars: number): string {
  if (dollars === 0) return "$0";
  const places = Math.max(0, Math.min(9, 1 - Math.floor(Math.log10(Math.abs(dollars)))));
  const text = dollars.toLocaleString("en", { maximumFractionDigits: places });
  return `$${text}`;
}
