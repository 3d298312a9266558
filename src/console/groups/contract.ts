import { z } from "zod";
import { PLAIN_TEXT } from "../../base/text.ts";
import { revision } from "../contract-parts.ts";

const factor = z
  .string()
  .regex(/^\d{1,4}(\.\d{1,6})?$/, "must be a decimal such as 0.85, with up to six places")
  .describe("What prices are multiplied with, as decimal text kept exactly");

export const group = z.object({
  name: z.string(),
  factor,
  accounts: z.int(),
  models: z.int().describe("Models that name it among the groups that may use them"),
  upstreams: z.int().describe("Upstreams that name it among the groups that they serve"),
  revision: revision.describe("Names its factor, not what uses it"),
});
export type Group = z.infer<typeof group>;

export const groups = z.object({ data: z.array(group), next: z.null() });
export type Groups = z.infer<typeof groups>;

export const newGroup = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(64)
    .regex(PLAIN_TEXT, "must not contain control characters")
    .regex(/^\S(.*\S)?$/su, "must not begin or end with a blank"),
  factor,
});
export type NewGroup = z.infer<typeof newGroup>;

export const groupChange = z.strictObject({ factor });
export type GroupChange = z.infer<typeof groupChange>;

export const deleted = z.object({ deleted: z.string() });
export type Deleted = z.infer<typeof deleted>;
