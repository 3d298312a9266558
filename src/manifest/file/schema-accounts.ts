import { z } from "zod";
import { hasPlainYear, PLAIN_YEAR } from "../../base/clock.ts";
import { DEFAULT_GROUP } from "../manifest.ts";
import { decimal, modelId, name, unique, whole } from "./schema-parts.ts";

const spendingLimit = z
  .strictObject({
    amount: decimal("balance").describe("USD"),
    period: z
      .enum(["day", "week", "month", "total"])
      .describe("Calendar periods in UTC; total never starts anew"),
  })
  .describe("The key spends no more than this");

const rateLimits = z
  .strictObject({
    requests_per_minute: whole(1, 2_147_483_647).optional(),
    tokens_per_minute: whole(1, 2_147_483_647).optional(),
    concurrency: whole(1, 2_147_483_647).optional(),
  })
  .describe("The key's own limits; each omitted = none");

export const key = z
  .strictObject({
    name: name(200),
    key: z
      .string()
      .regex(/^[\x21-\x7e]{16,200}$/, "must be 16 to 200 visible ASCII characters without blanks")
      .optional()
      .describe(
        "The key itself, better as a reference to an environment variable; kept as a hash only. Omitted = the one that the key of this name has",
      ),
    models: unique(modelId).optional().describe("Models it may use; omitted = all of the account's group"),
    disabled: z.boolean().optional().describe("Omitted = as it is; a new key is enabled"),
    expires_at: z.iso
      .datetime({ offset: true, error: "must be a time with its zone, such as 2027-01-31T00:00:00Z" })
      .refine(hasPlainYear, PLAIN_YEAR)
      .optional()
      .describe("When it stops working: 2027-01-31T00:00:00Z"),
    spending_limit: spendingLimit.optional(),
    rate_limits: rateLimits.optional(),
  })
  .describe("An API key");

export const account = z
  .strictObject({
    name: name(200),
    group: name(64).default(DEFAULT_GROUP).describe("Its group"),
    balance: decimal("balance").optional().describe("Opening balance in USD, granted once"),
    disabled: z.boolean().optional().describe("Omitted = as it is; true suspends it, a new account is not"),
    keys: z.array(key).optional().describe("Omitted = the file says nothing about its keys"),
  })
  .describe("Who pays");
