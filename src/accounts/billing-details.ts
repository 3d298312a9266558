import { PLAIN_TEXT } from "../base/text.ts";

/** What monthly statements print of an account; null = not stated. */
export interface BillingDetails {
  readonly legalName: string | null;
  /** Of several lines. */
  readonly address: string | null;
  readonly taxId: string | null;
}

export const NO_BILLING_DETAILS: BillingDetails = { legalName: null, address: null, taxId: null };

/** Characters at most: a name or a number is one line, an address fits the head of a page. */
export const MAX_BILLING_CHARACTERS = { legalName: 200, address: 1_000, taxId: 100 } as const;

const MAX_ADDRESS_LINES = 12;

/** What is wrong with a value, in words that follow the name of its field; undefined = nothing. */
export function billingProblem(field: keyof BillingDetails, value: string): string | undefined {
  const most = MAX_BILLING_CHARACTERS[field];
  if (value.trim() === "") return "must not be empty";
  // Counted as PostgreSQL counts them.
  if (Array.from(value).length > most) return `must have at most ${most} characters`;
  const lines = field === "address" ? value.split("\n") : [value];
  if (lines.length > MAX_ADDRESS_LINES) return `must have at most ${MAX_ADDRESS_LINES} lines`;
  if (!lines.every((line) => PLAIN_TEXT.test(line))) return "must not contain control characters";
  return undefined;
}
