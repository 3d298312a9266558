import { crc32 } from "node:zlib";
import type { Caller } from "../accounts/caller.ts";
import type { TokenRates } from "../catalog/catalog.ts";
import type { FrozenPrice, HoldOrder, Outcome } from "./billing.ts";
import type { LedgerRef } from "./ledger-ref.ts";

/**
 * The two lines of a request. Each is JSON that the database reads (its field names are those of
 * migration 000005), framed by its kind and a checksum: `b 1f2e3d4c {...}`. Amounts are text, since a JSON
 * number would lose digits.
 */
export function encodeBegin(
  number: number,
  atMs: number,
  order: HoldOrder,
  ledgers: readonly LedgerRef[],
): string {
  const { price } = order;
  return wellFormed(
    `{"n":${number},"at":${atMs},"request":${JSON.stringify(order.requestId)},${callerFields(order.caller)},` +
      `"model":${JSON.stringify(order.model)},"endpoint":"${order.endpoint}","streamed":${order.streamed},` +
      `${priceFields(price)},` +
      `"hold":"${order.amountNanos}","ledgers":[${ledgers.map(({ id }) => `"${id}"`).join(",")}]}`,
  );
}

export function encodeEnd(
  number: number,
  atMs: number,
  begin: number,
  chargeNanos: bigint,
  outcome: Outcome,
): string {
  const { hostile, errorCode, losses, firstByteMs } = outcome;
  return wellFormed(
    `{"n":${number},"at":${atMs},"begin":${begin},"charge":"${chargeNanos}","reason":"${outcome.reason}",` +
      `"status":${outcome.status},"usage":${JSON.stringify(outcome.usage)},"estimated":${outcome.estimated},` +
      `"upstream":${JSON.stringify(outcome.upstream)},"upstream_model":${JSON.stringify(outcome.upstreamModel)},` +
      `"attempts":${outcome.attempts},"first_byte_ms":${firstByteMs === null ? null : Math.round(firstByteMs)},` +
      `"total_ms":${Math.round(outcome.totalMs)}${listField("hostile", hostile)}${listField("losses", losses)}` +
      `${errorCode === undefined ? "" : `,"error_code":${JSON.stringify(errorCode)}`}${rawField(outcome.raw)}}`,
  );
}

function listField(name: string, words: readonly string[] | undefined): string {
  return words === undefined || words.length === 0 ? "" : `,"${name}":${JSON.stringify(words)}`;
}

export type LineKind = "begin" | "end";

export function frame(kind: LineKind, json: string): string {
  return `${kind === "begin" ? "b" : "e"} ${checksum(json)} ${json}\n`;
}

/** A line read back (without its newline); undefined where it is torn or changed. */
export function unframe(line: string): { kind: LineKind; json: string } | undefined {
  const kind = line.startsWith("b ") ? "begin" : line.startsWith("e ") ? "end" : undefined;
  const json = line.slice(FRAME_LENGTH);
  if (!kind || line.slice(2, FRAME_LENGTH) !== `${checksum(json)} `) return undefined;
  return { kind, json };
}

const FRAME_LENGTH = 2 + 8 + 1;

/** Eight digits, by a table: `toString(16)` of so large a number takes longer than its checksum. */
function checksum(json: string): string {
  const sum = crc32(json);
  return `${HEX[sum >>> 24]}${HEX[(sum >>> 16) & 0xff]}${HEX[(sum >>> 8) & 0xff]}${HEX[sum & 0xff]}`;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

// A vendor's usage object has some hundred bytes; whatever is larger is no usage.
const MOST_RAW_CHARACTERS = 16_384;

/** The vendor's usage object, made text once: this is on the path of every request. */
function rawField(raw: unknown): string {
  const text = raw === undefined ? undefined : JSON.stringify(raw);
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

// Callers and rates are shared by many requests and frozen, so their text is made once; of rates for one factor.
const callerTexts = new WeakMap<Caller, string>();
const priceTexts = new WeakMap<TokenRates, { readonly price: FrozenPrice; readonly text: string }>();

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

function priceFields(price: FrozenPrice): string {
  if (price.extras !== undefined) return encodePrice(price);
  const known = priceTexts.get(price.rates);
  if (known?.price.priceId === price.priceId && known.price.factorPpm === price.factorPpm) return known.text;
  const text = encodePrice(price);
  priceTexts.set(price.rates, { price, text });
  return text;
}

function encodePrice({ priceId, rates, extras = {}, factorPpm }: FrozenPrice): string {
  const named = Object.entries(extras).map(([name, nanos]) => [EXTRA + name, nanos]);
  const all = JSON.stringify({ ...rates, ...Object.fromEntries(named) }, (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
  return `"price":"${priceId}","rates":${all},"factor":"${factorPpm}"`;
}
