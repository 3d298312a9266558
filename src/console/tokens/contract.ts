import { z } from "zod";
import { inputMoment, moment } from "../contract-parts.ts";

const tokenRow = z.strictObject({
  id: z.string(),
  name: z.string(),
  hint: z.string().describe("Its first and last characters"),
  read_only: z.boolean(),
  created_at: moment,
  expires_at: moment.nullable(),
  last_used_at: moment.nullable().describe("Accurate to the minute"),
});
export type TokenRow = z.infer<typeof tokenRow>;

export const tokenList = z.strictObject({ data: z.array(tokenRow), next: z.null() });
export type TokenList = z.infer<typeof tokenList>;

export const tokenBody = z.strictObject({
  name: z.string().trim().min(1).max(100),
  read_only: z.boolean().default(false).describe("Read-only"),
  expires_at: inputMoment.nullable().default(null).describe("Expiry; null = never"),
});
export type TokenBody = z.input<typeof tokenBody>;

export const createdToken = tokenRow.extend({
  token: z.string().describe("The token, shown only once; only a hash is stored"),
});
export type CreatedToken = z.infer<typeof createdToken>;
