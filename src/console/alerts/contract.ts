import { z } from "zod";
import { inputAmount, mailAddress, moment, nanos, revision } from "../contract-parts.ts";

export const alertBody = z.strictObject({
  ...inputAmount,
  url: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .max(2000)
    .nullable()
    .optional()
    .describe("URL of a signed webhook"),
  emails: z
    .array(mailAddress)
    .max(10)
    .refine((emails) => new Set(emails).size === emails.length, "must not repeat an address")
    .optional()
    .describe("E-mail addresses; needs settings.smtp"),
});
export type AlertBody = z.input<typeof alertBody>;

const delivery = z.object({
  id: z.string().describe("Delivery id, as in the header x-faregate-delivery"),
  event: z.string().describe("Event: balance.low, budget.reached, or balance.test or budget.test for a test"),
  url: z.string().describe("mailto: and the address if it is an e-mail"),
  created_at: moment,
  delivered_at: moment.nullable(),
  next_attempt_at: moment.nullable().describe("Time of the next attempt; null = delivered or given up"),
  attempts: z.array(
    z.object({
      attempt: z.int(),
      at: moment,
      status: z.int().nullable().describe("Status of the receiver's response; null = no response"),
      failure: z.string().nullable(),
      duration_ms: z.int(),
    }),
  ),
});
export type AlertDelivery = z.infer<typeof delivery>;

export const alertSettings = z.object({
  alert: z
    .object({
      threshold_nanos: nanos.describe("Threshold of the available balance"),
      url: z.string().nullable(),
      emails: z.array(z.string()),
      below: z
        .boolean()
        .describe("true once triggered; the alert is re-armed when the balance is back at the threshold"),
      fired_at: moment.nullable(),
    })
    .nullable(),
  revision: revision.describe("Revision of the alert, also if there is none"),
  deliveries: z.array(delivery).describe("Latest ten deliveries, newest first"),
});
export type AlertSettings = z.infer<typeof alertSettings>;

export const signingSecret = z.object({
  secret: z.string().describe("Secret that verifies x-faregate-signature of alerts and finished tasks"),
});
export type SigningSecret = z.infer<typeof signingSecret>;
