import { GatewayError } from "../../errors.ts";
import { failureOf } from "../../storage/failures.ts";
import { pageQuery } from "../contract-parts.ts";
import type { ConsoleDeps } from "../deps.ts";
import { decodeCursor, encodeCursor, inputMark, wrongMark } from "../input.ts";
import { json, type Operation } from "../operation.ts";
import {
  costsQuery,
  losses,
  quarantine,
  type UpstreamCosts,
  type Verification,
  vendorCosts,
  verification,
  writeOffs,
} from "./contract.ts";
import {
  readLosses,
  readQuarantine,
  readVendorCosts,
  readWriteOffs,
  type UpstreamCosts as StoredCosts,
  totalLoss,
  totalWrittenOff,
} from "./ledger-books-store.ts";

/** A rule reads every transfer ever made; whoever has more of them than this reads uses the command line. */
const RULE_LIMIT_MS = 60_000;

/** The check of the command line, `faregate ledger verify`; one at a time in a process, as it reads everything. */
export function verify({ verifyLedger, clock }: ConsoleDeps): Operation {
  let running = false;
  return json({
    method: "POST",
    path: "/operator/ledger/verify",
    scope: "read",
    policy: "operator",
    tag: "ledger",
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

/** The books, for operators: whether they are right, what the platform lost, what vendors say it cost. */
export function ledgerOperations(deps: ConsoleDeps): readonly Operation[] {
  return [verify(deps), listLosses(deps), listWriteOffs(deps), listQuarantine(deps), showCosts(deps)];
}

const described = { method: "GET", policy: "operator", tag: "ledger" } as const;

function listLosses({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    path: "/operator/ledger/losses",
    summary: "Charges above accounts' balances, newest first",
    query: pageQuery,
    response: losses,
    async run({ query: { after, limit } }) {
      const rows = await readLosses(database, inputMark(after), limit + 1);
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        total_nanos: String(await totalLoss(database)),
        data: shown.map(({ id, at, kind, amountNanos, account, reference }) => ({
          id: String(id),
          at: at.toISOString(),
          kind,
          amount_nanos: String(amountNanos),
          account,
          reference,
        })),
        next: rows.length > limit && last !== undefined ? String(last.id) : null,
      };
    },
  });
}

function listWriteOffs({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    path: "/operator/ledger/write-offs",
    summary: "Write-offs: requests that cost more than account and key could pay, newest first",
    query: pageQuery,
    response: writeOffs,
    async run({ query: { after, limit } }) {
      const rows = await readWriteOffs(database, decodeCursor(after), limit + 1);
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      const more = rows.length > limit && last !== undefined;
      return {
        total_nanos: String(await totalWrittenOff(database)),
        data: shown.map(({ requestId, at, amountNanos, chargeNanos, implausible, ...row }) => ({
          request_id: requestId,
          at: at.toISOString(),
          account: row.account,
          model: row.model,
          upstream: row.upstream,
          amount_nanos: String(amountNanos),
          charge_nanos: String(chargeNanos),
          reason: row.reason,
          implausible: [...implausible],
          why: implausible.some(({ charged }) => !charged)
            ? ("impossible_usage" as const)
            : ("beyond_money" as const),
        })),
        next: more ? encodeCursor({ micros: last.micros, id: last.requestId }) : null,
      };
    },
  });
}

function listQuarantine({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    path: "/operator/ledger/quarantine",
    summary: "Completed requests that could not be recorded; the platform absorbed their holds",
    query: pageQuery,
    response: quarantine,
    async run({ query: { after, limit } }) {
      const rows = await readQuarantine(database, after === undefined ? null : placeOf(after), limit + 1);
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        data: shown.map(({ record, at, holdNanos, requestId, ...row }) => ({
          ...row,
          record: String(record),
          at: at.toISOString(),
          hold_nanos: String(holdNanos),
          request_id: requestId,
        })),
        next: rows.length > limit && last !== undefined ? `${last.journal}:${last.record}` : null,
      };
    },
  });
}

function placeOf(after: string): { journal: string; record: bigint } {
  const [, journal, record] = /^([\w-]{1,100}):(\d{1,18})$/.exec(after) ?? [];
  if (journal === undefined || record === undefined) throw wrongMark();
  return { journal, record: BigInt(record) };
}

/** It reads the tasks of a month at most. */
const COSTS_LIMIT_MS = 20_000;

function showCosts({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    path: "/operator/ledger/vendor-costs",
    summary: "Vendor-reported cost compared with charges",
    query: costsQuery,
    response: vendorCosts,
    async run({ query: { days } }) {
      const found = await readVendorCosts(database, days, COSTS_LIMIT_MS).catch((error: unknown) => {
        if (failureOf(error) !== "timeout") throw error;
        throw new GatewayError("service_unavailable", "The query takes too long. Request fewer days.");
      });
      return { text: found.text.map(costsResponse), tasks: found.tasks.map(costsResponse) };
    },
  });
}

function costsResponse(costs: StoredCosts): UpstreamCosts {
  const { upstream, responses, reporting } = costs;
  return {
    upstream,
    responses,
    reporting,
    charged_nanos: String(costs.chargedNanos),
    reporting_charged_nanos: String(costs.reportingChargedNanos),
    reported_cost: costs.reportedCost,
  };
}
