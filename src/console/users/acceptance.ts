import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import type { UserId } from "../../users/identity.ts";
import { findInvitation, type Invitation } from "../../users/members/invitations-store.ts";
import { acceptInvitation, nameOf } from "../../users/members/register.ts";
import {
  beginSession,
  type ProvenUser,
  proveIdentity,
  stayProven,
  staySignedIn,
} from "../../users/sign-in/sign-in.ts";
import { proveSecondFactor } from "../../users/sign-in/totp.ts";
import { findUser, insertUser, type NewUser } from "../../users/users-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { type Call, json, type Operation, reply } from "../operation.ts";
import { sessionResponseSchema } from "../session/contract.ts";
import { browserOf, deviceOf, sessionOf, signedIn } from "../session/session-response.ts";
import { expectPasswords } from "../session/sign-in-rules.ts";
import { type InvitationResponse, invitationLook, invitationResponse, invitationView } from "./contract.ts";
import { invitationRowOf } from "./invitations.ts";

/**
 * The acceptance of an invitation by its link. All users get one form: new users choose a password, known ones enter
 * theirs, signed-in ones need none. So the link does not reveal if such a user exists.
 */
export function acceptanceOperations(deps: ConsoleDeps): readonly Operation[] {
  const tag = "session";
  return [
    json({
      method: "POST",
      path: "/invitations/view",
      policy: "anyone",
      tag,
      summary: "Show an invitation",
      unaudited: "reads; a POST because the link's secret must not stand in a URL",
      body: invitationLook,
      response: invitationView,
      async run({ body }) {
        const { email, account, role, operator_role, expires_at } = invitationRowOf(
          await invitationOf(deps, body.token),
        );
        return { email, account: account?.name ?? null, role, operator_role, expires_at };
      },
    }),
    json({
      method: "POST",
      path: "/invitations/accept",
      policy: "anyone",
      tag,
      summary: "Accept an invitation and sign in",
      body: invitationResponse,
      response: sessionResponseSchema,
      async run(call) {
        const invitation = await invitationOf(deps, call.body.token);
        const user = await guestOf(deps, call, invitation);
        const secret = await deps.database.transaction(async (tx) => {
          if (user.proven !== undefined) await stayProven(tx, user.proven);
          else if (user.id !== undefined) await staySignedIn(tx, browserOf(call.identity));
          const { id, email } = user.id === undefined ? await insertGuest(tx, user) : user;
          await acceptInvitation(tx, invitation, id);
          await call.audit(tx, {
            action: "invitation.accept",
            subject: email,
            accountId: invitation.accountId ?? undefined,
            after: { role: invitation.role, operator_role: invitation.operatorRole },
            actorId: id,
          });
          const { address, userAgent } = call;
          return beginSession(tx, deps.hasher, {
            user: { id, email },
            address,
            userAgent,
            // Of who is signed in already; a password vouches for all others.
            provider: user.proven || user.id === undefined ? null : browserOf(call.identity).provider,
            replaces: sessionOf(call.identity),
            counter: user.proven?.counter,
          });
        });
        const { response, cookies } = await signedIn(deps, secret, await deviceOf(deps, call));
        return reply(response, { cookies });
      },
    }),
  ];
}

type Known = { readonly id: UserId; readonly email: string };
type Guest =
  | (Known & { readonly proven?: ProvenUser })
  | (NewUser & { readonly [none in "id" | "proven"]?: undefined });

/** The user who accepts: signed in, proven by a password, or new. */
async function guestOf(
  deps: ConsoleDeps,
  call: Call<unknown, InvitationResponse>,
  { email }: Invitation,
): Promise<Guest> {
  const { identity, body, address } = call;
  const { password, totp, name } = body;
  if (identity !== undefined && password === undefined) {
    const { user } = browserOf(identity);
    if (user.email === email) return user;
    throw new GatewayError("forbidden", `The invitation is for ${email}, not for ${user.email}.`);
  }
  const rules = deps.catalog.current().settings.signIn;
  if (rules.requireSso) expectPasswords(rules, await findUser(deps.database, email));
  if (password === undefined)
    throw new GatewayError("invalid_request", "Choose a password, or enter yours.", { param: "password" });
  const { database, hasher, users, clock } = deps;
  if ((await findUser(database, email)) === undefined) {
    const passwordHash = await users.passwords.hash(password);
    return { email, name: name ?? nameOf(email), passwordHash, emailTrusted: false };
  }
  const user = await proveIdentity(
    { database, hasher, clock, passwords: users.passwords },
    { email, password, address, device: await deviceOf(deps, call) },
  );
  await proveSecondFactor(database, deps, user, totp);
  return { id: user.id, email, proven: user };
}

async function insertGuest(tx: Queryable, user: NewUser): Promise<Known> {
  const id = await insertUser(tx, user);
  if (id === undefined) throw new GatewayError("conflict", "This address was just registered. Try again.");
  return { id, email: user.email };
}

async function invitationOf({ database, hasher }: ConsoleDeps, token: string): Promise<Invitation> {
  const found = await findInvitation(database, hasher.hash(token));
  if (found !== undefined) return found;
  throw new GatewayError(
    "not_found",
    "This invitation was used, was revoked or has expired. Ask for a new one.",
  );
}
