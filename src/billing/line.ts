import { crc32 } from "node:zlib";
import { ByteSheet } from "../base/byte-sheet.ts";
import { isFlat, USAGE_LEVELS } from "../base/flat.ts";
import type { TokenRates } from "../catalog/catalog.ts";
import { TOKEN_BUCKETS, type TokenUsage } from "../usage/usage.ts";
import type { HoldOrder, Outcome } from "./billing.ts";
import type { LedgerRef } from "./ledger-ref.ts";
import { callerText, encodeRates, isPlain, modelText, wellFormed } from "./shared-text.ts";

/** Writes the JSON of a line where it is needed: made as text, it would be copied several times on its way. */
export type Line = (sheet: ByteSheet) => void;

/**
 * The two lines of a request. Each is JSON that the database reads (its field names are those of
 * migration 000024), framed by its kind and a checksum: `b 1f2e3d4c {...}`. Amounts are text, since a JSON
 * number would lose digits.
 */
export function encodeBegin(
  number: number,
  atMs: number,
  order: HoldOrder,
  ledgers: readonly LedgerRef[],
): Line {
  return (sheet) => {
    sheet.bytes(modelText(order.model, order.price).line);
    writeNumber(sheet, NEXT.n, number);
    writeNumber(sheet, NEXT.at, atMs);
    writeText(sheet, NEXT.request, order.requestId);
    sheet.bytes(callerText(order.caller).line);
    writeWord(sheet, NEXT.endpoint, order.endpoint);
    sheet.bytes(order.streamed ? NEXT.streamed : NEXT.plain);
    writeWord(sheet, NEXT.hold, String(order.amountNanos));
    sheet.bytes(NEXT.ledgers);
    for (const [index, { id }] of ledgers.entries()) writeWord(sheet, index === 0 ? NOTHING : COMMA, id);
    sheet.bytes(END_OF_LIST);
  };
}

/** What an end line says, beside when. */
export interface SettledEnd {
  readonly chargeNanos: bigint;
  /** What was held in the end: the charge is never above it. */
  readonly holdNanos: bigint;
  /** What the request cost beyond that. */
  readonly writtenOffNanos: bigint;
  readonly outcome: Outcome;
  /** The rates that were charged, where they are not the begin line's. */
  readonly lastRates: TokenRates | undefined;
  /** What `rawText` made of the usage object. */
  readonly raw: string;
}

/** `firstHoldNanos` stands in the begin line. */
export function encodeEnd(
  number: number,
  atMs: number,
  begin: number,
  firstHoldNanos: bigint,
  end: SettledEnd,
): Line {
  const { chargeNanos, outcome, raw } = end;
  return (sheet) => {
    writeNumber(sheet, FIRST_N, number);
    writeNumber(sheet, NEXT.at, atMs);
    writeNumber(sheet, NEXT.begin, begin);
    writeWord(sheet, NEXT.charge, String(chargeNanos));
    writeWord(sheet, NEXT.reason, outcome.reason);
    writeNumber(sheet, NEXT.status, outcome.status);
    writeUsage(sheet, outcome.usage);
    sheet.bytes(outcome.estimated ? NEXT.estimated : NEXT.counted);
    writeText(sheet, NEXT.upstream, outcome.upstream);
    writeText(sheet, NEXT.upstreamModel, outcome.upstreamModel);
    if (outcome.place !== undefined) {
      writeText(sheet, NEXT.credential, outcome.place.credential);
      writeWord(sheet, NEXT.chosen, outcome.place.reason);
    }
    writeNumber(sheet, NEXT.attempts, outcome.attempts);
    writeNumber(sheet, NEXT.firstByteMs, outcome.firstByteMs);
    writeNumber(sheet, NEXT.totalMs, outcome.totalMs);
    writeRest(sheet, end, firstHoldNanos);
    if (raw !== "") {
      sheet.bytes(NEXT.raw);
      sheet.text(raw);
    }
    sheet.bytes(END);
  };
}

function writeUsage(sheet: ByteSheet, usage: TokenUsage): void {
  sheet.bytes(NEXT.usage);
  let before = NOTHING;
  for (const [bucket, key] of BUCKET_KEYS) {
    const tokens = usage[bucket];
    if (tokens === undefined) continue;
    sheet.bytes(before);
    writeNumber(sheet, key, tokens);
    before = COMMA;
  }
  sheet.bytes(END);
}

/** What few requests have. */
function writeRest(sheet: ByteSheet, end: SettledEnd, firstHoldNanos: bigint): void {
  const { holdNanos, writtenOffNanos, lastRates } = end;
  const { hostile, losses, errorCode, implausible, outputLimit } = end.outcome;
  if (holdNanos !== firstHoldNanos) writeWord(sheet, NEXT.hold, String(holdNanos));
  if (writtenOffNanos > 0n) sheet.text(`,"written_off":"${writtenOffNanos}"`);
  if (outputLimit !== undefined) sheet.text(`,"output_limit":${outputLimit}`);
  if (implausible?.length) sheet.text(`,"implausible":${JSON.stringify(implausible)}`);
  if (hostile?.length) sheet.text(`,"hostile":${wellFormed(JSON.stringify(hostile))}`);
  if (losses?.length) sheet.text(`,"losses":${wellFormed(JSON.stringify(losses))}`);
  if (lastRates !== undefined) sheet.text(`,"rates":${encodeRates(lastRates)}`);
  if (errorCode !== undefined) sheet.text(`,"error_code":${wellFormed(JSON.stringify(errorCode))}`);
}

function writeNumber(sheet: ByteSheet, key: Uint8Array, value: number | null): void {
  sheet.bytes(key);
  if (value === null) sheet.bytes(NULL);
  else sheet.digits(Math.round(value));
}

/** A word of our own: an amount, an id, a reason. */
function writeWord(sheet: ByteSheet, key: Uint8Array, word: string): void {
  sheet.bytes(key);
  sheet.byte(QUOTE);
  sheet.text(word);
  sheet.byte(QUOTE);
}

/** Anybody's text. */
function writeText(sheet: ByteSheet, key: Uint8Array, text: string | null): void {
  if (text !== null && isPlain(text)) {
    writeWord(sheet, key, text);
  } else {
    sheet.bytes(key);
    sheet.text(wellFormed(JSON.stringify(text)));
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

/** The line of this JSON. */
export function lineOf(json: string): Line {
  return (sheet) => sheet.text(json);
}

/** The JSON of a line. */
export function textOf(line: Line): string {
  scratch.clear();
  line(scratch);
  return scratch.view().toString();
}

/** One for all, since a receipt may look through the lines of every running request. */
const scratch = new ByteSheet();

export type LineKind = "begin" | "end";

/** Writes a line as it stands on disk: framed, with its newline. */
export function writeFramed(sheet: ByteSheet, kind: LineKind, line: Line): void {
  const start = sheet.length;
  sheet.bytes(FRAMES[kind]);
  line(sheet);
  sheet.hexAt(start + CHECKSUM_AT, crc32(sheet.view(start + FRAME_LENGTH)));
  sheet.byte(NEWLINE);
}

/** With room for the checksum. */
const FRAMES = { begin: Buffer.from("b 00000000 "), end: Buffer.from("e 00000000 ") };
const CHECKSUM_AT = 2;
const FRAME_LENGTH = CHECKSUM_AT + 8 + 1;
const NEWLINE = 0x0a;

/** A line read back (without its newline); undefined where it is torn or changed. */
export function unframe(line: string): { kind: LineKind; json: string } | undefined {
  const kind = line.startsWith("b ") ? "begin" : line.startsWith("e ") ? "end" : undefined;
  const json = line.slice(FRAME_LENGTH);
  if (!kind || line.slice(CHECKSUM_AT, FRAME_LENGTH) !== `${crc32(json).toString(16).padStart(8, "0")} `)
    return undefined;
  return { kind, json };
}

// A vendor's usage object has some hundred bytes; whatever is larger is no usage.
const MOST_RAW_CHARACTERS = 16_384;

/** The vendor's usage object as JSON, made text once: this is on the path of every request. A nest is none, and "". */
export function rawText(raw: unknown): string {
  const text = raw === undefined || !isFlat(raw, USAGE_LEVELS) ? undefined : JSON.stringify(raw);
  if (text === undefined) return "";
  return text.length > MOST_RAW_CHARACTERS ? `{"omitted_characters":${text.length}}` : wellFormed(text);
}
