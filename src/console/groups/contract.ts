import { z } from "zod";
import { PLAIN_TEXT } from "../../base/text.ts";
import { revision } from "../contract-parts.ts";

const factor = z
  .string()
  .regex(/^\d{1,4}(\.\d{1,6})?$/, "must be a decimal such as 0.85, with up to six places")
  .describe("Price multiplier, as an exact decimal string");

export const group = z.object({
  name: z.string(),
  factor,
  accounts: z.int(),
  models: z.int().describe("Models restricted to groups that include it"),
  upstreams: z.int().describe("Upstreams restricted to groups that include it"),
  revision: revision.describe("Revision of its multiplier, not of its uses"),
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
    .regex(/^\S(.*\S)?$/su, "must not begin or end with a space"),
  factor,
});
export type NewGroup = z.infer<typeof newGroup>;

export const groupChange = z.strictObject({ factor });
export type GroupChange = z.infer<typeof groupChange>;

export const deleted = z.object({ deleted: z.string() });
export type Deleted = z.infer<typeof deleted>;
