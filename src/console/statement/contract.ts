import { z } from "zod";
import { inputMoment, moment, nanos, pageOf, pageQuery } from "../contract-parts.ts";

export const balance = z.object({
  balance_nanos: nanos.describe("Total balance of the account"),
  available_nanos: nanos.describe("Available balance, without reservations of running tasks"),
  held_nanos: nanos.describe("Reserved for images and videos in progress"),
});
export type Balance = z.infer<typeof balance>;

const view = z.enum(["changes", "funding", "usage", "tasks", "everything"]);
export type StatementView = z.infer<typeof view>;

const filters = {
  view: view
    .default("changes")
    .describe(
      "changes = all but internal transfers; funding = credits, codes and debits; usage = text requests; tasks = images and videos",
    ),
  from: inputMoment.optional().describe("Entries at or after this time"),
  to: inputMoment.optional().describe("Entries before this time"),
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
  change_nanos: nanos.describe("Change of the total balance"),
  available_change_nanos: nanos.describe("Change of the available balance"),
  balance_after_nanos: nanos.nullable().describe("Total balance after the entry; null with a filter"),
  reference: z
    .object({
      type: z.enum(["account", "code", "task", "flush", "process", "record"]),
      id: z.string(),
    })
    .describe("Task or request that the entry is for"),
  requests: z.int().nullable().describe("Number of requests in the entry; null = none, or past retention"),
  reason: z.string().nullable().describe("Operator's reason"),
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
