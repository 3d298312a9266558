import type { HoldOrder, Outcome } from "./billing.ts";
import type { LedgerRef } from "./ledger-ref.ts";
import { callerText, isPlain, modelText } from "./shared-text.ts";

/** What both lines of an ended request say, as a row of the usage log needs it. */
export interface EndedRequest {
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  readonly order: HoldOrder;
  readonly ledgers: readonly LedgerRef[];
  readonly chargeNanos: bigint;
  readonly outcome: Outcome;
  /** The vendor's usage object as JSON; "" = none. */
  readonly raw: string;
}

/**
 * An ended request as the database reads it most cheaply: fields parted by tabs, in the order of migration 000015, an
 * empty one being null. undefined where a row cannot hold all of it; its two lines are posted then, which can. Positions
 * are between a program and the function of its own migration; what lies on disk has names.
 */
export function encodeRow(ended: EndedRequest): string | undefined {
  const { order, outcome, ledgers } = ended;
  const { usage, upstream, upstreamModel, firstByteMs } = outcome;
  const model = modelText(order.model, order.price).row;
  if (model === undefined || !isPlain(order.requestId) || !fits(order, outcome)) return undefined;
  if ((upstream !== null && !isPlain(upstream)) || (upstreamModel !== null && !isPlain(upstreamModel)))
    return undefined;
  return (
    `${ended.beganAtMs}\t${ended.endedAtMs}\t${order.requestId}\t${callerText(order.caller).row}\t${model}\t` +
    `${order.endpoint}\t${order.streamed}\t${order.amountNanos}\t${ledgers.map(({ id }) => id).join(",")}\t` +
    `${upstream ?? ""}\t${upstreamModel ?? ""}\t${outcome.status}\t${outcome.reason}\t${outcome.attempts}\t` +
    `${firstByteMs === null ? "" : Math.round(firstByteMs)}\t${Math.round(outcome.totalMs)}\t${outcome.estimated}\t` +
    `${usage.inputUncached ?? ""}\t${usage.cacheRead ?? ""}\t${usage.cacheWrite5m ?? ""}\t${usage.cacheWrite1h ?? ""}\t` +
    `${usage.outputVisible ?? ""}\t${usage.outputReasoning ?? ""}\t${ended.raw}\t${ended.chargeNanos}`
  );
}

/** Whether an outcome has nothing for which a row has no field. */
function fits({ price }: HoldOrder, { hostile, losses, errorCode, withoutExtras }: Outcome): boolean {
  return (
    (hostile === undefined || hostile.length === 0) &&
    (losses === undefined || losses.length === 0) &&
    errorCode === undefined &&
    (withoutExtras === undefined || price.extras === undefined)
  );
}

/** A row as the two lines it stands for, less their numbers. */
export function linesOfRow(row: string): { readonly beginLine: string; readonly endLine: string } {
  const fields = row.split("\t");
  const text = (at: number): string => fields[at] ?? "";
  const number = (at: number): number | undefined => (text(at) === "" ? undefined : Number(text(at)));
  const begin = {
    at: number(0),
    request: text(2),
    account: text(3),
    key: text(4),
    model: text(5),
    price: text(6),
    rates: JSON.parse(text(7)) as unknown,
    factor: text(8),
    endpoint: text(9),
    streamed: text(10) === "true",
    hold: text(11),
    ledgers: text(12).split(","),
  };
  const end = {
    at: number(1),
    upstream: text(13) || null,
    upstream_model: text(14) || null,
    status: number(15),
    reason: text(16),
    attempts: number(17),
    first_byte_ms: number(18) ?? null,
    total_ms: number(19),
    estimated: text(20) === "true",
    usage: {
      inputUncached: number(21),
      cacheRead: number(22),
      cacheWrite5m: number(23),
      cacheWrite1h: number(24),
      outputVisible: number(25),
      outputReasoning: number(26),
    },
    ...(text(27) === "" ? {} : { raw: JSON.parse(text(27)) as unknown }),
    charge: text(28),
  };
  return { beginLine: JSON.stringify(begin), endLine: JSON.stringify(end) };
}
