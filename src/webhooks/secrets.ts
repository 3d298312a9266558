import { randomText } from "../base/random.ts";
import { type Seals, sealedRow } from "../base/seal.ts";
import type { Queryable } from "../storage/database.ts";
import { insertWebhookSecret, readWebhookSecret } from "./webhooks-store.ts";

/** What an account's deliveries are signed with; made when it is first wanted. Throws SealError. */
export type WebhookSecretOf = (accountId: bigint) => Promise<string>;

export function createWebhookSecrets(db: Queryable, seals: Seals): WebhookSecretOf {
  return async (accountId) => {
    const place = sealedRow("webhook_secrets", accountId);
    let sealed = await readWebhookSecret(db, accountId);
    if (sealed === undefined) {
      await insertWebhookSecret(db, accountId, seals.seal(`whsec_${randomText(40)}`, place));
      sealed = await readWebhookSecret(db, accountId);
    }
    if (sealed === undefined) throw new Error("a webhook secret vanished while it was being made");
    return seals.open(sealed, place);
  };
}
