import { createHmac } from "node:crypto";

/**
 * The header `x-faregate-signature` of a delivery: `t=<Unix seconds>,v1=<hex>`, where v1 is HMAC-SHA256, under the
 * account's webhook secret, of the seconds, a dot and the body's bytes. The time is signed too, so that an old delivery that
 * somebody recorded cannot be sent again as a new one: a receiver refuses what is more than five minutes old.
 */
export function signatureHeader(secret: string, atSeconds: number, body: string): string {
  const mac = createHmac("sha256", secret).update(`${atSeconds}.${body}`).digest("hex");
  return `t=${atSeconds},v1=${mac}`;
}
