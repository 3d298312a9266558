import { z } from "zod";
import { moment, revision } from "../contract-parts.ts";

export const settings = z.object({
  overrides: z
    .record(z.string(), z.unknown())
    .describe("What is set, as under `settings` of the catalog file"),
  revision: revision.describe("Names what is set"),
  fields: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      effective: z.unknown().describe("What holds: what is set, else the default"),
      default: z.unknown(),
      is_set: z.boolean(),
      schema: z.record(z.string(), z.unknown()).describe("JSON Schema of its value"),
    }),
  ),
  environment: z
    .array(z.object({ name: z.string(), is_set: z.boolean() }))
    .describe("Variables that this process reads; what they hold is shown nowhere"),
  applies_file: z
    .boolean()
    .describe("Each start applies a catalog file, which then overrules what was changed here"),
  version: z.string(),
  public_url: z.string(),
  database: z.object({
    kind: z.enum(["embedded", "server"]),
    version: z.string(),
    size_bytes: z.string(),
  }),
  processes: z
    .array(z.object({ label: z.string(), since: moment, is_this: z.boolean() }))
    .describe("Processes that serve callers and share the database"),
});
export type SettingsResponse = z.infer<typeof settings>;

export const settingsChange = z.strictObject({
  overrides: z
    .record(z.string(), z.unknown())
    .describe("Replaces what is set; what is left out has its default"),
});
export type SettingsChange = z.infer<typeof settingsChange>;
