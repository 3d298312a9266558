import { formatUsd } from "../../base/money.ts";

/**
 * Things of the catalog in the form the file has, every field spelt out, defaults too. The diff compares and
 * the export writes this one form, so neither can know a field that the other does not. Undefined = the
 * field is not there. Secrets are left out: each reader has its own way to show them.
 */
export type FileValue = string | number | boolean | null | readonly FileValue[] | FileRecord;
export interface FileRecord {
  readonly [field: string]: FileValue | undefined;
}

/** A decimal as YAML shows it best: a number, or text where a float would not print as these very digits. */
export function decimalValue(text: string): number | string {
  return String(Number(text)) === text ? Number(text) : text;
}

export function usd(nanos: bigint | undefined): FileValue | undefined {
  return nanos === undefined ? undefined : decimalValue(formatUsd(nanos));
}

export function usdByName(prices: Readonly<Record<string, bigint>>): FileRecord {
  return Object.fromEntries(Object.entries(prices).map(([name, nanos]) => [name, usd(nanos)]));
}
