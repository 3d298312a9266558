import { systemClock } from "../../base/clock.ts";
import { formatUsd } from "../../base/money.ts";
import { counted } from "../../base/text.ts";
import { periodStart } from "../../billing/leases/ledger-ref.ts";
import { readBudgets, type StoredBudget, spentOfBudgets } from "../../billing/ledger/budgets-store.ts";
import type { Command } from "../command.ts";
import { namedAccount } from "../named-account.ts";
import { withDatabase } from "../open.ts";
import { columns } from "../text-table.ts";

/** More budgets than anybody reads or a script pages through. */
const MAX_LISTED = 10_000;

type Spent = ReadonlyMap<bigint, bigint>;

/** Lists budgets with what they have counted in their running period. */
export const budgetsListCommand: Command = {
  name: "budgets list",
  summary: "list the budgets of an account, or of all, with what is spent",
  positionals: [],
  options: {
    account: { type: "string", value: "NAME", help: "account whose budgets to list (default: all accounts)" },
    json: { type: "boolean", help: "print the result as JSON" },
  },
  examples: [
    "faregate budgets list --account acme",
    "faregate budgets list --json | jq -r '.budgets[] | select(.hard) | .name'",
  ],
  async run({ config, text, flag }) {
    const name = text("account");
    const nowMs = systemClock.nowMs();
    const { budgets, spent } = await withDatabase(config, "budgets list", async ({ database }) => {
      const accountId = name ? (await namedAccount(database, name)).id : null;
      const found = await readBudgets(database, { accountId, afterId: null, most: MAX_LISTED });
      return { budgets: found, spent: await spentOfBudgets(database, found, nowMs) };
    });
    if (flag("json"))
      console.log(JSON.stringify({ budgets: budgets.map((each) => asJson(each, spent, nowMs)) }, null, 2));
    else console.log(asText(budgets, spent));
    return 0;
  },
};

function asText(budgets: readonly StoredBudget[], spent: Spent): string {
  const titles = ["ACCOUNT", "NAME", "SPENT", "AMOUNT", "OVER BUDGET", "MEMBER", "KEY", "MODEL"];
  const rows = budgets.map((budget) => [
    budget.accountName,
    budget.name,
    `${formatUsd(spent.get(budget.id) ?? 0n)} USD`,
    `${formatUsd(budget.amountNanos)} USD, ${budget.period}`,
    budget.hard ? "refuses" : "alerts only",
    budget.userName ?? "all",
    budget.keyName ?? "all",
    budget.model ?? "all",
  ]);
  const table = rows.length === 0 ? [] : columns([titles, ...rows]);
  return [...table, `${counted(budgets.length, "budget")}.`].join("\n");
}

function asJson(budget: StoredBudget, spent: Spent, nowMs: number) {
  return {
    id: String(budget.id),
    account: budget.accountName,
    name: budget.name,
    amount_usd: formatUsd(budget.amountNanos),
    spent_usd: formatUsd(spent.get(budget.id) ?? 0n),
    period: budget.period,
    period_start: periodStart(budget.period, nowMs),
    hard: budget.hard,
    user: budget.userName,
    key: budget.keyName,
    model: budget.model,
  };
}
