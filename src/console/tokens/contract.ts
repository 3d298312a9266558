import { z } from "zod";
import { addressRanges } from "../../base/fetch/address-list.ts";
import { SCOPES } from "../../users/scopes.ts";
import { inputMoment, moment } from "../contract-parts.ts";

const scopes = z
  .array(z.enum(SCOPES))
  .min(1)
  .max(SCOPES.length)
  .transform((given) => SCOPES.filter((scope) => given.includes(scope)))
  .describe(
    "read: look; billing: also balances, prices and codes; keys: also API keys; all: whatever you may do",
  );

const tokenRow = z.strictObject({
  id: z.string(),
  name: z.string(),
  hint: z.string().describe("Its first and last characters"),
  scopes: z.array(z.enum(SCOPES)),
  account: z
    .strictObject({ id: z.string(), name: z.string() })
    .nullable()
    .describe("The only account that it's for"),
  allowed_addresses: z
    .array(z.string())
    .nullable()
    .describe("Addresses and CIDR ranges from which it may be used; null = any"),
  created_at: moment,
  expires_at: moment.nullable(),
  last_used_at: moment.nullable().describe("Time of the last use, accurate to the minute"),
});
export type TokenRow = z.infer<typeof tokenRow>;

export const tokenList = z.strictObject({ data: z.array(tokenRow), next: z.null() });
export type TokenList = z.infer<typeof tokenList>;

export const tokenBody = z.strictObject({
  name: z.string().trim().min(1).max(100),
  scopes: scopes.default(["all"]),
  account: z
    .string()
    .nullable()
    .default(null)
    .describe("Id of the only account that it's for; null = all you can use"),
  allowed_addresses: addressRanges
    .nullable()
    .default(null)
    .describe("Addresses and CIDR ranges from which it may be used; null = any"),
  expires_at: inputMoment.nullable().default(null).describe("Expiry; null = never"),
});
export type TokenBody = z.input<typeof tokenBody>;

export const createdToken = tokenRow.extend({
  token: z.string().describe("Token, shown only once; only a hash is stored"),
});
export type CreatedToken = z.infer<typeof createdToken>;
