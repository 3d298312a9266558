import { createHmac } from "node:crypto";
import { randomText } from "../base/random.ts";
import { type Seals, sealedRow } from "../base/seal.ts";
import type { Queryable } from "../storage/database.ts";
import { insertWebhookSecret, readWebhookSecret, replaceWebhookSecret } from "./webhooks-store.ts";

/** Returns the secret that signs an account's deliveries; created on first use. Throws SealError. */
export type WebhookSecretOf = (accountId: bigint) => Promise<string>;

export function createWebhookSecrets(db: Queryable, seals: Seals): WebhookSecretOf {
  return async (accountId) => {
    let sealed = await readWebhookSecret(db, accountId);
    if (sealed === undefined) {
      await insertWebhookSecret(db, accountId, seals.seal(newSecret(), placeOf(accountId)));
      sealed = await readWebhookSecret(db, accountId);
    }
    if (sealed === undefined) throw new Error("a webhook secret vanished while it was being made");
    return seals.open(sealed, placeOf(accountId));
  };
}

/** Replaces the account's secret. It signs all deliveries that are sent after `db` has committed. */
export async function rotateWebhookSecret(db: Queryable, seals: Seals, accountId: bigint): Promise<string> {
  const secret = newSecret();
  await replaceWebhookSecret(db, accountId, seals.seal(secret, placeOf(accountId)));
  return secret;
}

const newSecret = (): string => `whsec_${randomText(40)}`;

const placeOf = (accountId: bigint) => sealedRow("webhook_secrets", accountId);

/**
 * The header `x-faregate-signature` of a delivery: `t=<Unix seconds>,v1=<hex>`, where v1 is the HMAC-SHA256 of the
 * seconds, a dot and the body's bytes under the account's webhook secret. The time is signed too, so that a recorded
 * delivery cannot be replayed: receivers refuse what is more than five minutes old.
 */
export function signatureHeader(secret: string, atSeconds: number, body: string): string {
  const mac = createHmac("sha256", secret).update(`${atSeconds}.${body}`).digest("hex");
  return `t=${atSeconds},v1=${mac}`;
}
