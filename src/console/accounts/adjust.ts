import { readAccount } from "../../accounts/accounts-store.ts";
import type { AccountId } from "../../accounts/caller.ts";
import { formatUsd } from "../../base/money.ts";
import { readBalance } from "../../billing/ledger/ledger-store.ts";
import { transferByOperator } from "../../billing/ledger/operator-transfer.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleDeps } from "../deps.ts";
import { idOf, inputNanos, notFound } from "../input.ts";
import { json, type Operation } from "../operation.ts";
import { adjusted, adjustment } from "./contract.ts";

/** Credits or debits an account: an entry of its ledger with a reason, by an idempotency key. */
export function adjust({ database, clock, catalog }: ConsoleDeps): Operation {
  return json({
    method: "POST",
    path: "/operator/accounts/{account}/adjustments",
    scope: "billing",
    policy: "operator",
    tag: "accounts",
    summary: "Credit (above 0) or debit (below 0) an account",
    body: adjustment,
    response: adjusted,
    async run(call) {
      const { reason, idempotency_key: idempotencyKey } = call.body;
      const amountNanos = inputNanos(call.body);
      const account = await readAccount(
        database,
        idOf(call.params["account"], "Account not found.") as AccountId,
      );
      if (account === undefined) throw notFound("account");
      const { id: accountId, name } = account;
      const transfer = { accountId, amountNanos, idempotencyKey, reason };
      const { outcome, availableNanos } = await transferByOperator(
        database,
        clock,
        transfer,
        catalog.current().settings.queues,
        async (tx, done) => {
          const moved =
            done.outcome === "done" ? `${formatUsd(amountNanos)} USD` : "no change (already applied)";
          const note = { action: "balance.adjust", subject: name, accountId };
          await call.audit(tx, { ...note, after: { moved, reason, idempotency_key: idempotencyKey } });
        },
      );
      if (outcome !== "done" && outcome !== "repeated") throw refused(outcome, availableNanos);
      const balance = await readBalance(database, accountId);
      return {
        repeated: outcome === "repeated",
        balance_nanos: String(balance.balanceNanos),
        available_nanos: String(balance.availableNanos),
      };
    },
  });
}

function refused(outcome: "conflict" | "reclaiming" | "insufficient", availableNanos: bigint): GatewayError {
  switch (outcome) {
    case "conflict":
      return new GatewayError("conflict", "This idempotency key was already used for a different amount.", {
        param: "idempotency_key",
      });
    case "reclaiming":
      return new GatewayError(
        "balance_busy",
        "Not enough unreserved funds; nothing was debited. Retry with the same key.",
        { retryAfterSeconds: 5 },
      );
    case "insufficient":
      return new GatewayError(
        "conflict",
        `The account has ${formatUsd(availableNanos)} USD available, which is less than that.`,
        { param: "amount_usd" },
      );
  }
}
