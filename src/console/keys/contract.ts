import { z } from "zod";
import { addressRanges } from "../../base/fetch/address-list.ts";
import { PLAIN_TEXT } from "../../base/text.ts";
import { inputMoment, moment, nanos, pageOf, pageQuery, revision } from "../contract-parts.ts";

const period = z
  .enum(["day", "week", "month", "total"])
  .describe("Period of the limit: calendar periods in UTC; total never resets");

const rateLimits = z.strictObject({
  requests_per_minute: z.number().int().min(1).max(1_000_000).nullable().default(null),
  tokens_per_minute: z.number().int().min(1).max(2_000_000_000).nullable().default(null),
  concurrency: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .nullable()
    .default(null)
    .describe("Maximum number of concurrent requests"),
});

export const keyRow = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string().describe("First and last characters of the secret"),
  state: z.enum(["active", "disabled", "expired", "revoked"]),
  disabled: z.boolean(),
  expires_at: moment.nullable(),
  revoked_at: moment.nullable(),
  models: z.array(z.string()).nullable().describe("Models that the key may use; null = all of the account"),
  spending_limit: z
    .object({
      amount_nanos: nanos,
      period,
      spent_nanos: nanos.describe("Spending in the current period"),
    })
    .nullable(),
  rate_limits: z.object({
    requests_per_minute: z.number().nullable(),
    tokens_per_minute: z.number().nullable(),
    concurrency: z.number().nullable(),
  }),
  allowed_addresses: z
    .array(z.string())
    .nullable()
    .describe("Addresses and CIDR ranges from which the key may be used; null = any"),
  created_at: moment,
  created_by: z
    .object({ id: z.string(), name: z.string() })
    .nullable()
    .describe("Creator; null = the catalog file or the command line"),
  may_change: z.boolean().describe("true if the current user may change, rotate and revoke the key"),
  last_used_at: moment.nullable(),
  spent_month_nanos: nanos.describe("Spending since the first of the month (UTC)"),
  spent_total_nanos: nanos,
  old_secret_until: moment
    .nullable()
    .describe("After a rotation: the time when the old secret stops working"),
  revision: revision.describe("Revision of name, permissions and state"),
});
export type KeyRow = z.infer<typeof keyRow>;

export const keyDetail = keyRow.extend({
  requests_last_hour: z.number().int().describe("Number of requests in the last hour"),
});
export type KeyDetail = z.infer<typeof keyDetail>;

export const keysQuery = pageQuery.extend({
  state: z.enum(["current", "revoked"]).default("current"),
  search: z
    .string()
    .trim()
    .max(200)
    .regex(PLAIN_TEXT, "must be plain text")
    .optional()
    .describe("Part of the name"),
});
export type KeysQuery = z.infer<typeof keysQuery>;

export const keysPage = pageOf(keyRow);
export type KeysPage = z.infer<typeof keysPage>;

const terms = {
  disabled: z.boolean().optional(),
  expires_at: inputMoment.nullable().optional().describe("Expiry; null = never"),
  models: z.array(z.string().min(1).max(200)).min(1).max(1_000).nullable().optional(),
  spending_limit: z
    .strictObject({ amount_nanos: nanos.max(19), period })
    .nullable()
    .optional(),
  rate_limits: rateLimits
    .optional()
    .describe("Rate limits, replaced as a whole; null = no limit of that kind"),
  allowed_addresses: addressRanges
    .nullable()
    .optional()
    .describe("Addresses and CIDR ranges from which the key may be used; null = any"),
};

/** The name follows the rule of the catalog file, since an export must be one that can be applied. */
const name = z.string().trim().min(1).max(200).regex(PLAIN_TEXT, "must not contain control characters");

/** The rights of a new key; a field left out is not limited. */
export const newKey = z.strictObject({
  name: name.optional().describe("Name; default key-1, key-2 ..."),
  ...terms,
});
export type NewKey = z.input<typeof newKey>;

/** The changes of a key; a field left out stays, null takes a limit away. */
export const keyChange = z.strictObject({ name: name.optional(), ...terms });
export type KeyChange = z.input<typeof keyChange>;

/** A secret and its key; the secret is in this response only. */
export const issuedKey = z.object({ key: keyRow, secret: z.string() });
export type IssuedKeyResponse = z.infer<typeof issuedKey>;

export const keyRotation = z.strictObject({
  grace_minutes: z
    .number()
    .int()
    .min(0)
    // Thirty days: whoever has not changed it by then has forgotten it.
    .max(43_200)
    .default(0)
    .describe("Minutes for which the old secret keeps working; 0 = it stops immediately"),
});
export type KeyRotation = z.input<typeof keyRotation>;

export const playgroundKey = z.object({
  name: z.string(),
  secret: z.string(),
  expires_at: moment.describe("Expiry, in 15 minutes"),
});
export type PlaygroundKey = z.infer<typeof playgroundKey>;
