import { z } from "zod";
import { revision } from "../contract-parts.ts";

const line = (most: number) => z.string().trim().max(most).nullable();

export const billingDetailsBody = z.strictObject({
  legal_name: line(200).describe("Legal name of who pays; null = none"),
  address: line(1000).describe("Postal address, at most 12 lines; null = none"),
  tax_id: line(100).describe("Tax id, such as a VAT number; null = none"),
});
export type BillingDetailsBody = z.input<typeof billingDetailsBody>;

export const billingDetailsResponse = z.object({
  legal_name: z.string().nullable(),
  address: z.string().nullable().describe("Lines are separated by a line feed"),
  tax_id: z.string().nullable(),
  revision,
});
export type BillingDetailsResponse = z.infer<typeof billingDetailsResponse>;
