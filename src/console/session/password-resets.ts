import { GatewayError } from "../../errors.ts";
import { findReset, takeReset } from "../../users/sign-in/password-resets-store.ts";
import { endAccess } from "../../users/sign-in/reset-access.ts";
import { newSecret } from "../../users/sign-in/secrets.ts";
import { countMail, forgive } from "../../users/sign-in/sign-in.ts";
import { setPassword } from "../../users/users-store.ts";
import { insertDelivery, NO_ACCOUNT } from "../../webhooks/webhooks-store.ts";
import { mailUrl } from "../alerts/mail-target.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation } from "../operation.ts";
import { done, resetBody, resetLook, resetRequest, resetView } from "./contract.ts";
import { expectPasswords } from "./sign-in-rules.ts";

/**
 * Choosing another password by a link that is sent by e-mail. A request gets the same answer after the same work whoever the
 * address belongs to: who has it is looked up when the e-mail is sent. A second factor stays, and is asked for at the sign-in.
 */
export function passwordResetOperations(deps: ConsoleDeps): readonly Operation[] {
  const { database, hasher, users, catalog } = deps;
  const described = { method: "POST", policy: "anyone", tag: "session" } as const;
  return [
    json({
      ...described,
      path: "/password-resets",
      summary: "Send a link to choose another password, if a user has this address; needs settings.smtp",
      unaudited: "nobody has shown who they are; using the link is audited",
      body: resetRequest,
      response: done,
      async run({ body: { email, language }, address }) {
        expectPasswords(catalog.current().settings.signIn);
        if (catalog.current().settings.smtp === null)
          throw new GatewayError("forbidden", "Passwords can't be reset by e-mail here. Ask an operator.");
        await countMail({ database, hasher }, email, address);
        await database.transaction((tx) =>
          insertDelivery(tx, {
            accountId: NO_ACCOUNT,
            url: mailUrl(email),
            format: "email",
            event: "password.reset",
            data: { nonce: newSecret(), language },
          }),
        );
        return { done: true } as const;
      },
    }),
    json({
      ...described,
      path: "/password-resets/view",
      summary: "Show whose password a link resets",
      unaudited: "reads; a POST because the link's secret must not stand in a URL",
      body: resetLook,
      response: resetView,
      async run({ body }) {
        const user = await findReset(database, hasher.hash(body.token));
        if (user === undefined) throw spent();
        return { email: user.email };
      },
    }),
    json({
      ...described,
      path: "/password-resets/use",
      summary: "Choose a password by a link; sessions, console tokens and open invitations end",
      body: resetBody,
      response: done,
      async run({ body, audit }) {
        expectPasswords(catalog.current().settings.signIn);
        const hash = hasher.hash(body.token);
        const user = await findReset(database, hash);
        if (user === undefined) throw spent();
        if (body.new_password.toLowerCase() === user.email)
          throw new GatewayError("invalid_request", "Choose a new password that isn't your email address.", {
            param: "new_password",
          });
        users.passwords.expectRoom();
        const passwordHash = await users.passwords.hash(body.new_password);
        await database.transaction(async (tx) => {
          if (!(await takeReset(tx, hash))) throw spent();
          await setPassword(tx, user.id, passwordHash, { mustChange: false });
          await endAccess(tx, user.id, null);
          await forgive(tx, hasher, user);
          await audit(tx, { action: "password.reset", subject: user.email, actorId: user.id });
        });
        return { done: true } as const;
      },
    }),
  ];
}

function spent(): GatewayError {
  return new GatewayError("not_found", "This link was used or has expired. Ask for a new one.");
}
