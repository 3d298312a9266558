import { crc32 } from "node:zlib";
import { ByteWriter } from "../../base/byte-writer.ts";
import { isWithinDepth, USAGE_LEVELS } from "../../base/json/exact-json.ts";
import { TOKEN_BUCKETS, type TokenUsage } from "../../usage/usage.ts";
import type { FrozenPrice, HoldOrder, Outcome } from "../billing.ts";
import type { LedgerRef } from "../leases/ledger-ref.ts";
import { callerText, encodeRates, isPlain, modelText, wellFormed } from "../pricing/shared-text.ts";

/** Writes the JSON of a record where it is needed: made as text, it would be copied several times on its way. */
export type JournalRecord = (writer: ByteWriter) => void;

/**
 * The two records of a request. Each is JSON that the database reads (`insert_usage_rows` names its fields), framed by its kind and a checksum: `b 1f2e3d4c {...}`. Amounts are text, since a JSON
 * number would lose digits.
 */
export function encodeBegin(
  number: number,
  atMs: number,
  order: HoldOrder,
  ledgers: readonly LedgerRef[],
): JournalRecord {
  return (writer) => {
    writer.bytes(modelText(order.model, order.price).line);
    writeNumber(writer, NEXT.n, number);
    writeNumber(writer, NEXT.at, atMs);
    writeText(writer, NEXT.request, order.requestId);
    writer.bytes(callerText(order.caller).line);
    writeWord(writer, NEXT.endpoint, order.endpoint);
    writer.bytes(order.streamed ? NEXT.streamed : NEXT.plain);
    writeWord(writer, NEXT.hold, String(order.amountNanos));
    writer.bytes(NEXT.ledgers);
    for (const [index, { id }] of ledgers.entries()) writeWord(writer, index === 0 ? NOTHING : COMMA, id);
    writer.bytes(END_OF_LIST);
  };
}

/** What an end record says, beside when. */
export interface SettledEnd {
  readonly chargeNanos: bigint;
  /** What was held in the end: the charge is never above it. */
  readonly holdNanos: bigint;
  /** What the request cost beyond that. */
  readonly writtenOffNanos: bigint;
  readonly outcome: Outcome;
  /** What was charged by, where it is not the begin record's. */
  readonly lastPrice: FrozenPrice | undefined;
  /** What `rawText` made of the usage object. */
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
  const { chargeNanos, outcome, raw } = end;
  return (writer) => {
    writeNumber(writer, FIRST_N, number);
    writeNumber(writer, NEXT.at, atMs);
    writeNumber(writer, NEXT.begin, begin);
    writeWord(writer, NEXT.charge, String(chargeNanos));
    writeWord(writer, NEXT.reason, outcome.reason);
    writeNumber(writer, NEXT.status, outcome.status);
    writeUsage(writer, outcome.usage);
    writer.bytes(outcome.estimated ? NEXT.estimated : NEXT.counted);
    writeText(writer, NEXT.upstream, outcome.upstream);
    writeText(writer, NEXT.upstreamModel, outcome.upstreamModel);
    if (outcome.place !== undefined) {
      writeText(writer, NEXT.credential, outcome.place.credential);
      writeWord(writer, NEXT.chosen, outcome.place.reason);
    }
    writeNumber(writer, NEXT.attempts, outcome.attempts);
    writeNumber(writer, NEXT.firstByteMs, outcome.firstByteMs);
    writeNumber(writer, NEXT.totalMs, outcome.totalMs);
    writeRest(writer, end, firstHoldNanos);
    if (raw !== "") {
      writer.bytes(NEXT.raw);
      writer.text(raw);
    }
    writer.bytes(END);
  };
}

function writeUsage(writer: ByteWriter, usage: TokenUsage): void {
  writer.bytes(NEXT.usage);
  let before = NOTHING;
  for (const [bucket, key] of BUCKET_KEYS) {
    const tokens = usage[bucket];
    if (tokens === undefined) continue;
    writer.bytes(before);
    writeNumber(writer, key, tokens);
    before = COMMA;
  }
  writer.bytes(END);
}

/** What few requests have. */
function writeRest(writer: ByteWriter, end: SettledEnd, firstHoldNanos: bigint): void {
  const { holdNanos, writtenOffNanos, lastPrice } = end;
  const { hostile, losses, errorCode, implausible, outputLimit } = end.outcome;
  if (holdNanos !== firstHoldNanos) writeWord(writer, NEXT.hold, String(holdNanos));
  if (writtenOffNanos > 0n) writer.text(`,"written_off":"${writtenOffNanos}"`);
  if (outputLimit !== undefined) writer.text(`,"output_limit":${outputLimit}`);
  if (implausible?.length) writer.text(`,"implausible":${JSON.stringify(implausible)}`);
  if (hostile?.length) writer.text(`,"hostile":${wellFormed(JSON.stringify(hostile))}`);
  if (losses?.length) writer.text(`,"losses":${wellFormed(JSON.stringify(losses))}`);
  if (lastPrice !== undefined) writer.text(`,"rates":${wellFormed(encodeRates(lastPrice))}`);
  if (errorCode !== undefined) writer.text(`,"error_code":${wellFormed(JSON.stringify(errorCode))}`);
}

function writeNumber(writer: ByteWriter, key: Uint8Array, value: number | null): void {
  writer.bytes(key);
  if (value === null) writer.bytes(NULL);
  else writer.digits(Math.round(value));
}

/** A word of our own: an amount, an id, a reason. */
function writeWord(writer: ByteWriter, key: Uint8Array, word: string): void {
  writer.bytes(key);
  writer.byte(QUOTE);
  writer.text(word);
  writer.byte(QUOTE);
}

/** Anybody's text. */
function writeText(writer: ByteWriter, key: Uint8Array, text: string | null): void {
  if (text !== null && isPlain(text)) {
    writeWord(writer, key, text);
  } else {
    writer.bytes(key);
    writer.text(wellFormed(JSON.stringify(text)));
  }
}

const FIRST_N = Buffer.from('{"n":');

/** What stands before the value of each field. */
const NEXT = {
  n: Buffer.from(',"n":'),
  at: Buffer.from(',"at":'),
  request: Buffer.from(',"request":'),
  endpoint: Buffer.from(',"endpoint":'),
  streamed: Buffer.from(',"streamed":true'),
  plain: Buffer.from(',"streamed":false'),
  hold: Buffer.from(',"hold":'),
  ledgers: Buffer.from(',"ledgers":['),
  begin: Buffer.from(',"begin":'),
  charge: Buffer.from(',"charge":'),
  reason: Buffer.from(',"reason":'),
  status: Buffer.from(',"status":'),
  usage: Buffer.from(',"usage":{'),
  estimated: Buffer.from(',"estimated":true'),
  counted: Buffer.from(',"estimated":false'),
  upstream: Buffer.from(',"upstream":'),
  upstreamModel: Buffer.from(',"upstream_model":'),
  credential: Buffer.from(',"credential":'),
  chosen: Buffer.from(',"chosen":'),
  attempts: Buffer.from(',"attempts":'),
  firstByteMs: Buffer.from(',"first_byte_ms":'),
  totalMs: Buffer.from(',"total_ms":'),
  raw: Buffer.from(',"raw":'),
};
const BUCKET_KEYS = TOKEN_BUCKETS.map((bucket) => [bucket, Buffer.from(`"${bucket}":`)] as const);
const NOTHING = Buffer.alloc(0);
const COMMA = Buffer.from(",");
const NULL = Buffer.from("null");
const END = Buffer.from("}");
const END_OF_LIST = Buffer.from("]}");
const QUOTE = 0x22;

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

/** With room for the checksum. */
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
