import { crc32 } from "node:zlib";
import { ByteWriter } from "../../base/byte-writer.ts";
import { isWithinDepth, USAGE_LEVELS } from "../../base/json/exact-json.ts";
import { byClass } from "../../usage/usage.ts";
import { allTokens, type HoldOrder, type Outcome } from "../billing.ts";
import type { LedgerRef } from "../leases/ledger-ref.ts";
import type { RequestCost } from "../pricing/attempt-cost.ts";
import type { Charge } from "../pricing/charge.ts";
import { encodeCharge } from "../pricing/charge-text.ts";
import { modelText, wellFormed } from "../pricing/shared-text.ts";

/** Writes the JSON of a record where it is needed: what waits costs no memory but that of the request. */
export type JournalRecord = (writer: ByteWriter) => void;

/**
 * The two records of a request, each one line: its kind, a checksum and JSON that the database reads
 * (`insert_usage_rows` names its fields): `b 1f2e3d4c {...}`. Amounts are text, since a JSON number would lose digits.
 */
export function encodeBegin(
  number: number,
  atMs: number,
  order: HoldOrder,
  ledgers: readonly LedgerRef[],
): JournalRecord {
  const { model, askedModel, price, caller, tags } = order;
  return (writer) =>
    writeJson(writer, {
      model,
      price: String(price.priceId),
      rates: modelText(model, price).rates,
      factor: String(price.factorPpm),
      n: number,
      at: Math.round(atMs),
      request: order.requestId,
      account: String(caller.accountId),
      key: String(caller.keyId),
      endpoint: order.endpoint,
      streamed: order.streamed,
      hold: String(order.amountNanos),
      ledgers: ledgers.map(({ id }) => id),
      asked: askedModel,
      tags,
    });
}

/** The contents of an end record, except for its time. */
export interface SettledEnd {
  readonly chargeNanos: bigint;
  /** The final amount of the hold; the charge never exceeds it. */
  readonly holdNanos: bigint;
  /** The part of the request's price beyond the hold. */
  readonly writtenOffNanos: bigint;
  readonly outcome: Outcome;
  /** Undefined if the begin record's rates and the usage determine the charge. */
  readonly charge: Charge | undefined;
  /** The platform's cost of the request. */
  readonly cost: RequestCost;
  /** The usage object as written by `rawText`. */
  readonly raw: string;
}

/** `firstHoldNanos` stands in the begin record. */
export function encodeEnd(
  number: number,
  atMs: number,
  begin: number,
  firstHoldNanos: bigint,
  end: SettledEnd,
): JournalRecord {
  const { chargeNanos, holdNanos, writtenOffNanos, charge, cost, outcome, raw } = end;
  const { answeredBy: other } = outcome;
  return (writer) =>
    writeJson(
      writer,
      {
        n: number,
        at: Math.round(atMs),
        begin,
        charge: String(chargeNanos),
        reason: outcome.reason,
        status: outcome.status,
        usage: byClass(allTokens(outcome)),
        estimated: outcome.estimated || charge?.isCallEstimated === true,
        upstream: outcome.upstream,
        upstream_model: outcome.upstreamModel,
        credential: outcome.place?.credential,
        chosen: outcome.place?.reason,
        attempts: outcome.attempts,
        first_byte_ms: outcome.firstByteMs === null ? null : Math.round(outcome.firstByteMs),
        total_ms: Math.round(outcome.totalMs),
        // Fields that few requests have.
        model: other?.model,
        price: other?.price.priceId.toString(),
        rates: other && modelText(other.model, other.price).rates,
        factor: other?.price.factorPpm.toString(),
        hold: holdNanos === firstHoldNanos ? undefined : String(holdNanos),
        written_off: writtenOffNanos > 0n ? String(writtenOffNanos) : undefined,
        output_limit: outcome.outputLimit,
        implausible: filled(outcome.implausible),
        hostile: filled(outcome.hostile),
        losses: filled(outcome.losses),
        charged: charge === undefined ? undefined : encodeCharge(charge),
        cost: cost.nanos > 0n ? String(cost.nanos) : undefined,
        costs: cost.attempts,
        error_code: outcome.errorCode,
      },
      raw,
    );
}

function filled<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list?.length ? list : undefined;
}

/** `raw` is JSON already, which is not to be written twice. */
function writeJson(writer: ByteWriter, fields: object, raw = ""): void {
  const json = wellFormed(JSON.stringify(fields));
  writer.text(raw === "" ? json : `${json.slice(0, -1)},"raw":${raw}}`);
}

/** The record of this JSON. */
export function recordOf(json: string): JournalRecord {
  return (writer) => writer.text(json);
}

/** The JSON of a record. */
export function textOf(record: JournalRecord): string {
  scratch.clear();
  record(scratch);
  return scratch.view().toString();
}

/** One for all, since a receipt may look through the records of every running request. */
const scratch = new ByteWriter();

export type RecordKind = "begin" | "end";

/** Writes a line as it stands on disk: framed, with its newline. */
export function writeFramed(writer: ByteWriter, kind: RecordKind, record: JournalRecord): void {
  const start = writer.length;
  writer.bytes(FRAMES[kind]);
  record(writer);
  writer.hexAt(start + CHECKSUM_AT, crc32(writer.view(start + FRAME_LENGTH)));
  writer.byte(NEWLINE);
}

/** Leaves room for the checksum. */
const FRAMES = { begin: Buffer.from("b 00000000 "), end: Buffer.from("e 00000000 ") };
const CHECKSUM_AT = 2;
const FRAME_LENGTH = CHECKSUM_AT + 8 + 1;
const NEWLINE = 0x0a;

/** A line read back (without its newline); undefined where it is torn or changed. */
export function unframe(record: string): { kind: RecordKind; json: string } | undefined {
  const kind = record.startsWith("b ") ? "begin" : record.startsWith("e ") ? "end" : undefined;
  const json = record.slice(FRAME_LENGTH);
  if (!kind || record.slice(CHECKSUM_AT, FRAME_LENGTH) !== `${crc32(json).toString(16).padStart(8, "0")} `)
    return undefined;
  return { kind, json };
}

// A vendor's usage object has some hundred bytes; whatever is larger is no usage.
const MAX_RAW_CHARACTERS = 16_384;

/** The vendor's usage object as JSON, made text once: this is on the path of every request. A nest is none, and "". */
export function rawText(raw: unknown): string {
  const text = raw === undefined || !isWithinDepth(raw, USAGE_LEVELS) ? undefined : JSON.stringify(raw);
  if (text === undefined) return "";
  return text.length > MAX_RAW_CHARACTERS ? `{"omitted_characters":${text.length}}` : wellFormed(text);
}
