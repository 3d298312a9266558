import type { Log } from "../observe/log.ts";
import type { Outcome } from "../webhooks/webhooks.ts";
import type { DeliveryClaim } from "../webhooks/webhooks-store.ts";
import { invitationWords, resetWords } from "./access-words.ts";
import { type AlertData, alertWords } from "./alert-words.ts";
import type { Mailer } from "./mailer.ts";
import { LANGUAGES, type Language, type Words, writeMessage } from "./message.ts";

export interface MailDeliveryOptions {
  readonly mailer: Pick<Mailer, "send">;
  readonly log: Log;
  /** The address of the dashboard, without a slash at its end. */
  readonly publicUrl: () => Promise<string>;
  /** In which language somebody with this address reads; undefined = unknown. */
  readonly languageOf: (address: string) => Promise<Language | undefined>;
  /** The secret part of an invitation's link, by what the queue knows of it. */
  readonly invitationSecretOf: (nonce: string) => string;
  /** Makes the link of a password reset work; gives its secret part, or why there is nothing to send. */
  readonly openReset: (request: ResetRequest) => Promise<string | "nobody" | "expired">;
}

/** Somebody with this address asked to choose another password. */
export interface ResetRequest {
  readonly email: string;
  readonly nonce: string;
  /** Unix seconds. */
  readonly at: number;
}

/** What the queue holds of e-mail to people. The nonce opens nothing without the installation's secret. */
export interface PersonMailData {
  readonly nonce: string;
  /** Of the page where it was asked for; absent = unknown. */
  readonly language?: string | undefined;
  readonly invited_by?: string;
  readonly account?: string | null;
}

/** Writes and sends the e-mail of a delivery, and says what became of it. */
export function createMailDelivery(
  options: MailDeliveryOptions,
): (claim: DeliveryClaim) => Promise<Outcome | undefined> {
  const { mailer, log, publicUrl, languageOf } = options;
  return async (claim) => {
    const to = claim.url.slice("mailto:".length);
    const { language: asked } = (claim.data ?? {}) as PersonMailData;
    const language = (await languageOf(to)) ?? LANGUAGES.find((known) => known === asked) ?? "en";
    const words = await wordsOf(claim, { to, language, baseUrl: await publicUrl() }, options);
    if (words === "nobody") return undefined;
    if (words === "expired") return { status: null, failure: "The link has expired.", isFinal: true };
    const sent = await mailer.send({
      to,
      message: writeMessage(words, language),
      id: `delivery-${claim.id}.${claim.createdAt}`,
    });
    if (!("failure" in sent)) return { status: sent.status, failure: null, isFinal: false };
    const { status, failure, detail } = sent;
    // Who tests wants to know now, and reads what the server said.
    const isTest = claim.event === "mail.test";
    const isFinal = sent.isFinal || isTest;
    const about = { delivery: String(claim.id), event: claim.event, status, reason: detail };
    log.warn(about, isFinal ? "email not accepted; given up" : "email not accepted; retrying");
    return { status, failure: isTest && detail !== failure ? `${failure} ${detail}` : failure, isFinal };
  };
}

interface Reader {
  readonly to: string;
  readonly language: Language;
  readonly baseUrl: string;
}

async function wordsOf(
  { event, data, createdAt }: DeliveryClaim,
  { to, language, baseUrl }: Reader,
  { invitationSecretOf, openReset }: MailDeliveryOptions,
): Promise<Words | "nobody" | "expired"> {
  if (event === "invitation") {
    const { nonce, invited_by: invitedBy = "", account = null } = data as PersonMailData;
    // Behind # it stays in the browser: no log of any proxy sees it.
    const link = `${baseUrl}/invitation#${invitationSecretOf(nonce)}`;
    return invitationWords({ invitedBy, account, link }, language);
  }
  if (event === "password.reset") {
    const { nonce } = data as PersonMailData;
    const secret = await openReset({ email: to, nonce, at: createdAt });
    if (secret === "nobody" || secret === "expired") return secret;
    return resetWords(`${baseUrl}/reset-password#${secret}`, language);
  }
  return alertWords(event, (data ?? {}) as AlertData, { language, baseUrl }) ?? "nobody";
}
