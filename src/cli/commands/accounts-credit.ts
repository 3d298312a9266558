import { systemClock } from "../../base/clock.ts";
import { formatUsd, parseUsd } from "../../base/money.ts";
import { randomId } from "../../base/random.ts";
import { readBalance } from "../../billing/ledger/ledger-store.ts";
import { transferByOperator } from "../../billing/ledger/operator-transfer.ts";
import { readSettings } from "../../catalog/catalog-store.ts";
import { decodeSettings } from "../../catalog/settings.ts";
import { insertAudit } from "../../users/audit-store.ts";
import { commandOrigin } from "../audit.ts";
import { type Command, CommandFailure, UsageError } from "../command.ts";
import { namedAccount } from "../named-account.ts";
import { withDatabase } from "../open.ts";

/** Ten million dollars, as in the console: whoever means more has slipped. */
const MAX_NANOS = 10_000_000n * 1_000_000_000n;

/** Credits or debits an account, as the dashboard does. */
export const accountsCreditCommand: Command = {
  name: "accounts credit",
  summary: "credit an account, or debit it with a negative amount",
  positionals: ["NAME", "USD"],
  options: {
    reason: { type: "string", value: "TEXT", help: "what the account's statement says about it (required)" },
    "idempotency-key": {
      type: "string",
      value: "KEY",
      help: "moves the money once, however often the command runs (default: a new one)",
    },
    json: { type: "boolean", help: "print the result as JSON" },
  },
  examples: [
    'faregate accounts credit acme 25 --reason "invoice 1042" --idempotency-key invoice-1042',
    'faregate accounts credit --reason "wrong invoice" -- acme -2.50',
  ],
  async run({ config, positionals, text, flag }) {
    const [name = "", amount = ""] = positionals;
    const amountNanos = readAmount(amount);
    const reason = readReason(text("reason"));
    const idempotencyKey = readKey(text("idempotency-key"));
    return withDatabase(config, "accounts credit", async ({ database }) => {
      const { id: accountId } = await namedAccount(database, name);
      const { queues } = decodeSettings(await readSettings(database));
      const transfer = { accountId, amountNanos, idempotencyKey, reason };
      const { outcome, availableNanos } = await transferByOperator(
        database,
        systemClock,
        transfer,
        queues,
        async (tx, done) => {
          const moved =
            done.outcome === "done" ? `${formatUsd(amountNanos)} USD` : "no change (already applied)";
          const after = { moved, reason, idempotency_key: idempotencyKey };
          await insertAudit(tx, {
            action: "balance.adjust",
            subject: name,
            accountId,
            after,
            ...commandOrigin(),
          });
        },
      );
      if (outcome === "conflict")
        throw new CommandFailure(`the key "${idempotencyKey}" was already used for a different amount`);
      if (outcome === "reclaiming")
        throw new CommandFailure("not enough unreserved funds; nothing was debited; try again later");
      if (outcome === "insufficient")
        throw new CommandFailure(
          `the account has ${formatUsd(availableNanos)} USD available, which is less than that`,
        );
      const { balanceNanos } = await readBalance(database, accountId);
      const result = {
        account: name,
        moved_usd: outcome === "done" ? formatUsd(amountNanos) : "0",
        repeated: outcome === "repeated",
        balance_usd: formatUsd(balanceNanos),
        idempotency_key: idempotencyKey,
      };
      console.log(
        flag("json")
          ? JSON.stringify(result, null, 2)
          : `${result.repeated ? "Already applied" : "Done"}: ${name} has ${result.balance_usd} USD.`,
      );
      return 0;
    });
  },
};

function readAmount(text: string): bigint {
  try {
    const nanos = parseUsd(text);
    if (nanos !== 0n && nanos <= MAX_NANOS && nanos >= -MAX_NANOS) return nanos;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new UsageError(
    `"${text}" is no amount: write US dollars such as 25 or 0.50, not zero, at most 10000000`,
  );
}

function readReason(text: string | undefined): string {
  const reason = text?.trim() ?? "";
  if (reason !== "" && reason.length <= 500) return reason;
  throw new UsageError("--reason TEXT is required, with at most 500 characters");
}

function readKey(text: string | undefined): string {
  if (text === undefined) return randomId();
  if (/^[\x21-\x7e]{8,200}$/.test(text)) return text;
  throw new UsageError("--idempotency-key takes 8 to 200 visible ASCII characters without spaces");
}
