import { createHash } from "node:crypto";
import { parseUsd } from "../base/money.ts";
import { GatewayError } from "../errors.ts";

export function notFound(what: string): GatewayError {
  return new GatewayError("not_found", `There is no such ${what}.`);
}

/** `after` of a list whose marks are plain ids; null = from the beginning. Throws 400 on what no list has given. */
export function inputMark(after: string | undefined): bigint | null {
  return after === undefined ? null : idOfMark(after);
}

/** The id in a mark. */
export function idOfMark(text: string): bigint {
  if (!/^[1-9]\d{0,17}$/.test(text)) throw wrongMark();
  return BigInt(text);
}

/** Refuses an `after` that no list has returned as `next`. */
export function wrongMark(): GatewayError {
  return new GatewayError("invalid_request", "after: use `next` of the previous page.", {
    param: "after",
  });
}

interface GivenAmount {
  readonly amount_usd?: string | undefined;
  readonly amount_nanos?: string | undefined;
}

/** Ten million dollars: whoever means more has slipped. */
const MAX_NANOS = 10_000_000n * 1_000_000_000n;

/** Reads an amount of a user or script, in dollars or nanos, as nanos; not zero. Throws 400. */
export function inputNanos({ amount_usd: usd, amount_nanos: nanos }: GivenAmount): bigint {
  if ((usd === undefined) === (nanos === undefined)) {
    throw wrongAmount("Send either amount_usd or amount_nanos.");
  }
  const amount = usd === undefined ? BigInt(nanos ?? "0") : parseUsd(usd);
  if (amount === 0n) throw wrongAmount("The amount must not be zero.");
  if (amount > MAX_NANOS || amount < -MAX_NANOS) {
    throw wrongAmount("The amount must be at most 10,000,000 dollars.");
  }
  return amount;
}

/** The same of what can only grow. */
export function inputGain(input: GivenAmount): bigint {
  const amount = inputNanos(input);
  if (amount < 0n) throw wrongAmount("The amount must be above 0.");
  return amount;
}

function wrongAmount(message: string): GatewayError {
  return new GatewayError("invalid_request", message, { param: "amount_usd" });
}

/** The place of a row in a list by time: PostgreSQL's microseconds, as a Date would lose three digits, and the row's id. */
export interface CursorPosition {
  readonly micros: bigint;
  readonly id: string;
}

/** A place as the opaque word that a list gives as `next`. */
export function encodeCursor({ micros, id }: CursorPosition): string {
  return Buffer.from(`${micros} ${id}`).toString("base64url");
}

/** Reads `after`; undefined = from the beginning. Throws 400 on what no list has given. */
export function decodeCursor(after: string | undefined): CursorPosition | undefined {
  if (after === undefined) return undefined;
  const [, micros, id] = /^(\d{1,17}) ([\w-]{1,100})$/.exec(Buffer.from(after, "base64url").toString()) ?? [];
  if (micros === undefined || id === undefined) throw wrongMark();
  return { micros: BigInt(micros), id };
}

/** The id in a path; 404 with these words on what can be none. */
export function idOf(text: string | undefined, words: string): bigint {
  if (text !== undefined && /^[1-9]\d{0,17}$/.test(text)) return BigInt(text);
  throw new GatewayError("not_found", words);
}

/**
 * Names a state of a record: 32 hexadecimal digits that are others once anything of what a write replaces is another.
 * A digest, so that no table needs a column for it and every way to change a record counts, a catalog file too.
 */
export function revisionOf(record: unknown): string {
  return createHash("sha256").update(JSON.stringify(record, inOrder)).digest("hex").slice(0, 32);
}

/** The order of fields means nothing: the database keeps its own. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
