import { crc32 } from "node:zlib";
import type { ByteSheet } from "../base/byte-sheet.ts";
import { isFlat, USAGE_LEVELS } from "../base/flat.ts";
import type { TokenRates } from "../catalog/catalog.ts";
import type { HoldOrder, Outcome } from "./billing.ts";
import type { LedgerRef } from "./ledger-ref.ts";
import {
  callerText,
  encodeRates,
  modelText,
  type SharedText,
  sharedText,
  wellFormed,
} from "./shared-text.ts";

/** A line as the two halves of its JSON: what all begin lines of a model and price share, and what is its own. */
export interface Line {
  readonly shared: SharedText;
  readonly own: string;
}

/**
 * The two lines of a request. Each is JSON that the database reads (its field names are those of
 * migration 000015), framed by its kind and a checksum: `b 1f2e3d4c {...}`. Amounts are text, since a JSON
 * number would lose digits.
 */
export function encodeBegin(
  number: number,
  atMs: number,
  order: HoldOrder,
  ledgers: readonly LedgerRef[],
): Line {
  const own = wellFormed(
    `,"n":${number},"at":${atMs},"request":${JSON.stringify(order.requestId)},${callerText(order.caller).line},` +
      `"endpoint":"${order.endpoint}","streamed":${order.streamed},` +
      `"hold":"${order.amountNanos}","ledgers":[${ledgers.map(({ id }) => `"${id}"`).join(",")}]}`,
  );
  return { shared: modelText(order.model, order.price).line, own };
}

/** `lastRates`: those that were charged, where they are not the begin line's. `raw`: what `rawText` made of the usage object. */
export function encodeEnd(
  number: number,
  atMs: number,
  begin: number,
  chargeNanos: bigint,
  outcome: Outcome,
  lastRates?: TokenRates,
  raw = rawText(outcome.raw),
): Line {
  const { hostile, errorCode, losses, firstByteMs } = outcome;
  return lineOf(
    wellFormed(
      `{"n":${number},"at":${atMs},"begin":${begin},"charge":"${chargeNanos}","reason":"${outcome.reason}",` +
        `"status":${outcome.status},"usage":${JSON.stringify(outcome.usage)},"estimated":${outcome.estimated},` +
        `"upstream":${JSON.stringify(outcome.upstream)},"upstream_model":${JSON.stringify(outcome.upstreamModel)},` +
        `"attempts":${outcome.attempts},"first_byte_ms":${firstByteMs === null ? null : Math.round(firstByteMs)},` +
        `"total_ms":${Math.round(outcome.totalMs)}${listField("hostile", hostile)}${listField("losses", losses)}` +
        `${lastRates === undefined ? "" : `,"rates":${encodeRates(lastRates)}`}` +
        `${errorCode === undefined ? "" : `,"error_code":${JSON.stringify(errorCode)}`}`,
    ) + (raw === "" ? "}" : `,"raw":${raw}}`),
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
function writeLine(sheet: ByteSheet, { shared, own }: Line): void {
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

/** The vendor's usage object as JSON, made text once: this is on the path of every request. A nest is none, and "". */
export function rawText(raw: unknown): string {
  const text = raw === undefined || !isFlat(raw, USAGE_LEVELS) ? undefined : JSON.stringify(raw);
  if (text === undefined) return "";
  return text.length > MOST_RAW_CHARACTERS ? `{"omitted_characters":${text.length}}` : wellFormed(text);
}

const NOTHING_SHARED = sharedText("");
