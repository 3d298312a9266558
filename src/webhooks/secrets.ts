import { randomText } from "../base/random.ts";
import { type Seals, sealedRow } from "../base/seal.ts";
import type { Queryable } from "../storage/database.ts";
import { insertWebhookSecret, readWebhookSecret, replaceWebhookSecret } from "./webhooks-store.ts";

/** What an account's deliveries are signed with; made when it is first wanted. Throws SealError. */
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

/** Gives the account another secret, with which every delivery is signed that is sent once `db` has committed. */
export async function rotateWebhookSecret(db: Queryable, seals: Seals, accountId: bigint): Promise<string> {
  const secret = newSecret();
  await replaceWebhookSecret(db, accountId, seals.seal(secret, placeOf(accountId)));
  return secret;
}

const newSecret = (): string => `whsec_${randomText(40)}`;

const placeOf = (accountId: bigint) => sealedRow("webhook_secrets", accountId);
