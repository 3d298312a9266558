import { z } from "zod";
import { inputAmount, moment, nanos, revision } from "../contract-parts.ts";

export const alertBody = z.strictObject({
  ...inputAmount,
  url: z.url({ protocol: /^https?$/, error: "must be a http or https URL" }).max(2000),
});
export type AlertBody = z.input<typeof alertBody>;

const delivery = z.object({
  id: z.string().describe("As in the header x-faregate-delivery"),
  event: z.string().describe("balance.low, or balance.test of a trial"),
  url: z.string(),
  created_at: moment,
  delivered_at: moment.nullable(),
  next_attempt_at: moment.nullable().describe("null = delivered or given up"),
  attempts: z.array(
    z.object({
      attempt: z.int(),
      at: moment,
      status: z.int().nullable().describe("null = there was no answer"),
      failure: z.string().nullable(),
      duration_ms: z.int(),
    }),
  ),
});
export type AlertDelivery = z.infer<typeof delivery>;

export const alertSettings = z.object({
  alert: z
    .object({
      threshold_nanos: nanos.describe("Told when less than this can be spent"),
      url: z.string(),
      below: z
        .boolean()
        .describe("It was told, and is armed again once the balance is back at the threshold"),
      fired_at: moment.nullable(),
    })
    .nullable(),
  revision: revision.describe("Names threshold and address, or that there is no alert"),
  deliveries: z.array(delivery).describe("The latest ten, newest first"),
});
export type AlertSettings = z.infer<typeof alertSettings>;

export const signingSecret = z.object({
  secret: z
    .string()
    .describe("Receivers check x-faregate-signature with it, of alerts and of finished tasks"),
});
export type SigningSecret = z.infer<typeof signingSecret>;
