import type { ByteSheet } from "../base/byte-sheet.ts";
import type { HoldOrder } from "./billing.ts";
import type { LedgerRef } from "./ledger-ref.ts";
import type { SettledEnd } from "./line.ts";
import { callerText, isPlain, modelText } from "./shared-text.ts";

/** Writes a row, without a newline. */
export type Row = (sheet: ByteSheet) => void;

/** What both lines of an ended request say, as a row of the usage log needs it. */
export interface EndedRequest {
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  readonly order: HoldOrder;
  readonly ledgers: readonly LedgerRef[];
  readonly end: SettledEnd;
}

/**
 * An ended request as the database reads it most cheaply: fields parted by tabs, in the order of migration 000024, an
 * empty one being null. undefined where a row cannot hold all of it; its two lines are posted then, which can. Positions
 * are between a program and the function of its own migration; what lies on disk has names.
 */
export function encodeRow(ended: EndedRequest): Row | undefined {
  const { order, end } = ended;
  const { outcome } = end;
  const { upstream, upstreamModel, place } = outcome;
  const model = modelText(order.model, order.price).row;
  if (model === undefined || !isPlain(order.requestId) || !fits(order, end)) return undefined;
  if ((upstream !== null && !isPlain(upstream)) || (upstreamModel !== null && !isPlain(upstreamModel)))
    return undefined;
  if (place !== undefined && !isPlain(place.credential)) return undefined;
  return (sheet) => {
    const { usage } = outcome;
    writeNumber(sheet, ended.beganAtMs);
    writeNumber(sheet, ended.endedAtMs);
    sheet.text(order.requestId);
    sheet.bytes(callerText(order.caller).row);
    sheet.bytes(model);
    writeText(sheet, order.endpoint);
    writeText(sheet, String(order.streamed));
    writeText(sheet, String(order.amountNanos));
    writeText(sheet, ended.ledgers.map(({ id }) => id).join(","));
    writeText(sheet, upstream);
    writeText(sheet, upstreamModel);
    writeNumber(sheet, outcome.status);
    writeText(sheet, outcome.reason);
    writeNumber(sheet, outcome.attempts);
    writeNumber(sheet, outcome.firstByteMs);
    writeNumber(sheet, outcome.totalMs);
    writeText(sheet, String(outcome.estimated));
    writeNumber(sheet, usage.inputUncached);
    writeNumber(sheet, usage.cacheRead);
    writeNumber(sheet, usage.cacheWrite5m);
    writeNumber(sheet, usage.cacheWrite1h);
    writeNumber(sheet, usage.outputVisible);
    writeNumber(sheet, usage.outputReasoning);
    writeText(sheet, end.raw);
    writeText(sheet, String(end.chargeNanos));
    // Nothing is written off; programs that did not know of it have no such field.
    writeText(sheet, "0");
    writeText(sheet, place?.credential ?? null);
    sheet.text(place?.reason ?? "");
  };
}

function writeText(sheet: ByteSheet, value: string | null): void {
  if (value !== null) sheet.text(value);
  sheet.byte(TAB);
}

function writeNumber(sheet: ByteSheet, value: number | null | undefined): void {
  if (value !== null && value !== undefined) sheet.digits(Math.round(value));
  sheet.byte(TAB);
}

const TAB = 0x09;

/** Whether an outcome has nothing for which a row has no field. */
function fits(
  { price, amountNanos }: HoldOrder,
  { outcome, holdNanos, writtenOffNanos }: SettledEnd,
): boolean {
  const { hostile, losses, errorCode, withoutExtras, implausible, outputLimit } = outcome;
  return (
    holdNanos === amountNanos &&
    writtenOffNanos === 0n &&
    (implausible === undefined || implausible.length === 0) &&
    (hostile === undefined || hostile.length === 0) &&
    (losses === undefined || losses.length === 0) &&
    errorCode === undefined &&
    outputLimit === undefined &&
    (withoutExtras === undefined || price.extras === undefined)
  );
}

/** A row as the two lines it stands for, less their numbers. */
export function linesOfRow(row: string): { readonly beginLine: string; readonly endLine: string } {
  const [beganAt, endedAt, request, account, key, ...ofModel] = row.split("\t");
  const [model, price, rates = "", factor, ...ofOrder] = ofModel;
  const [endpoint, streamed, hold, ledgers = "", ...ofOutcome] = ofOrder;
  const [upstream, upstreamModel, status, reason, attempts, firstByteMs, totalMs, ...ofUsage] = ofOutcome;
  const [estimated, inputUncached, cacheRead, cacheWrite5m, cacheWrite1h, ...ofAnswer] = ofUsage;
  const [outputVisible, outputReasoning, raw = "", charge, , credential, chosen] = ofAnswer;
  const begin = {
    ...{
      at: numberOf(beganAt),
      request,
      account,
      key,
      model,
      price,
      rates: JSON.parse(rates) as unknown,
      factor,
    },
    ...{ endpoint, streamed: streamed === "true", hold, ledgers: ledgers.split(",") },
  };
  const end = {
    ...{ at: numberOf(endedAt), upstream: upstream || null, upstream_model: upstreamModel || null },
    ...(chosen ? { credential, chosen } : {}),
    ...{ status: numberOf(status), reason, attempts: numberOf(attempts) },
    ...{
      first_byte_ms: numberOf(firstByteMs) ?? null,
      total_ms: numberOf(totalMs),
      estimated: estimated === "true",
    },
    usage: {
      ...{ inputUncached: numberOf(inputUncached), cacheRead: numberOf(cacheRead) },
      ...{ cacheWrite5m: numberOf(cacheWrite5m), cacheWrite1h: numberOf(cacheWrite1h) },
      ...{ outputVisible: numberOf(outputVisible), outputReasoning: numberOf(outputReasoning) },
    },
    ...(raw === "" ? {} : { raw: JSON.parse(raw) as unknown }),
    charge,
  };
  return { beginLine: JSON.stringify(begin), endLine: JSON.stringify(end) };
}

function numberOf(text: string | undefined): number | undefined {
  return text ? Number(text) : undefined;
}
