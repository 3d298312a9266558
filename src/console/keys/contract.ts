import { z } from "zod";
import { PLAIN_TEXT } from "../../base/text.ts";
import { inputMoment, moment, nanos, pageOf, pageQuery, revision } from "../contract-parts.ts";

const period = z
  .enum(["day", "week", "month", "total"])
  .describe("Calendar periods in UTC; total never starts anew");

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
    .describe("Requests at the same time"),
});

export const keyRow = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string().describe("Some characters of both ends of the secret"),
  state: z.enum(["active", "disabled", "expired", "revoked"]),
  disabled: z.boolean(),
  expires_at: moment.nullable(),
  revoked_at: moment.nullable(),
  models: z.array(z.string()).nullable().describe("The only models it may call; null = all of the account's"),
  spending_limit: z
    .object({
      amount_nanos: nanos,
      period,
      spent_nanos: nanos.describe("In the period under way"),
    })
    .nullable(),
  rate_limits: z.object({
    requests_per_minute: z.number().nullable(),
    tokens_per_minute: z.number().nullable(),
    concurrency: z.number().nullable(),
  }),
  created_at: moment,
  created_by: z
    .object({ id: z.string(), name: z.string() })
    .nullable()
    .describe("null = the catalog file or the command line"),
  may_change: z.boolean().describe("Whether who asks may change, rotate and revoke it"),
  last_used_at: moment.nullable(),
  spent_month_nanos: nanos.describe("Since the first of this month, UTC"),
  spent_total_nanos: nanos,
  old_secret_until: moment.nullable().describe("After a rotation: until when the secret before works too"),
  revision: revision.describe("Names what it may do, its name and whether it works"),
});
export type KeyRow = z.infer<typeof keyRow>;

export const keyDetail = keyRow.extend({
  requests_last_hour: z.number().int().describe("What would fail now without it"),
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
  expires_at: inputMoment.nullable().optional().describe("null = never"),
  models: z.array(z.string().min(1).max(200)).min(1).max(1_000).nullable().optional(),
  spending_limit: z
    .strictObject({ amount_nanos: nanos.max(19), period })
    .nullable()
    .optional(),
  rate_limits: rateLimits.optional().describe("As a whole; null in a place = no limit of that kind"),
};

/** What the catalog file takes too: an export must be one that can be applied. */
const name = z.string().trim().min(1).max(200).regex(PLAIN_TEXT, "must not contain control characters");

/** What a new key may do; what is left out is not limited. */
export const newKey = z.strictObject({
  name: name.optional().describe("key-1, key-2 ... if absent"),
  ...terms,
});
export type NewKey = z.input<typeof newKey>;

/** What changes; what is left out stays, null takes a limit away. */
export const keyChange = z.strictObject({ name: name.optional(), ...terms });
export type KeyChange = z.input<typeof keyChange>;

/** A secret and its key; the secret is in this answer only. */
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
    .describe("How long the secret before still works, and any before that at most; 0 = none from now on"),
});
export type KeyRotation = z.input<typeof keyRotation>;

export const playgroundKey = z.object({
  name: z.string(),
  secret: z.string(),
  expires_at: moment.describe("A quarter of an hour from now"),
});
export type PlaygroundKey = z.infer<typeof playgroundKey>;
