import { z } from "zod";
import { hasPlainYear, PLAIN_YEAR } from "../base/clock.ts";
import { MAIL_ADDRESS, PLAIN_TEXT } from "../base/text.ts";

/** The part of every list's query that pages through it by the place of the last row, never by counting. */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe("Maximum number of rows"),
  after: z.string().max(500).optional().describe("`next` of the previous page"),
});

/** A page of rows: `next` fetches the one after it, null = this is the last. */
export function pageOf<Row extends z.ZodType>(row: Row) {
  return z.object({ data: z.array(row), next: z.string().nullable() });
}

/** An amount of money: whole billionths of a dollar as decimal text. */
export const nanos = z.string().regex(/^-?\d+$/, "must be billionths of a dollar, as a decimal string");

/** ISO 8601, UTC. */
export const moment = z.iso.datetime();

/** A moment in a query or a body. */
export const inputMoment = z.iso
  .datetime({ offset: true, error: "must be a time with its zone, such as 2027-01-31T00:00:00Z" })
  .refine(hasPlainYear, PLAIN_YEAR)
  .describe("Time in ISO 8601 with a time zone");

/** An amount of money as a user or a script gives it: exactly one of the two. */
export const inputAmount = {
  amount_usd: z
    .string()
    .regex(
      /^-?\d{1,9}(\.\d{1,9})?$/,
      "must be US dollars such as 25 or 0.50, with a decimal point and at most nine places",
    )
    .optional()
    .describe("US dollars as a decimal string, with up to nine places"),
  amount_nanos: nanos.max(19).optional().describe("Alternative to amount_usd, in billionths of a US dollar"),
};

/** The revision of a record that a write replaces, as revisionOf() returns it. */
export const revision = z
  .string()
  .describe("Revision of this state; send it in double quotes as If-Match to avoid overwriting a newer one");

/** Requests of one tag. */
export const tagFilter = z
  .string()
  .max(300)
  .regex(PLAIN_TEXT, "must be plain text")
  .regex(/^[^=]+=./, "must be key=value, such as team=search")
  .describe("Tag of the request, as key=value");

/** An address that e-mail can be sent to. */
export const mailAddress = z.string().trim().max(254).regex(MAIL_ADDRESS, "must be an e-mail address");

/** An operator's or owner's words. */
export const words = (most: number) => z.string().trim().min(1, "must not be empty").max(most);

/** The health of a model under one credential, in a word. */
export const CONDITION_WORDS = ["ready", "returning", "cooling", "open"] as const;
