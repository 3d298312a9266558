import { z } from "zod";
import { inputMoment, moment, nanos, pageOf, pageQuery } from "../contract-parts.ts";

export const balance = z.object({
  balance_nanos: nanos.describe("All that the account owns"),
  available_nanos: nanos.describe("What it can spend: without what running tasks hold"),
  held_nanos: nanos.describe("Held by images and videos that are not finished"),
});
export type Balance = z.infer<typeof balance>;

const view = z.enum(["changes", "funding", "usage", "tasks", "everything"]);
export type StatementView = z.infer<typeof view>;

const filters = {
  view: view
    .default("changes")
    .describe(
      "changes = all but moves between the account and the gateway's processes; funding = credits, codes and debits; usage = text requests; tasks = pictures and videos",
    ),
  from: inputMoment.optional().describe("Entries at or after this moment"),
  to: inputMoment.optional().describe("Entries before this moment"),
};

export const statementQuery = pageQuery.extend(filters);
export type StatementQuery = z.input<typeof statementQuery>;

export const exportQuery = z.strictObject(filters);

const entry = z.object({
  id: z.string(),
  at: moment,
  kind: z
    .enum([
      "opening",
      "credit",
      "code",
      "debit",
      "usage",
      "absorbed_loss",
      "hold",
      "task_charge",
      "task_return",
      "lease",
      "return",
    ])
    .describe(`What it is:
- opening: the opening balance; credit, debit: an operator's; code: a redeemed code
- usage: what the text requests of one flush cost together; absorbed_loss: a part of it that the platform paid
- hold: kept for an image or video; task_charge: paid for it; task_return: what was kept too much, or all of it
- lease, return: moves between the account and the gateway's processes, which change no balance`),
  amount_nanos: nanos,
  change_nanos: nanos.describe("What it did to the balance"),
  available_change_nanos: nanos.describe("What it did to what can be spent"),
  balance_after_nanos: nanos
    .nullable()
    .describe("The balance after it; null where a filter hides what the balance is made of"),
  reference: z
    .object({
      type: z.enum(["account", "code", "task", "flush", "process", "record"]),
      id: z.string(),
    })
    .describe("What it was for"),
  requests: z
    .int()
    .nullable()
    .describe("Requests whose charges it sums up; null = it sums up none, or their log is past retention"),
  reason: z.string().nullable().describe("The operator's words"),
});
export type StatementEntry = z.infer<typeof entry>;

export const statement = pageOf(entry);
export type Statement = z.infer<typeof statement>;

export const entryRequests = pageOf(
  z.object({
    request_id: z.string(),
    ended_at: moment,
    model: z.string(),
    endpoint: z.string(),
    charge_nanos: nanos,
  }),
);
export type EntryRequests = z.infer<typeof entryRequests>;
