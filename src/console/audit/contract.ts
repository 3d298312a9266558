import { z } from "zod";
import { inputMoment, moment, pageOf, pageQuery } from "../contract-parts.ts";

const auditRow = z.strictObject({
  id: z.string(),
  at: moment,
  actor: z
    .string()
    .nullable()
    .describe(
      "E-mail address; `cli (NAME)` = a command that this user of the machine ran; null = the program itself",
    ),
  by_token: z.boolean().describe("By a console token, not in a browser"),
  action: z.string().describe("Noun and verb, as in key.revoke"),
  subject: z.string().describe("What was changed"),
  account: z.strictObject({ id: z.string(), name: z.string() }).nullable(),
  before: z.unknown().describe("How it stood; never a secret"),
  after: z.unknown(),
  request_id: z.string(),
  address: z.string(),
});
export type AuditRow = z.infer<typeof auditRow>;

export const auditPage = pageOf(auditRow);
export type AuditPage = z.infer<typeof auditPage>;

export const accountAuditQuery = pageQuery.extend({
  actor: z
    .string()
    .trim()
    .max(254)
    .transform((actor) => (actor.includes("@") ? actor.toLowerCase() : actor))
    .optional()
    .describe("Whole e-mail address, or `cli (NAME)`"),
  action: z.string().trim().max(100).optional().describe("Whole action, as in key.revoke"),
  from: inputMoment.optional(),
  until: inputMoment.optional().describe("Not including"),
});
export type AccountAuditQuery = z.input<typeof accountAuditQuery>;

export const auditQuery = accountAuditQuery.extend({
  account: z
    .string()
    .regex(/^[1-9]\d{0,17}$/, "must be an account's id")
    .optional(),
});
export type AuditQuery = z.input<typeof auditQuery>;
