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
  readonly rows: readonly ExportRow[];
}

/** A file that is no export, or an incomplete one; the message continues the file's name. */
export class ExportFormatError extends Error {
  override readonly name = "ExportFormatError";
}

export const AMOUNT_DECIMALS = 15;
const NANO_DECIMALS = 9;
/** Amounts are finer than nanos: exports state fractions of them, and sums are rounded last. */
export const AMOUNT_PER_NANO = 10n ** BigInt(AMOUNT_DECIMALS - NANO_DECIMALS);

const WRITTEN = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,2}))?$/;

/** An amount as exports write it, `decimals` places further to the right; undefined where it is none. Finer digits are cut. */
export function readAmount(value: unknown, decimals = AMOUNT_DECIMALS): bigint | undefined {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value : "";
  const match = WRITTEN.exec(text.replace(/[,$\s]/g, ""));
  if (!match) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = BigInt(whole + fraction);
  const shift = decimals - fraction.length + Number(exponent);
  const amount = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return sign === "-" ? -amount : amount;
}

/** A count as exports write it. */
export function readQuantity(value: unknown): number | undefined {
  const text = typeof value === "string" ? value.replace(/[,\s]/g, "") : value;
  const quantity = text === "" || text === null || text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(quantity) ? quantity : undefined;
}
