import { z } from "zod";
import {
  inputAmount,
  mailAddress,
  moment,
  nanos,
  pageOf,
  pageQuery,
  revision,
  words,
} from "../contract-parts.ts";

/** Percentages that alert unless others are given. */
export const USUAL_PERCENTS = [50, 80, 100];
const MAX_PERCENT = 1000;

const period = z.enum(["day", "week", "month"]).describe("Calendar period in UTC; weeks begin on Monday");

const url = z.url({ protocol: /^https?$/, error: "must be an http or https URL" }).max(2000);

const target = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("webhook"), url }).describe("A webhook signed with the account's secret"),
  z.strictObject({ kind: z.literal("slack"), url }).describe("An incoming webhook of Slack"),
  z.strictObject({ kind: z.literal("teams"), url }).describe("A webhook of a Teams workflow"),
  z
    .strictObject({ kind: z.literal("email"), address: mailAddress })
    .describe("An e-mail address; needs settings.smtp"),
]);
export type Target = z.infer<typeof target>;

const alerts = z
  .strictObject({
    percents: z
      .array(z.int().min(1).max(MAX_PERCENT))
      .max(10)
      .refine((percents) => new Set(percents).size === percents.length, "must not repeat a percentage")
      .describe("Percentages of the amount, each of which alerts once per period"),
    targets: z.array(target).max(10),
  })
  .describe("Default: at 50, 80 and 100 percent, shown here only");

const terms = {
  name: words(100),
  period,
  hard: z
    .boolean()
    .describe("true: requests that may exceed it are refused with 403. false: it counts and alerts only"),
};

export const newBudget = z.strictObject({
  ...terms,
  ...inputAmount,
  user: z.string().optional().describe("Only requests with keys that this person created"),
  key: z.string().optional().describe("Only requests with this API key"),
  model: z.string().min(1).max(200).optional().describe("Only requests for this model, by id"),
  alerts: alerts.optional(),
});
export type NewBudget = z.input<typeof newBudget>;

export const budgetChange = z
  .strictObject({ ...terms, alerts })
  .partial()
  .extend(inputAmount)
  .describe("What it counts can't change: create another budget instead");
export type BudgetChange = z.input<typeof budgetChange>;

const named = z.object({ id: z.string(), name: z.string() });

export const budget = z.object({
  id: z.string(),
  name: z.string(),
  account: named,
  user: named.nullable(),
  key: named.nullable(),
  model: z.string().nullable(),
  amount_nanos: nanos,
  amount_usd: z.string(),
  period,
  hard: z.boolean(),
  alerts: z.object({
    percents: z.array(z.int()),
    targets: z
      .array(
        z.discriminatedUnion("kind", [
          z.object({ kind: z.enum(["webhook", "slack", "teams"]), url: z.string() }),
          z.object({ kind: z.literal("email"), address: z.string() }),
        ]),
      )
      .describe(
        "The path of a URL, which may be secret, and addresses are shown to owners and operators only",
      ),
  }),
  spent_nanos: nanos.describe("In the current period; running requests are not included"),
  spent_usd: z.string(),
  period_start: moment,
  resets_at: moment,
  created_at: moment,
  revision: revision.describe("Revision of what can be changed"),
});
export type BudgetRow = z.infer<typeof budget>;

export const budgetsQuery = pageQuery;
export const budgetsPage = pageOf(budget);

export const testedBudget = z.object({
  sent: z.int().describe("Number of targets; the account's low-balance alert lists what became of each"),
});

export const deletedBudget = z.object({ deleted: z.string() });
