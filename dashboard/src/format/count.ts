/** A whole number with separators: 1234567 is "1,234,567". Takes text too, for what outgrows a number. */
export function formatCount(count: number | string): string {
  return BigInt(typeof count === "string" ? count : Math.round(count)).toLocaleString("en");
}

/** A count short enough for an axis or a badge: "1.2M". */
export function formatShortCount(count: number): string {
  return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(count);
}

/** A share as per cent: 0.1234 is "12.3%"; what is not nothing never reads "0%". */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return "<0.1%";
  return `${percent.toLocaleString("en", { maximumFractionDigits: percent < 10 ? 1 : 0 })}%`;
}
