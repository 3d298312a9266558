import { z } from "zod";
import { hasPlainYear, PLAIN_YEAR } from "../../base/clock.ts";
import { parseDecimal } from "../../base/money.ts";
import { PLAIN_TEXT } from "../../base/text.ts";

interface DecimalField {
  readonly scale: number;
  readonly most: string;
}

/** Scale = decimal places kept. Bounds keep every product with a request's token counts inside an int8. */
const DECIMALS = {
  /** USD -> nanos; a million dollars times 10^9 tokens per 10^6 is 10^18 nanos. */
  price: { scale: 9, most: "1000000" },
  /** USD -> nanos. */
  balance: { scale: 9, most: "1000000000" },
  /** -> parts per million. */
  factor: { scale: 6, most: "1000" },
} as const satisfies Record<string, DecimalField>;

/** A decimal, written as a number or in quotes, kept exactly as an integer of its smallest unit. */
export function decimal(field: keyof typeof DECIMALS) {
  const { scale, most } = DECIMALS[field];
  return z.union([z.number(), z.string()]).transform((written, context): bigint => {
    const refuse = (message: string): never => {
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    };
    let amount: bigint;
    try {
      amount = parseDecimal(written, scale);
    } catch (error) {
      const tooFine = error instanceof RangeError && error.message.includes("decimal places");
      return refuse(
        tooFine ? `has more than ${scale} decimal places` : "must be a plain decimal number, such as 0.15",
      );
    }
    if (amount < 0n) return refuse("must not be negative");
    if (amount > parseDecimal(most, scale)) return refuse(`must be at most ${most}`);
    return amount;
  });
}

/** A whole number within bounds. */
export function whole(least: number, most: number) {
  return z.number().int().min(least).max(most);
}

/** A name people read: no control characters, no blanks at its ends. */
export function name(longest: number) {
  return z
    .string()
    .min(1)
    .max(longest)
    .regex(PLAIN_TEXT, "must not contain control characters")
    .regex(/^(\S(.*\S)?)?$/su, "must not begin or end with a space");
}

/** It stands in URLs (`/v1beta/models/{model}`) and in JSON that is spliced byte by byte. */
export const modelId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[!#-[\]-~]+$/, 'must be visible ASCII characters without spaces, " and \\');

/** A moment, whose zone is never guessed. */
export const moment = z.iso
  .datetime({ offset: true, error: "must be a time with its zone, such as 2027-01-31T00:00:00Z" })
  .refine(hasPlainYear, PLAIN_YEAR);

/** A list that names nothing twice. */
export function unique<Item extends z.ZodType<string>>(item: Item) {
  return z.array(item).superRefine((list, context) => {
    list.forEach((entry, index) => {
      if (list.indexOf(entry) === index) return;
      context.addIssue({ code: "custom", message: "is already in this list", path: [index] });
    });
  });
}
