import type { AccountId } from "../../accounts/caller.ts";
import { formatUsd } from "../../base/money.ts";
import { type BalanceAlert, deleteAlert, findAlert, writeAlert } from "../../billing/ledger/alerts-store.ts";
import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import { createWebhookSecrets, rotateWebhookSecret } from "../../webhooks/secrets.ts";
import { insertDelivery, type LoggedAlert, listAlertDeliveries } from "../../webhooks/webhooks-store.ts";
import { lockAccount } from "../accounts/account-rows-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { inputGain, notFound, revisionOf } from "../input.ts";
import { json, type Operation } from "../operation.ts";
import {
  type AlertDelivery,
  type AlertSettings,
  alertBody,
  alertSettings,
  signingSecret,
} from "./contract.ts";
import { expectMailServer, mailUrl } from "./mail-target.ts";

/** Word of a low balance by webhook or e-mail: where to, from when on, and what became of it. */
export function alertsOperations(deps: ConsoleDeps): readonly Operation[] {
  return [show(deps), write(deps), remove(deps), tryOut(deps), showSecret(deps), rotateSecret(deps)];
}

const described = { path: "/accounts/{account}/balance-alert", policy: "owner", tag: "billing" } as const;

function show({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    summary: "The low-balance alert, with its latest deliveries",
    response: alertSettings,
    conditional: true,
    run: (call) => settingsOf(database, call.account().id),
  });
}

function write({ database, catalog }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "PUT",
    summary: "Set the low-balance alert: a webhook, e-mail or both each time less than this is available",
    body: alertBody,
    response: alertSettings,
    conditional: true,
    async run(call) {
      const { id, name } = call.account();
      const { url = null, emails = [] } = call.body;
      if (url === null && emails.length === 0)
        throw new GatewayError("invalid_request", "Give a URL, e-mail addresses or both.", { param: "url" });
      if (emails.length > 0) expectMailServer(catalog, "emails");
      const alert = { thresholdNanos: inputGain(call.body), url: url === null ? null : safeUrl(url), emails };
      return database.transaction(async (tx) => {
        const before = await takeAlert(tx, id);
        call.expectRevision(alertRevision(before));
        await writeAlert(tx, id, alert);
        const note = { action: "alert.update", subject: name, accountId: id };
        await call.audit(tx, { ...note, before: before && inWords(before), after: inWords(alert) });
        return settingsOf(tx, id);
      });
    },
  });
}

function remove({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "DELETE",
    summary: "Remove the low-balance alert",
    response: alertSettings,
    conditional: true,
    async run(call) {
      const { id, name } = call.account();
      await database.transaction(async (tx) => {
        const before = await takeAlert(tx, id);
        if (before === undefined) throw notFound("alert");
        call.expectRevision(alertRevision(before));
        await deleteAlert(tx, id);
        const note = { action: "alert.delete", subject: name, accountId: id };
        await call.audit(tx, { ...note, before: inWords(before) });
      });
      return settingsOf(database, id);
    },
  });
}

function tryOut({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path: `${described.path}/test`,
    summary: "Send a test to the alert's URL and e-mail addresses",
    response: alertSettings,
    unaudited: "it changes nothing; the delivery is in the log of the response",
    async run(call) {
      const { id, name } = call.account();
      const alert = await findAlert(database, id);
      if (alert === undefined) throw notFound("alert");
      const [latest] = await listAlertDeliveries(database, id, 1);
      if (latest?.event === TRIAL && latest.nextAt !== null) {
        throw new GatewayError("conflict", "A test is still being delivered. Check its attempts first.");
      }
      const data = { account: String(id), account_name: name, threshold_nanos: String(alert.thresholdNanos) };
      await database.transaction(async (tx) => {
        const order = { accountId: id, event: TRIAL, data };
        if (alert.url !== null) await insertDelivery(tx, { ...order, url: alert.url });
        for (const address of alert.emails)
          await insertDelivery(tx, { ...order, url: mailUrl(address), format: "email" });
      });
      return settingsOf(database, id);
    },
  });
}

const TRIAL = "balance.test";

function showSecret({ database, seals }: ConsoleDeps): Operation {
  const secretOf = createWebhookSecrets(database, seals);
  return json({
    ...described,
    method: "POST",
    path: "/accounts/{account}/webhook-secret",
    summary: "Show the signing secret of this account's webhooks; created on first use",
    response: signingSecret,
    async run(call) {
      const { id, name } = call.account();
      const secret = await secretOf(id);
      await database.transaction((tx) =>
        call.audit(tx, { action: "webhook_secret.show", subject: name, accountId: id }),
      );
      return { secret };
    },
  });
}

function rotateSecret({ database, seals }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path: "/accounts/{account}/webhook-secret/rotate",
    summary: "Rotate the signing secret of this account's webhooks; the old one is no longer used",
    response: signingSecret,
    async run(call) {
      const { id, name } = call.account();
      return database.transaction(async (tx) => {
        const secret = await rotateWebhookSecret(tx, seals, id);
        await call.audit(tx, { action: "webhook_secret.rotate", subject: name, accountId: id });
        return { secret };
      });
    },
  });
}

/** The alert as it stands until the transaction ends: where there is none, the account holds its place. */
async function takeAlert(tx: Queryable, accountId: AccountId): Promise<BalanceAlert | undefined> {
  await lockAccount(tx, accountId);
  return findAlert(tx, accountId);
}

/** True if it was told is no matter of whoever sets it. */
function alertRevision(alert: BalanceAlert | undefined): string {
  return revisionOf(
    alert === undefined ? null : { threshold: alert.thresholdNanos, url: alert.url, emails: alert.emails },
  );
}

/** Shown on the page; more of them are in the database. */
const DELIVERIES_SHOWN = 10;

async function settingsOf(db: Queryable, accountId: AccountId): Promise<AlertSettings> {
  const alert = await findAlert(db, accountId);
  const deliveries = await listAlertDeliveries(db, accountId, DELIVERIES_SHOWN);
  return {
    alert:
      alert === undefined
        ? null
        : {
            threshold_nanos: String(alert.thresholdNanos),
            url: alert.url,
            emails: [...alert.emails],
            below: alert.below,
            fired_at: alert.firedAt?.toISOString() ?? null,
          },
    revision: alertRevision(alert),
    deliveries: deliveries.map(deliveryResponse),
  };
}

function deliveryResponse({ id, event, url, attempts, ...delivery }: LoggedAlert): AlertDelivery {
  return {
    id: `delivery-${id}`,
    event,
    url,
    created_at: delivery.createdAt.toISOString(),
    delivered_at: delivery.deliveredAt?.toISOString() ?? null,
    next_attempt_at: delivery.nextAt?.toISOString() ?? null,
    attempts: attempts.map(({ at, durationMs, ...attempt }) => ({
      ...attempt,
      at: new Date(at).toISOString(),
      duration_ms: durationMs,
    })),
  };
}

function inWords({
  thresholdNanos,
  url,
  emails,
}: Pick<BalanceAlert, "thresholdNanos" | "url" | "emails">): object {
  return { below: `${formatUsd(thresholdNanos)} USD`, url, emails };
}

/** The guarded client would refuse it too, but only when it is needed. */
function safeUrl(text: string): string {
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw new GatewayError("invalid_request", "url: must not contain a user name or password.", {
      param: "url",
    });
  }
  return url.href;
}
