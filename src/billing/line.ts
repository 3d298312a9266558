import { crc32 } from "node:zlib";
import type { Caller } from "../accounts/caller.ts";
import type { ByteSheet } from "../base/byte-sheet.ts";
import { isFlat, USAGE_LEVELS } from "../base/flat.ts";
import type { TokenRates } from "../catalog/catalog.ts";
import type { FrozenPrice, HoldOrder, Outcome } from "./billing.ts";
import type { LedgerRef } from "./ledger-ref.ts";

/** A line as the two halves of its JSON: what all begin lines of a model and price share, and what is its own. */
export interface Line {
  readonly shared: SharedText;
  readonly own: string;
}

/** Written again and again, so its bytes are made once, and its checksum, which goes on with the other half. */
interface SharedText {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly checksum: number;
}

/**
 * The two lines of a request. Each is JSON that the database reads (its field names are those of
 * migration 000013), framed by its kind and a checksum: `b 1f2e3d4c {...}`. Amounts are text, since a JSON
 * number would lose digits.
 */
export function encodeBegin(
  number: number,
  atMs: number,
  order: HoldOrder,
  ledgers: readonly LedgerRef[],
): Line {
  const own = wellFormed(
    `,"n":${number},"at":${atMs},"request":${JSON.stringify(order.requestId)},${callerFields(order.caller)},` +
      `"endpoint":"${order.endpoint}","streamed":${order.streamed},` +
      `"hold":"${order.amountNanos}","ledgers":[${ledgers.map(({ id }) => `"${id}"`).join(",")}]}`,
  );
  return { shared: modelFields(order.model, order.price), own };
}

/** `lastRates`: those that were charged, where they are not the begin line's. */
export function encodeEnd(
  number: number,
  atMs: number,
  begin: number,
  chargeNanos: bigint,
  outcome: Outcome,
  lastRates?: TokenRates,
): Line {
  const { hostile, errorCode, losses, firstByteMs } = outcome;
  return lineOf(
    wellFormed(
      `{"n":${number},"at":${atMs},"begin":${begin},"charge":"${chargeNanos}","reason":"${outcome.reason}",` +
        `"status":${outcome.status},"usage":${JSON.stringify(outcome.usage)},"estimated":${outcome.estimated},` +
        `"upstream":${JSON.stringify(outcome.upstream)},"upstream_model":${JSON.stringify(outcome.upstreamModel)},` +
        `"attempts":${outcome.attempts},"first_byte_ms":${firstByteMs === null ? null : Math.round(firstByteMs)},` +
        `"total_ms":${Math.round(outcome.totalMs)}${listField("hostile", hostile)}${listField("losses", losses)}` +
        `${lastRates === undefined ? "" : `,${encodeRates(lastRates)}`}` +
        `${errorCode === undefined ? "" : `,"error_code":${JSON.stringify(errorCode)}`}${rawField(outcome.raw)}}`,
    ),
  );
}

/** The line of this JSON, which shares nothing with others. */
export function lineOf(json: string): Line {
  return { shared: NOTHING_SHARED, own: json };
}

/** The JSON of a line. */
export function textOf({ shared, own }: Line): string {
  return shared.text + own;
}

function listField(name: string, words: readonly string[] | undefined): string {
  return words === undefined || words.length === 0 ? "" : `,"${name}":${JSON.stringify(words)}`;
}

export type LineKind = "begin" | "end";

/** Writes a line as it stands on disk: framed, with its newline. */
export function writeFramed(sheet: ByteSheet, kind: LineKind, line: Line): void {
  const sum = crc32(line.own, line.shared.checksum);
  sheet.byte(kind === "begin" ? LETTER_B : LETTER_E);
  sheet.byte(SPACE);
  for (let shift = 28; shift >= 0; shift -= 4) sheet.byte(HEX_DIGITS[(sum >>> shift) & 0xf] ?? 0);
  sheet.byte(SPACE);
  writeLine(sheet, line);
}

/** Writes the JSON of a line and a newline. */
export function writeLine(sheet: ByteSheet, { shared, own }: Line): void {
  sheet.bytes(shared.bytes);
  sheet.text(own);
  sheet.byte(NEWLINE);
}

const LETTER_B = 0x62;
const LETTER_E = 0x65;
const SPACE = 0x20;
const NEWLINE = 0x0a;
const HEX_DIGITS = Buffer.from("0123456789abcdef");

/** A line read back (without its newline); undefined where it is torn or changed. */
export function unframe(line: string): { kind: LineKind; json: string } | undefined {
  const kind = line.startsWith("b ") ? "begin" : line.startsWith("e ") ? "end" : undefined;
  const json = line.slice(FRAME_LENGTH);
  if (!kind || line.slice(2, FRAME_LENGTH) !== `${crc32(json).toString(16).padStart(8, "0")} `)
    return undefined;
  return { kind, json };
}

const FRAME_LENGTH = 2 + 8 + 1;

// A vendor's usage object has some hundred bytes; whatever is larger is no usage.
const MOST_RAW_CHARACTERS = 16_384;

/** The vendor's usage object, made text once: this is on the path of every request. A nest is none, and left out. */
function rawField(raw: unknown): string {
  const text = raw === undefined || !isFlat(raw, USAGE_LEVELS) ? undefined : JSON.stringify(raw);
  if (text === undefined) return "";
  return text.length > MOST_RAW_CHARACTERS
    ? `,"raw":{"omitted_characters":${text.length}}`
    : `,"raw":${text}`;
}

/**
 * PostgreSQL's jsonb takes neither NUL nor half of a surrogate pair, which JSON can spell. Both come only
 * from somebody playing tricks; they become U+FFFD so that the line is not refused for them.
 */
function wellFormed(json: string): string {
  if (!json.includes("\\u")) return json;
  return json.replace(/(\\\\)|\\u(?:0000|d[89a-f][0-9a-f]{2})/gi, (found, backslash) =>
    backslash ? found : "\ufffd",
  );
}

function sharedText(text: string): SharedText {
  return { text, bytes: Buffer.from(text), checksum: crc32(text) };
}

const NOTHING_SHARED = sharedText("");

// Callers and rates are shared by many requests and frozen, so their text is made once; of rates for one factor.
const callerTexts = new WeakMap<Caller, string>();
const modelTexts = new WeakMap<TokenRates, ModelText>();

interface ModelText {
  readonly model: string;
  readonly price: FrozenPrice;
  readonly fields: SharedText;
}

function callerFields(caller: Caller): string {
  let text = callerTexts.get(caller);
  if (text === undefined) {
    text = `"account":"${caller.accountId}","key":"${caller.keyId}"`;
    callerTexts.set(caller, text);
  }
  return text;
}

/** Prefix of an extra among the frozen rates; no rate of tokens has a colon. */
export const EXTRA = "extra:";

/** The first half of a begin line, up to the comma. */
function modelFields(model: string, price: FrozenPrice): SharedText {
  if (price.extras !== undefined) return encodeModel(model, price);
  const known = modelTexts.get(price.rates);
  if (
    known?.model === model &&
    known.price.priceId === price.priceId &&
    known.price.factorPpm === price.factorPpm
  )
    return known.fields;
  const fields = encodeModel(model, price);
  modelTexts.set(price.rates, { model, price, fields });
  return fields;
}

function encodeModel(model: string, price: FrozenPrice): SharedText {
  return sharedText(wellFormed(`{"model":${JSON.stringify(model)},${encodePrice(price)}`));
}

function encodePrice({ priceId, rates, extras, factorPpm }: FrozenPrice): string {
  return `"price":"${priceId}",${encodeRates(rates, extras)},"factor":"${factorPpm}"`;
}

function encodeRates(rates: TokenRates, extras: FrozenPrice["extras"] = {}): string {
  const named = Object.entries(extras).map(([name, nanos]) => [EXTRA + name, nanos]);
  const all = JSON.stringify({ ...rates, ...Object.fromEntries(named) }, (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
  return `"rates":${all}`;
}
