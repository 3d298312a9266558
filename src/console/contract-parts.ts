import { z } from "zod";
import { hasPlainYear, PLAIN_YEAR } from "../base/plain-year.ts";
import { nanos } from "./page.ts";

/** A moment in a query or a body. */
export const inputMoment = z.iso
  .datetime({ offset: true, error: "must be a time with its zone, such as 2027-01-31T00:00:00Z" })
  .refine(hasPlainYear, PLAIN_YEAR)
  .describe("ISO 8601 with a zone");

/** An amount of money as a person or a script gives it: exactly one of the two. */
export const inputAmount = {
  amount_usd: z
    .string()
    .regex(
      /^-?\d{1,9}(\.\d{1,9})?$/,
      "must be US dollars such as 25 or 0.50, with a decimal point and at most nine places",
    )
    .optional()
    .describe("US dollars as a decimal string, with up to nine places"),
  amount_nanos: nanos.max(19).optional().describe("Alternative to amount_usd, in billionths of a dollar"),
};

/** Of a record that a write replaces; what revisionOf() gives. */
export const revision = z
  .string()
  .describe("Revision of this state; send it quoted as If-Match to avoid overwriting a newer one");

/** An operator's or owner's words. */
export const words = (most: number) => z.string().trim().min(1, "must not be empty").max(most);

/** How a model does under one credential, as a word. */
export const CONDITION_WORDS = ["ready", "returning", "cooling", "open"] as const;
