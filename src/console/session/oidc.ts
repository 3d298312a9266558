import type { OidcProvider } from "../../catalog/catalog.ts";
import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import { FIRST_EMAIL } from "../../users/members/first-user.ts";
import { invitationsFor } from "../../users/members/invitations-store.ts";
import { acceptInvitation, nameOf, registerPerson } from "../../users/members/register.ts";
import type { OidcClient, OidcPerson } from "../../users/sign-in/oidc.ts";
import { findByIdentity, linkFirstIdentity, linkIdentity } from "../../users/sign-in/oidc-store.ts";
import { beginSession } from "../../users/sign-in/sign-in.ts";
import { findUser, insertUser, readUser, type UserRecord } from "../../users/users-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation, reply } from "../operation.ts";
import { oidcFinishBody, oidcStart, oidcStartBody, sessionResponseSchema } from "./contract.ts";
import { applyMappedRoles, type MappedRoles, mappedRoles } from "./mapped-roles.ts";
import { deviceOf, sessionOf, signedIn } from "./session-response.ts";
import { expectOperatorAddress } from "./sign-in-rules.ts";

/** The page of the dashboard to which providers send browsers back; it asks for the rest. */
const RETURN_PATH = "/sign-in/oidc";

/** Signing in at the identity providers of `settings.sign_in`. Their own second factor stands in for ours. */
export function oidcOperations(deps: ConsoleDeps): readonly Operation[] {
  const { database, hasher, users } = deps;
  const tag = "session";
  return [
    json({
      method: "POST",
      path: "/session/oidc/start",
      policy: "anyone",
      tag,
      summary: "Begin to sign in at an identity provider",
      unaudited: "nothing is kept; the end is noted",
      body: oidcStartBody,
      response: oidcStart,
      async run({ body }) {
        return users.oidc.begin(clientOf(deps, body.provider), `${await deps.publicUrl()}${RETURN_PATH}`);
      },
    }),
    json({
      method: "POST",
      path: "/session/oidc",
      policy: "anyone",
      tag,
      summary: "Complete a sign-in with the identity provider's response",
      body: oidcFinishBody,
      response: sessionResponseSchema,
      async run(call) {
        const { body, address, userAgent, identity, audit } = call;
        const { flow, response: answered } = body;
        const client = clientOf(deps, users.oidc.providerOf(flow));
        const person = await users.oidc.finish(client, flow, answered);
        const secret = await database.transaction(async (tx) => {
          const roles = mappedRoles(client, person);
          const user = (await knownUser(tx, person)) ?? (await newUser(tx, person, roles, deps));
          const { id, email } = user;
          await audit(tx, {
            action: "session.create",
            subject: email,
            actorId: id,
            after: { by: client.id },
          });
          if (!(await applyMappedRoles(tx, { user, provider: client.id, roles, audit })))
            deps.log.warn(
              { provider: client.id, user: String(id) },
              "last operator keeps a role that was lost",
            );
          const now = await readUser(tx, id);
          if (now !== undefined) expectOperatorAddress(now, address, deps.catalog.current().settings.signIn);
          const order = { address, userAgent, provider: client.id, replaces: sessionOf(identity) };
          return beginSession(tx, hasher, { user: { id, email }, ...order });
        });
        const { response, cookies } = await signedIn(deps, secret, await deviceOf(deps, call));
        return reply(response, { cookies });
      },
    }),
  ];
}

/** A provider of `settings.sign_in`, with its secret. Throws not_found. */
export function clientOf({ catalog, clientSecret }: ConsoleDeps, id: string): OidcClient & OidcProvider {
  const provider = catalog.current().settings.signIn.oidc.find((candidate) => candidate.id === id);
  if (provider === undefined) throw new GatewayError("not_found", "Identity provider not found.");
  return { ...provider, clientSecret: clientSecret(provider.clientSecretName) };
}

/**
 * The user that the provider's subject is linked to, or the user of its verified address, who is linked from then on.
 * That happens once: addresses are given to other people, so a user with a subject gets no second one by address, of
 * whatever provider.
 */
async function knownUser(tx: Queryable, person: OidcPerson): Promise<UserRecord | undefined> {
  const linked = await findByIdentity(tx, person);
  const user = linked ?? ((person.verifiedEmail && (await findUser(tx, person.verifiedEmail))) || undefined);
  if (user === undefined) return undefined;
  if (user.disabled) throw refused();
  if (linked !== undefined) return user;
  if (!linksByAddress(user) || !(await linkFirstIdentity(tx, user.id, person))) throw notLinked(person);
  return user;
}

/**
 * True if a provider's word for the address is proof of being this user. It is not where somebody merely claimed the
 * address when they registered, nor for the operator of the first start, whose address everybody knows.
 */
function linksByAddress({ email, emailTrusted }: UserRecord): boolean {
  return emailTrusted && email !== FIRST_EMAIL;
}

/** Says what an operator needs to link the two by hand: the subject is the asker's own. */
function notLinked({ issuer, subject }: OidcPerson): GatewayError {
  return new GatewayError(
    "sign_in_failed",
    `A user with your email address exists but isn't linked to this identity. If that's you, sign in as before, ` +
      `or ask an operator to link the identity by hand (Users, Identities): issuer ${issuer}, subject ${subject}.`,
  );
}

/** Somebody new: invited to this address, given a role by the provider's word, or whoever comes where people may register. */
async function newUser(
  tx: Queryable,
  person: OidcPerson,
  { memberships, operatorRole }: MappedRoles,
  { catalog }: ConsoleDeps,
): Promise<Pick<UserRecord, "id" | "email">> {
  const { verifiedEmail: email } = person;
  if (email === undefined)
    throw new GatewayError("sign_in_failed", "The identity provider hasn't verified your email address.");
  const user = { email, name: person.name ?? nameOf(email), passwordHash: null, emailTrusted: true };
  const invitations = await invitationsFor(tx, email);
  const isExpected = invitations.length > 0 || memberships.length > 0 || operatorRole !== null;
  if (!isExpected && !catalog.current().settings.signIn.selfRegistration) throw refused();
  const id = isExpected ? await insertUser(tx, user) : (await registerPerson(tx, user)).id;
  if (id === undefined) throw new GatewayError("conflict", "This address was just registered. Try again.");
  for (const invitation of invitations) await acceptInvitation(tx, invitation, id);
  await linkIdentity(tx, id, person);
  return { id, email };
}

function refused(): GatewayError {
  return new GatewayError("sign_in_failed", "You don't have access. Ask for an invitation.");
}
