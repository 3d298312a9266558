import { z } from "zod";
import { hasPlainYear, PLAIN_YEAR } from "../../base/plain-year.ts";
import { DEFAULT_GROUP } from "../manifest.ts";
import { decimal, modelId, name, unique, whole } from "./schema-parts.ts";

const spendingLimit = z
  .strictObject({
    amount: decimal("balance").describe("USD"),
    period: z.enum(["day", "week", "month", "total"]).describe("Calendar periods in UTC; total never resets"),
  })
  .describe("Maximum spending of the key");

const rateLimits = z
  .strictObject({
    requests_per_minute: whole(1, 2_147_483_647).optional(),
    tokens_per_minute: whole(1, 2_147_483_647).optional(),
    concurrency: whole(1, 2_147_483_647).optional(),
  })
  .describe("Rate limits of the key; omitted = none");

export const key = z
  .strictObject({
    name: name(200),
    key: z
      .string()
      .regex(/^[\x21-\x7e]{16,200}$/, "must be 16 to 200 visible ASCII characters without spaces")
      .optional()
      .describe(
        "The key itself, preferably a reference to an environment variable; stored only as a hash. Omitted = unchanged",
      ),
    models: unique(modelId)
      .optional()
      .describe("Models that it may use; omitted = all of the account's group"),
    disabled: z.boolean().optional().describe("Omitted = unchanged; a new key is enabled"),
    expires_at: z.iso
      .datetime({ offset: true, error: "must be a time with its zone, such as 2027-01-31T00:00:00Z" })
      .refine(hasPlainYear, PLAIN_YEAR)
      .optional()
      .describe("Expiry, such as 2027-01-31T00:00:00Z"),
    spending_limit: spendingLimit.optional(),
    rate_limits: rateLimits.optional(),
  })
  .describe("An API key");

export const account = z
  .strictObject({
    name: name(200),
    group: name(64).default(DEFAULT_GROUP).describe("Its group"),
    balance: decimal("balance").optional().describe("Opening balance in USD, granted once"),
    disabled: z.boolean().optional().describe("true suspends it; omitted = unchanged"),
    keys: z.array(key).optional().describe("Omitted = keys are unchanged"),
  })
  .describe("Who pays");
