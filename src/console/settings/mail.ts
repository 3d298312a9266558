import { GatewayError } from "../../errors.ts";
import {
  insertDelivery,
  type LoggedAlert,
  listAlertDeliveries,
  NO_ACCOUNT,
} from "../../webhooks/webhooks-store.ts";
import { addressOf, expectMailServer, mailUrl } from "../alerts/mail-target.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation } from "../operation.ts";
import { type MailState, mailState, mailTest } from "./contract.ts";

/** The mail server: whether it accepts e-mail, and what became of the latest. */
export function mailOperations({ database, catalog }: ConsoleDeps): readonly Operation[] {
  const described = { path: "/operator/mail", policy: "operator", tag: "settings" } as const;
  const stateOf = async (): Promise<MailState> => ({
    is_set: catalog.current().settings.smtp !== null,
    deliveries: (await listAlertDeliveries(database, NO_ACCOUNT, SHOWN)).map(shown),
  });
  return [
    json({
      ...described,
      method: "GET",
      summary: "The mail server, with the latest e-mails to people",
      response: mailState,
      run: stateOf,
    }),
    json({
      ...described,
      method: "POST",
      path: `${described.path}/test`,
      summary: "Send a test e-mail, in one attempt",
      body: mailTest,
      response: mailState,
      unaudited: "it changes nothing; the delivery is in the log of the response",
      async run({ body }) {
        expectMailServer(catalog, "address");
        const [latest] = await listAlertDeliveries(database, NO_ACCOUNT, 1);
        if (latest?.event === TEST && latest.nextAt !== null)
          throw new GatewayError("conflict", "A test is still being delivered. Wait for its result first.");
        await database.transaction((tx) =>
          insertDelivery(tx, {
            accountId: NO_ACCOUNT,
            url: mailUrl(body.address),
            format: "email",
            event: TEST,
            data: {},
          }),
        );
        return stateOf();
      },
    }),
  ];
}

const TEST = "mail.test";
const SHOWN = 10;

function shown({ id, event, url, createdAt, deliveredAt, nextAt, attempts }: LoggedAlert) {
  const last = attempts.at(-1);
  return {
    id: `delivery-${id}`,
    event,
    address: addressOf(url),
    created_at: createdAt.toISOString(),
    delivered_at: deliveredAt?.toISOString() ?? null,
    next_attempt_at: nextAt?.toISOString() ?? null,
    attempts: attempts.length,
    failure: last?.failure ?? null,
  };
}
