import { GatewayError } from "../errors.ts";

/** The id in a path; 404 with these words on what can be none. */
export function idOf(text: string | undefined, words: string): bigint {
  if (text !== undefined && /^[1-9]\d{0,17}$/.test(text)) return BigInt(text);
  throw new GatewayError("not_found", words);
}
