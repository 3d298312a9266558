import { z } from "zod";
import { LongNumber, writeExact } from "../base/json/exact-json.ts";

/** One line of a vendor's export. */
export interface ExportRow {
  /** YYYY-MM-DD, in the vendor's zone. */
  readonly day: string;
  /** The spelling of `names.ts`; undefined = the export does not say. */
  readonly model: string | undefined;
  readonly bucket: string | undefined;
  /** The project or workspace. */
  readonly project: string | undefined;
  /** The vendor's name of the tier; undefined = the standard tier. */
  readonly tier: string | undefined;
  /** Number of tokens, or of uses of a tool. */
  readonly quantity: number | undefined;
  /** Unit: 10^-15 of the currency. */
  readonly amount: bigint | undefined;
  /** Upper case; undefined = there is no amount. */
  readonly currency: string | undefined;
}

/** The rows of one day of an export; a day may have several buckets. */
export interface ExportBucket {
  readonly day: string;
  readonly rows: readonly ExportRow[];
}

export interface VendorExport {
  /** The recognised format, such as "OpenAI costs". */
  readonly format: string;
  /** The zone in which the vendor's days begin. */
  readonly zone: string;
  /** True if rows state moments, in UTC or with an offset. Rows that state days do not tell in which zone. */
  readonly hasMoments: boolean;
  readonly rows: readonly ExportRow[];
  /** Every day that the export covers, sorted: a day without a row is one on which the vendor billed nothing. */
  readonly days: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

/** Returns each day once, sorted. */
export function daysOf(rows: readonly { readonly day: string }[]): string[] {
  return [...new Set(rows.map(({ day }) => day))].sort();
}

export const LEFT_OUT_REASONS = ["without a day, as totals are", "of services that sell no models"] as const;

/** Lines of a file that are no usage of models, such as totals. */
export interface LeftOut {
  readonly reason: (typeof LEFT_OUT_REASONS)[number];
  readonly lines: readonly number[];
}

/** A problem in an export. Lines and columns count from 1. */
export interface ExportProblem {
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** Maximum number of problems that are shown. An export with more is broken in a way that the first ones reveal. */
export const SHOWN_PROBLEMS = 20;

/** Thrown for a file that is no export, or that cannot be read exactly. */
export class ExportFormatError extends Error {
  override readonly name = "ExportFormatError";
  readonly problems: readonly ExportProblem[];

  constructor(problems: string | readonly ExportProblem[]) {
    const all = typeof problems === "string" ? [{ message: problems }] : problems;
    super(all.map(({ message }) => message).join("\n"));
    this.problems = all;
  }

  /** Returns a line for each problem, with the file's name and the place. */
  describe(file: string): string {
    const shown = this.problems
      .slice(0, SHOWN_PROBLEMS)
      .map(({ line, column, message }) =>
        line === undefined ? `${file} ${message}` : `${file}:${line}:${column}: ${message}`,
      );
    const rest = this.problems.length - shown.length;
    return [...shown, ...(rest > 0 ? [`... and ${rest} more`] : [])].join("\n");
  }
}

export const AMOUNT_DECIMALS = 15;
const NANO_DECIMALS = 9;
/** Amounts are finer than nanos, because exports state fractions of nanos, and only sums are rounded. */
export const AMOUNT_PER_NANO = 10n ** BigInt(AMOUNT_DECIMALS - NANO_DECIMALS);

const WRITTEN = /^([+-]?)\$?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/;
/** A first group of zeros would be a decimal comma, as in 0,003. */
const GROUPED = /^[+-]?\$?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/;

/**
 * Reads an amount, moved `decimals` places to the right: digits with at most one decimal point, and commas only between
 * groups of three. Returns undefined for anything else, because another program might read it as another amount. Digits
 * beyond the last place are cut.
 */
export function readAmount(written: string, decimals = AMOUNT_DECIMALS): bigint | undefined {
  const match = WRITTEN.exec(GROUPED.test(written) ? written.replaceAll(",", "") : written);
  if (!match) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = BigInt(whole + fraction);
  const shift = decimals - fraction.length + Number(exponent);
  const amount = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return sign === "-" ? -amount : amount;
}

/** Reads a count in the same notation. */
export function readQuantity(written: string): number | undefined {
  if (written.includes("$") || readAmount(written) === undefined) return undefined;
  const quantity = Number(written.replaceAll(",", ""));
  return Math.abs(quantity) <= Number.MAX_SAFE_INTEGER ? quantity : undefined;
}

/** True if the text is an existing day, written YYYY-MM-DD. */
export function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === text;
}

/** A count of tokens or uses; absent = none. */
export const count = z.int().min(0).nullish();

export const currency = z.string().regex(/^[a-z]{3}$/i, "must be a currency's code, such as USD");

/** An amount as text or, if `isNumber`, as a number with all its digits; `decimals` places further to the right. */
export function amountField({ decimals = AMOUNT_DECIMALS, isNumber = false } = {}) {
  return z.unknown().transform((value, context) => {
    const isNumeric = isNumber && (typeof value === "number" || value instanceof LongNumber);
    const text = isNumeric ? writeExact([value]).slice(1, -1) : value;
    const amount = typeof text === "string" ? readAmount(text, decimals) : undefined;
    if (amount !== undefined) return amount;
    const message = `must be an amount${isNumber ? "" : " as text"} with a decimal point, such as ${isNumber ? "12.5" : '"12.5"'}`;
    context.issues.push({ code: "custom", message, input: value });
    return z.NEVER;
  });
}
