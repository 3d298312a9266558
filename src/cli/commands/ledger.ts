import { formatUsd } from "../../base/money.ts";
import { counted } from "../../base/text.ts";
import { verifyLedger } from "../../billing/ledger/verify.ts";
import type { Command } from "../command.ts";
import { withDatabase } from "../open.ts";

/** Recomputes every balance from the transfers and checks every rule of the books. */
export const ledgerVerifyCommand: Command = {
  name: "ledger verify",
  summary: "recompute every balance and check every rule; exit code 1 = discrepancies, 3 = could not run",
  positionals: [],
  options: { json: { type: "boolean", help: "print the whole report as JSON" } },
  failureCode: 3,
  examples: ["faregate ledger verify", "faregate ledger verify --json | jq .breaches"],
  run: ({ config, flag }) =>
    withDatabase(config, "ledger verify", async ({ database }) => {
      const report = await verifyLedger(database, config.dataDir);
      if (flag("json")) {
        console.log(JSON.stringify(report, asNumbers, 2));
      } else if (report.ok) {
        console.log(
          `Ledger OK: ${counted(report.accounts.length, "account")}, revenue $${formatUsd(BigInt(report.revenue_nanos))}.`,
        );
      } else {
        console.error(
          `faregate: the ledger has ${report.breaches.length} ${report.breaches.length === 1 ? "discrepancy" : "discrepancies"}:`,
        );
        for (const breach of report.breaches) console.error(`  ${JSON.stringify(breach)}`);
      }
      return report.ok ? 0 : 1;
    }),
};

/** Amounts as numbers while they fit one exactly (up to 9 million dollars), else as text. */
function asNumbers(_key: string, value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
