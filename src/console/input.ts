import { parseUsd } from "../base/money.ts";
import { GatewayError } from "../errors.ts";

export function noSuch(what: string): GatewayError {
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

/** Of an `after` that no list has given as `next`. */
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

/** What a person or a script gave as dollars or nanos, in nanos; not zero. Throws 400. */
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
export function inputGain(given: GivenAmount): bigint {
  const amount = inputNanos(given);
  if (amount < 0n) throw wrongAmount("The amount must be above 0.");
  return amount;
}

function wrongAmount(message: string): GatewayError {
  return new GatewayError("invalid_request", message, { param: "amount_usd" });
}
