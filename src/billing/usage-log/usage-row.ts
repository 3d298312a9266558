import type { ByteWriter } from "../../base/byte-writer.ts";
import type { HoldOrder } from "../billing.ts";
import type { SettledEnd } from "../journal/journal-record.ts";
import type { LedgerRef } from "../leases/ledger-ref.ts";
import { callerRow, isPlain, modelText, wellFormed } from "../pricing/shared-text.ts";

/** Writes a row, without a newline. */
export type Row = (writer: ByteWriter) => void;

/** The begin and end record of a request as one row of the usage log. */
export interface EndedRequest {
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  readonly order: HoldOrder;
  readonly ledgers: readonly LedgerRef[];
  readonly end: SettledEnd;
}

/**
 * An ended request as the database reads it most cheaply: fields parted by tabs, in the order of `insert_usage_rows`, an
 * empty one being null. undefined where a row cannot hold all of it; its two records are posted then, which can. Positions
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
  if (order.tags?.some((tag) => !isPlain(tag) || tag.includes(",")) === true) return undefined;
  return (writer) => {
    const { usage } = outcome;
    writeNumber(writer, ended.beganAtMs);
    writeNumber(writer, ended.endedAtMs);
    writer.text(order.requestId);
    writer.bytes(callerRow(order.caller));
    writer.bytes(model);
    writeText(writer, order.endpoint);
    writeText(writer, String(order.streamed));
    writeText(writer, String(order.amountNanos));
    writeText(writer, ended.ledgers.map(({ id }) => id).join(","));
    writeText(writer, upstream);
    writeText(writer, upstreamModel);
    writeNumber(writer, outcome.status);
    writeText(writer, outcome.reason);
    writeNumber(writer, outcome.attempts);
    writeNumber(writer, outcome.firstByteMs);
    writeNumber(writer, outcome.totalMs);
    writeText(writer, String(outcome.estimated));
    writeNumber(writer, usage.inputUncached);
    writeNumber(writer, usage.cacheRead);
    writeNumber(writer, usage.cacheWrite5m);
    writeNumber(writer, usage.cacheWrite1h);
    writeNumber(writer, usage.outputVisible);
    writeNumber(writer, usage.outputReasoning);
    writeText(writer, end.raw);
    writeText(writer, String(end.chargeNanos));
    // Nothing is written off; rows of earlier programs lack the field.
    writeText(writer, "0");
    writeText(writer, place?.credential ?? null);
    writeText(writer, place?.reason ?? null);
    const { nanos, attempts } = end.cost;
    writeText(writer, String(nanos));
    if (attempts !== undefined) writer.text(wellFormed(JSON.stringify(attempts)));
    if (order.tags !== undefined) writer.text(`\t${order.tags.join(",")}`);
  };
}

function writeText(writer: ByteWriter, value: string | null): void {
  if (value !== null) writer.text(value);
  writer.byte(TAB);
}

function writeNumber(writer: ByteWriter, value: number | null | undefined): void {
  if (value !== null && value !== undefined) writer.digits(Math.round(value));
  writer.byte(TAB);
}

const TAB = 0x09;

/** True if an outcome has nothing for which a row has no field. */
function fits(
  { amountNanos, askedModel }: HoldOrder,
  { outcome, holdNanos, writtenOffNanos, charge }: SettledEnd,
): boolean {
  const { hostile, losses, errorCode, implausible, outputLimit, answeredBy } = outcome;
  return (
    askedModel === undefined &&
    answeredBy === undefined &&
    holdNanos === amountNanos &&
    writtenOffNanos === 0n &&
    (implausible === undefined || implausible.length === 0) &&
    (hostile === undefined || hostile.length === 0) &&
    (losses === undefined || losses.length === 0) &&
    errorCode === undefined &&
    outputLimit === undefined &&
    charge === undefined
  );
}

/** A row as the two records it stands for, less their numbers. */
export function recordsOfRow(row: string): { readonly beginRecord: string; readonly endRecord: string } {
  const [beganAt, endedAt, request, account, key, ...ofModel] = row.split("\t");
  const [model, price, rates = "", factor, ...ofOrder] = ofModel;
  const [endpoint, streamed, hold, ledgers = "", ...ofOutcome] = ofOrder;
  const [upstream, upstreamModel, status, reason, attempts, firstByteMs, totalMs, ...ofUsage] = ofOutcome;
  const [estimated, inputUncached, cacheRead, cacheWrite5m, cacheWrite1h, ...ofResponse] = ofUsage;
  const [outputVisible, outputReasoning, raw = "", charge, , credential, chosen, cost, costs, tags] =
    ofResponse;
  const begin = {
    at: numberOf(beganAt),
    request,
    account,
    key,
    model,
    price,
    rates: JSON.parse(rates) as unknown,
    factor,
    endpoint,
    streamed: streamed === "true",
    hold,
    ledgers: ledgers.split(","),
    tags: tags?.split(","),
  };
  const end = {
    at: numberOf(endedAt),
    upstream: upstream || null,
    upstream_model: upstreamModel || null,
    credential: chosen ? credential : undefined,
    chosen: chosen || undefined,
    status: numberOf(status),
    reason,
    attempts: numberOf(attempts),
    first_byte_ms: numberOf(firstByteMs) ?? null,
    total_ms: numberOf(totalMs),
    estimated: estimated === "true",
    usage: {
      inputUncached: numberOf(inputUncached),
      cacheRead: numberOf(cacheRead),
      cacheWrite5m: numberOf(cacheWrite5m),
      cacheWrite1h: numberOf(cacheWrite1h),
      outputVisible: numberOf(outputVisible),
      outputReasoning: numberOf(outputReasoning),
    },
    raw: raw === "" ? undefined : (JSON.parse(raw) as unknown),
    charge,
    cost: cost === "0" ? undefined : cost,
    costs: costs ? (JSON.parse(costs) as unknown) : undefined,
  };
  return { beginRecord: JSON.stringify(begin), endRecord: JSON.stringify(end) };
}

function numberOf(text: string | undefined): number | undefined {
  return text ? Number(text) : undefined;
}
