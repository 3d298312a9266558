/** One line of a vendor's export. */
export interface ExportRow {
  /** YYYY-MM-DD, in the vendor's zone. */
  readonly day: string;
  /** In one spelling (`names.ts`); undefined = the export does not say. */
  readonly model: string | undefined;
  readonly bucket: string | undefined;
  /** The project or workspace. */
  readonly project: string | undefined;
  /** As the vendor calls it, where it is not the standard one. */
  readonly tier: string | undefined;
  /** Tokens, or uses of a tool. */
  readonly quantity: number | undefined;
  /** In 10^-15 of the currency. */
  readonly amount: bigint | undefined;
  /** In capitals; undefined = there is no amount. */
  readonly currency: string | undefined;
}

export interface VendorExport {
  /** What it was recognised as, such as "OpenAI costs". */
  readonly format: string;
  /** The zone in which the vendor begins its days. */
  readonly zone: string;
  /** True if its rows state moments, in UTC or with an offset, and not days alone, of which nobody knows the zone. */
  readonly hasMoments: boolean;
  readonly rows: readonly ExportRow[];
  readonly leftOut: readonly LeftOut[];
}

export const LEFT_OUT_REASONS = ["without a day, as totals are", "of services that sell no models"] as const;

/** Lines of a file that are no usage of models, such as totals. */
export interface LeftOut {
  readonly reason: (typeof LEFT_OUT_REASONS)[number];
  readonly lines: readonly number[];
}

/** One thing wrong in an export. Lines and columns count from 1. */
export interface ExportProblem {
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** An export with more problems is broken in a way that the first ones show. */
export const SHOWN_PROBLEMS = 20;

/** A file that is no export, or that can't be read exactly. */
export class ExportFormatError extends Error {
  override readonly name = "ExportFormatError";
  readonly problems: readonly ExportProblem[];

  constructor(problems: string | readonly ExportProblem[]) {
    const all = typeof problems === "string" ? [{ message: problems }] : problems;
    super(all.map(({ message }) => message).join("\n"));
    this.problems = all;
  }

  /** One line for each problem, with the file's name and the place. */
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
/** Amounts are finer than nanos: exports state fractions of them, and sums are rounded last. */
export const AMOUNT_PER_NANO = 10n ** BigInt(AMOUNT_DECIMALS - NANO_DECIMALS);

const WRITTEN = /^([+-]?)\$?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/;
/** A first group of zeros would be a decimal comma, as in 0,003. */
const GROUPED = /^[+-]?\$?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/;

/**
 * An amount as exports write it, `decimals` places further to the right: digits with at most one decimal point, and commas
 * only between groups of three. Undefined for all else, since another reader would take it for another amount. Finer digits
 * than the last place are cut.
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

/** A count as exports write it, in the same form. */
export function readQuantity(written: string): number | undefined {
  if (written.includes("$") || readAmount(written) === undefined) return undefined;
  const quantity = Number(written.replaceAll(",", ""));
  return Math.abs(quantity) <= Number.MAX_SAFE_INTEGER ? quantity : undefined;
}

/** True if there is such a day, written YYYY-MM-DD. */
export function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === text;
}
