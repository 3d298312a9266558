import { z } from "zod";
import { LongNumber, writeExact } from "../base/json/exact-json.ts";
import { AMOUNT_DECIMALS, readAmount } from "./export-row.ts";

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
