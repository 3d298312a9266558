import { GatewayError } from "../../errors.ts";
import { nameOf } from "../../users/members/accept-invitation.ts";
import { registerPerson } from "../../users/members/register.ts";
import { beginSession, countRegistration } from "../../users/sign-in/sign-in.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation, reply } from "../operation.ts";
import { registrationBody, sessionResponseSchema, signInOptions } from "./contract.ts";
import { deviceOf, sessionOf, signedIn } from "./session-response.ts";

/** Which ways in there are, and coming uninvited where `settings.sign_in` lets people. */
export function invitationOperations(deps: ConsoleDeps): readonly Operation[] {
  const { database, hasher, people, catalog } = deps;
  const tag = "session";
  return [
    json({
      ...{ method: "GET", path: "/sign-in", policy: "anyone", tag },
      summary: "Available sign-in methods",
      response: signInOptions,
      run() {
        const { selfRegistration, oidc } = catalog.current().settings.signIn;
        return { self_registration: selfRegistration, oidc: oidc.map(({ id, name }) => ({ id, name })) };
      },
    }),
    json({
      ...{ method: "POST", path: "/registration", policy: "anyone", tag },
      makes: true,
      summary:
        "Register, if settings.sign_in.self_registration is enabled; the new account has a zero balance",
      body: registrationBody,
      response: sessionResponseSchema,
      async run(call) {
        const { body, address, userAgent, identity, audit } = call;
        if (!catalog.current().settings.signIn.selfRegistration)
          throw new GatewayError("forbidden", "Sign-up is by invitation only.");
        people.passwords.expectRoom();
        await countRegistration({ database, hasher }, address);
        const passwordHash = await people.passwords.hash(body.password);
        const { email, name = nameOf(email) } = body;
        const secret = await database.transaction(async (tx) => {
          // Nobody has vouched for the address: an identity provider's word for it is not theirs.
          const user = { email, name, passwordHash, emailTrusted: false };
          const { id, accountId } = await registerPerson(tx, user);
          await audit(tx, { action: "user.register", subject: email, accountId, actorId: id });
          const order = { address, userAgent, replaces: sessionOf(identity) };
          return beginSession(tx, hasher, { user: { id, email }, ...order });
        });
        const { response, cookies } = await signedIn(deps, secret, await deviceOf(deps, call));
        return reply(response, { cookies });
      },
    }),
  ];
}
