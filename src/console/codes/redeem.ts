import type { KeyHasher } from "../../accounts/key-hasher.ts";
import { formatUsd } from "../../base/money.ts";
import { readBalance } from "../../billing/ledger/ledger-store.ts";
import { readRedemptionCode } from "../../billing/ledger/redemption-code.ts";
import { type Redemption, redeemCode } from "../../billing/ledger/redemption-store.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation } from "../operation.ts";
import { redemption, redemptionBody } from "./contract.ts";

/** Tops the account up by a code: once, however often it is sent, so that whoever got no response sends it again. */
export function redeem({ database, hasher, clock }: ConsoleDeps): Operation {
  return json({
    method: "POST",
    path: "/accounts/{account}/redemptions",
    scope: "billing",
    policy: "member",
    tag: "billing",
    summary: "Redeem a code: its amount is credited once",
    body: redemptionBody,
    response: redemption,
    async run(call) {
      const { id: accountId, name } = call.account();
      const code = readRedemptionCode(call.body.code);
      if (code === undefined) {
        throw refusal("Invalid code. Check for typos.");
      }
      const order = { hash: redemptionHash(hasher, code), accountId, redeemer: call.user().email };
      const done = await database.transaction(async (tx) => {
        const outcome = await redeemCode(tx, order);
        if (outcome.outcome === "done" || outcome.outcome === "repeated") {
          const amount =
            outcome.outcome === "done"
              ? `${formatUsd(outcome.amountNanos ?? 0n)} USD`
              : "no change (already applied)";
          await call.audit(tx, {
            action: "code.redeem",
            subject: `code ${outcome.codeId}`,
            accountId,
            after: { account: name, credited: amount },
          });
        }
        return outcome;
      });
      if (done.amountNanos === null || done.at === null) throw refused(done, clock.nowMs());
      const { balanceNanos, availableNanos } = await readBalance(database, accountId);
      return {
        credited_nanos: String(done.amountNanos),
        repeated: done.outcome === "repeated",
        redeemed_at: done.at.toISOString(),
        balance_nanos: String(balanceNanos),
        available_nanos: String(availableNanos),
      };
    },
  });
}

/** Says what is wrong with the code, and nothing of whoever else has to do with it. */
function refused({ outcome, at }: Redemption, nowMs: number): GatewayError {
  switch (outcome) {
    case "throttled": {
      const retryAfterSeconds = Math.max(1, Math.ceil(((at?.getTime() ?? 0) - nowMs) / 1000));
      return new GatewayError(
        "too_many_attempts",
        `Too many invalid codes. Try again in ${Math.ceil(retryAfterSeconds / 60)} min.`,
        { retryAfterSeconds },
      );
    }
    case "used":
      return new GatewayError("conflict", "This code was already redeemed.", { param: "code" });
    case "revoked":
      return refusal("This code was withdrawn by the operator.");
    case "expired":
      return refusal(`This code expired on ${at?.toISOString().slice(0, 10)}.`);
    default:
      return refusal("Code not found.");
  }
}

function refusal(message: string): GatewayError {
  return new GatewayError("invalid_request", message, { param: "code" });
}

/** The hash that the database stores for a code; the word before it keeps codes and API keys apart. */
export function redemptionHash(hasher: KeyHasher, code: string): Buffer {
  return hasher.hash(`redemption ${code}`);
}
