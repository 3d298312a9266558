import { z } from "zod";
import { MAX_TAG_KEYS, TAG_KEY, TAG_KEY_RULE } from "../../accounts/tags.ts";
import { PLAIN_TEXT } from "../../base/text.ts";
import { inputAmount, moment, nanos, pageOf, pageQuery, words } from "../contract-parts.ts";

export const accountsQuery = pageQuery.extend({
  search: z.string().max(200).optional().describe("Part of the name, case-insensitive"),
  group: z.string().max(64).optional(),
  disabled: z.enum(["true", "false"]).optional(),
});
export type AccountsQuery = z.input<typeof accountsQuery>;

const accountRow = z.object({
  id: z.string(),
  name: z.string(),
  group: z.string(),
  disabled: z.boolean(),
  created_at: moment,
  balance_nanos: nanos,
  available_nanos: nanos,
  spent_this_month_nanos: nanos.describe("Charges of the current month (UTC)"),
});
export type AccountRow = z.infer<typeof accountRow>;

export const accountsPage = pageOf(accountRow);
export type AccountsPage = z.infer<typeof accountsPage>;

export const accountDetail = accountRow.extend({
  keys: z.int().describe("API keys that are not revoked"),
  members: z.int().describe("Number of members"),
  requests_last_hour: z.int().describe("Requests in the current and the previous hour"),
  tag_keys: z.array(z.string()).readonly().describe("Keys that `x-faregate-tags` of its requests may have"),
});
export type AccountDetail = z.infer<typeof accountDetail>;

const accountName = z
  .string()
  .min(1)
  .max(200)
  .regex(PLAIN_TEXT, "must not contain control characters")
  .regex(/^\S(.*\S)?$/su, "must not begin or end with a space");

export const newAccount = z.strictObject({
  name: accountName.describe("Can't be changed later; the catalog file refers to it"),
  group: z.string().max(64).default("default"),
});
export type NewAccount = z.input<typeof newAccount>;

const tagKeys = z
  .array(z.string().regex(TAG_KEY, TAG_KEY_RULE))
  .max(MAX_TAG_KEYS)
  .refine((keys) => new Set(keys).size === keys.length, "must not name a key twice");

export const accountChange = z
  .strictObject({
    group: z.string().max(64).optional(),
    disabled: z.boolean().optional().describe("true suspends the account: its keys stop working immediately"),
    tag_keys: tagKeys
      .optional()
      .describe(
        "Keys that `x-faregate-tags` of its requests may have; `end_user` counts the end users that requests name as well",
      ),
  })
  .refine(
    ({ group, disabled, tag_keys }) =>
      group !== undefined || disabled !== undefined || tag_keys !== undefined,
    "must change something",
  );
export type AccountChange = z.infer<typeof accountChange>;

export const adjustment = z.strictObject({
  ...inputAmount,
  reason: words(500).describe("Reason, shown on the account's statement"),
  idempotency_key: z
    .string()
    .min(8)
    .max(200)
    .regex(/^[\x21-\x7e]+$/, "must be visible ASCII characters without spaces")
    .describe("Idempotency key: repeating a request with it moves no further money"),
});
export type Adjustment = z.infer<typeof adjustment>;

export const adjusted = z.object({
  repeated: z.boolean().describe("true if the key was already used; no money was moved"),
  balance_nanos: nanos,
  available_nanos: nanos,
});
export type Adjusted = z.infer<typeof adjusted>;
