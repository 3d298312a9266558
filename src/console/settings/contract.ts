import { z } from "zod";
import { mailAddress, moment, revision } from "../contract-parts.ts";

export const settings = z.object({
  overrides: z
    .record(z.string(), z.unknown())
    .describe("Explicit settings, as in `settings` of the catalog file"),
  revision: revision.describe("Revision of the explicit settings"),
  fields: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      effective: z.unknown().describe("Effective settings: explicit values or defaults"),
      default: z.unknown(),
      is_set: z.boolean(),
      schema: z.record(z.string(), z.unknown()).describe("JSON Schema of its value"),
    }),
  ),
  environment: z
    .array(z.object({ name: z.string(), is_set: z.boolean() }))
    .describe("Environment variables read by this process, without values"),
  applies_file: z
    .boolean()
    .describe("true if each start applies a catalog file, which overrides changes made here"),
  version: z.string(),
  public_url: z.string(),
  database: z.object({
    kind: z.enum(["embedded", "server"]),
    version: z.string(),
    size_bytes: z.string(),
  }),
  processes: z
    .array(z.object({ label: z.string(), since: moment, is_this: z.boolean() }))
    .describe("Running processes on this database"),
});
export type SettingsResponse = z.infer<typeof settings>;

export const settingsChange = z.strictObject({
  overrides: z
    .record(z.string(), z.unknown())
    .describe("Replaces all settings; omitted ones get their default"),
});
export type SettingsChange = z.infer<typeof settingsChange>;

export const mailState = z.object({
  is_set: z.boolean().describe("true if settings.smtp names a mail server"),
  deliveries: z
    .array(
      z.object({
        id: z.string(),
        event: z.string().describe("mail.test, invitation or password.reset"),
        address: z.string(),
        created_at: moment,
        delivered_at: moment.nullable(),
        next_attempt_at: moment.nullable().describe("Time of the next attempt; null = delivered or given up"),
        attempts: z.int(),
        failure: z.string().nullable().describe("What was wrong with the last attempt"),
      }),
    )
    .describe(
      "Latest ten e-mails to people, newest first; alerts are listed with their account's low-balance alert",
    ),
});
export type MailState = z.infer<typeof mailState>;

export const mailTest = z.strictObject({ address: mailAddress });
