import { z } from "zod";
import { PLAIN_TEXT } from "../../base/text.ts";
import { nanos, pageOf, pageQuery, tagFilter } from "../contract-parts.ts";

const day = z.iso.date({ error: "must be a day, such as 2027-01-31" });
const plain = z.string().trim().max(200).regex(PLAIN_TEXT, "must be plain text");
const id = z.string().regex(/^[1-9]\d{0,17}$/, "must be an id");
const usd = z.string().describe("US dollars as an exact decimal string");

const PERIODS = ["this_month", "last_month", "this_quarter", "last_quarter"] as const;
export const SPENDING_BY = [
  "account",
  "group",
  "user",
  "key",
  "model",
  "upstream",
  "tag",
  "month",
  "day",
] as const;

const filters = {
  period: z
    .enum(PERIODS)
    .optional()
    .describe("Calendar period in UTC instead of from and to; default this_month"),
  from: day.optional().describe("First day, UTC; with to"),
  to: day.optional().describe("Last day, UTC; default today"),
  by: z.enum(SPENDING_BY).default("account"),
  account: id.optional().describe("Id of the account"),
  group: plain.optional().describe("Accounts that are in this group now"),
  user: id.optional().describe("Id of the user who created the key"),
  key: id.optional().describe("Id of the key"),
  model: plain.optional(),
  upstream: plain.optional(),
  tag_key: plain
    .optional()
    .describe(
      "Key of the tags to group by, such as team; end_user = the end user that requests name. Needed with by=tag",
    ),
  tag: tagFilter.optional(),
};

export const operatorSpendingExportQuery = z.strictObject(filters);
export const operatorSpendingQuery = pageQuery.extend(filters);
export type OperatorSpendingQuery = z.output<typeof operatorSpendingExportQuery>;

const sums = z.object({
  requests: z.int(),
  errors: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  charge_nanos: nanos,
  charge_usd: usd,
  cost_nanos: nanos.describe("What vendors bill for it, as far as it is known"),
  cost_usd: usd,
  margin_nanos: nanos.describe("Charges less costs of the requests whose cost is wholly known"),
  margin_usd: usd,
  unknown_costs: z
    .int()
    .describe(
      "Attempts and tasks whose cost is not known; it is in no sum, and their requests are in no margin",
    ),
  unknown_charge_nanos: nanos.describe("Charges of the requests whose cost is not wholly known"),
  unknown_charge_usd: usd,
});
export type OperatorSpendingSums = z.infer<typeof sums>;

const group = sums.extend({
  id: z
    .string()
    .describe(
      "Account, user or key id, group, model, upstream, month or day; nobody = keys that no user created; playground = short-lived keys of the playground; empty = no upstream was asked; (none) = requests without the tag; (other) = values beyond the 10,000 of a key that have sums of their own in a month",
    ),
  name: z.string().nullable().describe("Name, or email address of a user; null = none"),
  account: z
    .object({ id: z.string(), name: z.string() })
    .nullable()
    .describe("The account itself, or the account of a key; null = other groups"),
});
export type OperatorSpendingGroup = z.infer<typeof group>;

export const operatorSpending = pageOf(group).extend({
  from: z.string().describe("First day, UTC"),
  to: z.string().describe("Last day, UTC"),
  totals: sums.describe("Sum of all groups, of other pages too"),
});
export type OperatorSpending = z.infer<typeof operatorSpending>;
