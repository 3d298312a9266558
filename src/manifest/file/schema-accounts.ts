import { z } from "zod";
import {
  type BillingDetails,
  billingProblem,
  MAX_BILLING_CHARACTERS,
} from "../../accounts/billing-details.ts";
import { MAX_TAG_KEYS, TAG_KEY, TAG_KEY_RULE } from "../../accounts/tags.ts";
import { addressRanges } from "../../base/fetch/address-list.ts";
import { DEFAULT_GROUP } from "../manifest.ts";
import { decimal, modelId, moment, name, unique, whole } from "./schema-parts.ts";

const spendingLimit = z
  .strictObject({
    amount: decimal("balance").describe("USD"),
    period: z
      .enum(["day", "week", "month", "total"])
      .describe("Period of the limit: calendar periods in UTC; total never resets"),
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
        "API key, preferably a reference to an environment variable; stored only as a hash. Omitted = unchanged",
      ),
    models: unique(modelId)
      .optional()
      .describe("Models that the key may use; omitted = all of the account's group"),
    disabled: z.boolean().optional().describe("Omitted = unchanged; a new key is enabled"),
    expires_at: moment.optional().describe("Expiry, such as 2027-01-31T00:00:00Z"),
    spending_limit: spendingLimit.optional(),
    rate_limits: rateLimits.optional(),
    allowed_addresses: addressRanges
      .optional()
      .describe("Addresses and CIDR ranges from which the key may be used; omitted = any"),
  })
  .describe("An API key");

/** Line feeds at the end are those of YAML's blocks of text. */
const billingText = (field: keyof BillingDetails) =>
  z
    .string()
    .trim()
    .max(MAX_BILLING_CHARACTERS[field])
    .superRefine((value, context) => {
      const message = billingProblem(field, value);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    })
    .nullable()
    .optional();

export const account = z
  .strictObject({
    name: name(200),
    group: name(64).default(DEFAULT_GROUP).describe("Group of the account"),
    balance: decimal("balance").optional().describe("Opening balance in USD, granted once"),
    disabled: z.boolean().optional().describe("true suspends it; omitted = unchanged"),
    tag_keys: z
      .array(z.string().regex(TAG_KEY, TAG_KEY_RULE))
      .max(MAX_TAG_KEYS)
      .optional()
      .describe("Keys that `x-faregate-tags` of its requests may have; omitted = unchanged"),
    legal_name: billingText("legalName").describe(
      "Legal name on monthly statements; null = none, omitted = unchanged",
    ),
    address: billingText("address").describe(
      "Postal address on monthly statements, at most 12 lines; null = none, omitted = unchanged",
    ),
    tax_id: billingText("taxId").describe(
      "Tax id on monthly statements, such as a VAT number; null = none, omitted = unchanged",
    ),
    keys: z.array(key).optional().describe("Omitted = keys are unchanged"),
  })
  .describe("Account, which pays for its keys' requests");
