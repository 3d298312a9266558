import { WorkerLost } from "../../base/async/worker-pool.ts";
import { GatewayError } from "../../errors.ts";
import { ExportFormatError, readAmount } from "../../reconcile/export-row.ts";
import { DEFAULT_TOLERANCE, type ReconcileOptions, type ReconcileReport } from "../../reconcile/reconcile.ts";
import { MAX_EXPORT_BYTES, reconcileInThread } from "../../reconcile/reconcile-thread.ts";
import { isZone } from "../../reconcile/zone-days.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation } from "../operation.ts";
import {
  type Reconciliation,
  type ReconciliationQuery,
  reconciliation,
  reconciliationQuery,
} from "./contract.ts";

/** Longer than the largest export takes; of what takes longer the usage log is too large for a page. */
const LIMIT_MS = 300_000;

/**
 * The process also serves requests, so its share is small; the largest exports are for the command, which has a process
 * of its own.
 */
const MEMORY_MB = 1_024;

/** The command `faregate reconcile`; one at a time in a process, as each takes a thread and much memory. */
export function reconcileOperations({ database }: ConsoleDeps): readonly Operation[] {
  let running = false;
  return [
    json({
      method: "POST",
      path: "/operator/reconciliations",
      scope: "read",
      policy: "operator",
      tag: "ledger",
      summary: "Compare a vendor's export of costs or usage with recorded costs",
      query: reconciliationQuery,
      upload: { maxBytes: MAX_EXPORT_BYTES },
      response: reconciliation,
      unaudited: "it changes nothing",
      async run({ query, upload, gone }) {
        if (running)
          throw new GatewayError("conflict", "A comparison is already running. Try again shortly.");
        const options = optionsOf(query);
        running = true;
        try {
          const signal = AbortSignal.any([gone, AbortSignal.timeout(LIMIT_MS)]);
          return responseOf(
            await reconcileInThread(database, upload, options, { memoryMb: MEMORY_MB, signal }),
          );
        } catch (error) {
          throw refusalOf(error);
        } finally {
          running = false;
        }
      },
    }),
  ];
}

function optionsOf({ upstreams, project, zone, tolerance }: ReconciliationQuery): ReconcileOptions {
  if (zone && !isZone(zone))
    throw new GatewayError(
      "invalid_request",
      `zone: "${zone}" is no time zone, such as America/Los_Angeles.`,
      {
        param: "zone",
      },
    );
  const most = readAmount(tolerance || DEFAULT_TOLERANCE);
  if (most === undefined || most < 0n)
    throw new GatewayError("invalid_request", "tolerance: must be US dollars such as 0.01.", {
      param: "tolerance",
    });
  return {
    upstreams: upstreams ? upstreams.split(",").map((name) => name.trim()) : undefined,
    project: project || undefined,
    zone: zone || undefined,
    tolerance: most,
  };
}

function refusalOf(error: unknown): unknown {
  if (error instanceof ExportFormatError)
    return new GatewayError("invalid_request", error.describe("Export file"), { cause: error });
  if (error instanceof WorkerLost)
    return new GatewayError(
      "service_unavailable",
      "The comparison takes too much memory or time here. Run: faregate reconcile",
      { cause: error },
    );
  return error;
}

function responseOf(report: ReconcileReport): Reconciliation {
  return {
    ...report,
    left_out: report.left_out.map(({ reason, lines }) => ({ reason, lines: [...lines] })),
    differences: report.differences.map((each) => ({
      ...each,
      ours: { ...each.ours },
      theirs: { ...each.theirs },
      requests: each.requests.map(({ id, account, why }) => ({ id, account, why: [...why] })),
    })),
    causes: report.causes.map((each) => ({ ...each, values: [...each.values] })),
  };
}
