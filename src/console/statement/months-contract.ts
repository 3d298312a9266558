import { z } from "zod";
import { moment, nanos, pageOf, pageQuery } from "../contract-parts.ts";

const usd = z.string().describe("The same in US dollars, with every digit");

export const monthsQuery = pageQuery;

const sums = {
  opening_nanos: nanos.describe("Balance at the beginning of the month"),
  opening_usd: usd,
  credited_nanos: nanos.describe("Opening balance, credits and redeemed codes"),
  credited_usd: usd,
  debited_nanos: nanos.describe("Debits by an operator"),
  debited_usd: usd,
  text_nanos: nanos.describe("Charges for text requests"),
  text_usd: usd,
  tasks_nanos: nanos.describe("Charges for images and videos"),
  tasks_usd: usd,
  closing_nanos: nanos.describe("Opening + credited - debited - text - tasks; of the current month so far"),
  closing_usd: usd,
};

const month = z.object({
  month: z.string().describe("YYYY-MM, in UTC"),
  complete: z.boolean().describe("false = the month is not over, so that more may follow"),
  ...sums,
});
export type StatementMonth = z.infer<typeof month>;

export const statementMonths = pageOf(month);

export const monthStatement = month.extend({
  currency: z.literal("USD"),
  account: z.object({
    id: z.string(),
    name: z.string(),
    legal_name: z.string().nullable(),
    address: z.string().nullable(),
    tax_id: z.string().nullable(),
  }),
});
export type MonthStatement = z.infer<typeof monthStatement>;

export const rowsQuery = pageQuery.extend({
  limit: z.coerce.number().int().min(1).max(500).default(100).describe("Maximum number of rows"),
});

const row = z.object({
  day: z.iso.date().describe("Day in UTC"),
  at: moment.nullable().describe("Time of the entry; null = the whole day"),
  kind: z.enum(["opening", "credit", "code", "debit", "refund", "usage"]).describe(`What it is:
- usage: all charges of a day together, as the last row of the day
- opening, credit, code, debit: a row for each
- refund: what was reserved for an image or video that failed; the balance had not been charged, so it does not change`),
  amount_nanos: nanos,
  amount_usd: usd,
  change_nanos: nanos.describe("Change of the total balance"),
  change_usd: usd,
  balance_after_nanos: nanos.describe("Opening balance and all changes down to this row"),
  balance_after_usd: usd,
  entry: z.string().nullable().describe("Id of the ledger's entry; null = several, see `usage`"),
  reference: z
    .object({ type: z.enum(["account", "code", "task"]), id: z.string() })
    .nullable()
    .describe("Code or task that the row is for"),
  reason: z.string().nullable().describe("Operator's reason"),
  usage: z
    .object({
      requests: z.int().describe("Requests and tasks that ended on this day, free ones included"),
      text_nanos: nanos.describe("Charged for text requests"),
      text_usd: usd,
      tasks_nanos: nanos.describe("Charged for images and videos"),
      tasks_usd: usd,
      absorbed_nanos: nanos.describe(
        "Charges above the balance, which the platform paid; not part of the amount",
      ),
      absorbed_usd: usd,
    })
    .nullable()
    .describe("Parts of the day's charges; null = not a row of usage"),
});
export type StatementRow = z.infer<typeof row>;

export const statementRows = pageOf(row);
