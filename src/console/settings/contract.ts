import { z } from "zod";
import { moment, revision } from "../contract-parts.ts";

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
