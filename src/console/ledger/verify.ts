import { GatewayError } from "../../errors.ts";
import { failureOf } from "../../storage/failures.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation } from "../operation.ts";
import { type Verification, verification } from "./contract.ts";

/** A rule reads every transfer ever made; whoever has more of them than this reads uses the command line. */
const RULE_LIMIT_MS = 60_000;

/** The check of the command line, `faregate ledger verify`; one at a time in a process, as it reads everything. */
export function verify({ verifyLedger, clock }: ConsoleDeps): Operation {
  let running = false;
  return json({
    ...{ method: "POST", path: "/operator/ledger/verify", policy: "operator", tag: "ledger" },
    summary: "Recompute every balance and check every ledger rule",
    response: verification,
    unaudited: "it changes nothing",
    async run() {
      if (running)
        throw new GatewayError("conflict", "A verification is already running. Try again shortly.");
      running = true;
      const sinceMs = clock.monotonicMs();
      try {
        const report = await verifyLedger(RULE_LIMIT_MS);
        const took_ms = Math.round(clock.monotonicMs() - sinceMs);
        return { ...inText(report), took_ms, at: new Date(clock.nowMs()).toISOString() };
      } catch (error) {
        if (failureOf(error) !== "timeout") throw error;
        throw new GatewayError(
          "service_unavailable",
          "The ledger is too large to verify here. Run: faregate ledger verify",
        );
      } finally {
        running = false;
      }
    },
  });
}

function inText(
  report: Awaited<ReturnType<ConsoleDeps["verifyLedger"]>>,
): Omit<Verification, "took_ms" | "at"> {
  return {
    ...report,
    breaches: [...report.breaches],
    revenue_nanos: String(report.revenue_nanos),
    loss_nanos: String(report.loss_nanos),
    funding_nanos: String(report.funding_nanos),
    accounts: report.accounts.map((account) => ({
      name: account.name,
      balance_nanos: String(account.balance_nanos),
      available_nanos: String(account.available_nanos),
    })),
  };
}
