import { openKeyHasher } from "./accounts/key-hasher.ts";
import type { Seals } from "./base/seal.ts";
import type { CatalogCache } from "./catalog/catalog-cache.ts";
import type { Config } from "./config.ts";
import { createMailDelivery } from "./mail/deliver-mail.ts";
import { createMailer } from "./mail/mailer.ts";
import type { Log } from "./observe/log.ts";
import type { Database } from "./storage/database.ts";
import { openReset } from "./users/sign-in/password-resets.ts";
import { linkSecretOf } from "./users/sign-in/secrets.ts";
import { languageOf } from "./users/users-store.ts";
import type { WebhooksOptions } from "./webhooks/webhooks.ts";

export interface MailParts {
  readonly config: Pick<Config, "environment" | "publicUrl">;
  readonly database: Database;
  readonly seals: Seals;
  readonly catalog: CatalogCache;
  readonly log: Log;
  readonly address: Promise<string>;
}

/** Sends the deliveries that are e-mail, to the mail server of the settings. */
export async function composeMail(parts: MailParts): Promise<WebhooksOptions["sendMail"]> {
  const { config, database, seals, catalog, log, address } = parts;
  const hasher = await openKeyHasher(database, seals);
  return createMailDelivery({
    mailer: createMailer({
      smtp: () => catalog.current().settings.smtp,
      environment: config.environment,
    }),
    log,
    publicUrl: async () => config.publicUrl ?? (await address),
    languageOf: (address) => languageOf(database, address.toLowerCase()),
    invitationSecretOf: (nonce) => linkSecretOf(hasher, "invitation", nonce),
    openReset: (request) => openReset(database, hasher, request),
  });
}
