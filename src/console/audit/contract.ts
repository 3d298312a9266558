import { z } from "zod";
import { inputMoment, moment, pageOf, pageQuery } from "../contract-parts.ts";

const auditRow = z.strictObject({
  id: z.string(),
  at: moment,
  actor: z
    .string()
    .nullable()
    .describe(
      "Email address; `cli (NAME on HOST)` = a command run by this system user; null = the program itself",
    ),
  by_token: z.boolean().describe("Through a console token, not a browser session"),
  action: z.string().describe("Noun and verb, such as key.revoke"),
  subject: z.string().describe("Changed object"),
  account: z.strictObject({ id: z.string(), name: z.string() }).nullable(),
  before: z.unknown().describe("Previous value; never a secret"),
  after: z.unknown(),
  request_id: z.string(),
  address: z.string(),
});
export type AuditRow = z.infer<typeof auditRow>;

export const auditPage = pageOf(auditRow);
export type AuditPage = z.infer<typeof auditPage>;

const auditFilter = {
  actor: z
    .string()
    .trim()
    .max(254)
    .transform((actor) => (actor.includes("@") ? actor.toLowerCase() : actor))
    .optional()
    .describe("Exact email address, or `cli (NAME on HOST)`"),
  action: z.string().trim().max(100).optional().describe("Exact action, such as key.revoke"),
  from: inputMoment.optional(),
  until: inputMoment.optional().describe("Not including"),
};

const ofAccount = {
  account: z
    .string()
    .regex(/^[1-9]\d{0,17}$/, "must be an account id")
    .optional(),
};

export const accountAuditQuery = pageQuery.extend(auditFilter);
export type AccountAuditQuery = z.input<typeof accountAuditQuery>;

export const auditQuery = accountAuditQuery.extend(ofAccount);
export type AuditQuery = z.input<typeof auditQuery>;

/** The same without pages: a file has all that is found. */
export const accountAuditExport = z.strictObject(auditFilter);
export type AccountAuditExport = z.output<typeof accountAuditExport>;

export const auditExport = accountAuditExport.extend(ofAccount);
