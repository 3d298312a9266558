import { z } from "zod";
import { inputAmount, inputMoment, moment, nanos, pageOf } from "../contract-parts.ts";

export const batchBody = z.strictObject({
  ...inputAmount,
  count: z.int().min(1).max(1000).describe("Number of codes; each is worth the full amount"),
  expires_at: inputMoment.optional().describe("Expiry of unused codes; omitted = never"),
  note: z.string().trim().max(500).default("").describe("Internal note, visible to operators only"),
});
export type BatchBody = z.input<typeof batchBody>;

const batch = z.object({
  id: z.string(),
  amount_nanos: nanos.describe("Amount of each code"),
  note: z.string(),
  expires_at: moment.nullable(),
  created_by: z.string(),
  created_at: moment,
  codes: z.int(),
  redeemed: z.int(),
  revoked: z.int(),
});
export type Batch = z.infer<typeof batch>;

export const batches = pageOf(batch);
export type Batches = z.infer<typeof batches>;

export const newBatch = batch.extend({
  plain_codes: z.array(z.string()).describe("Codes, shown only once; only hashes are stored"),
});
export type NewBatch = z.infer<typeof newBatch>;

const code = z.object({
  id: z.string(),
  hint: z.string().describe("First characters of the code"),
  state: z.enum(["unused", "redeemed", "revoked", "expired"]),
  redeemed_at: moment.nullable(),
  redeemed_by: z.string().nullable(),
  account: z.object({ id: z.string(), name: z.string() }).nullable(),
  revoked_at: moment.nullable(),
});
export type Code = z.infer<typeof code>;

export const codes = pageOf(code);
export type Codes = z.infer<typeof codes>;

export const revoked = z.object({
  revoked: z.int().describe("Number of withdrawn codes"),
});
export type Revoked = z.infer<typeof revoked>;

export const redemptionBody = z.strictObject({
  code: z.string().min(1).max(64).describe("Code; case, spaces and dashes are ignored"),
});

export const redemption = z.object({
  credited_nanos: nanos,
  repeated: z
    .boolean()
    .describe("true if the code was already credited to this account; no credit was added"),
  redeemed_at: moment,
  balance_nanos: nanos,
  available_nanos: nanos,
});
export type Redemption = z.infer<typeof redemption>;
