import { GatewayError } from "../../errors.ts";
import { nameOf, registerPerson } from "../../users/members/register.ts";
import { deleteOtherSessions, deleteSession } from "../../users/sign-in/sessions-store.ts";
import { beginSession, countRegistration, proveIdentity, stayProven } from "../../users/sign-in/sign-in.ts";
import { proveSecondFactor } from "../../users/sign-in/totp.ts";
import { findUser, setPassword } from "../../users/users-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation, reply } from "../operation.ts";
import {
  done,
  passwordBody,
  registrationBody,
  sessionResponseSchema,
  signInBody,
  signInOptions,
} from "./contract.ts";
import { oidcOperations } from "./oidc.ts";
import { passwordResetOperations } from "./password-resets.ts";
import { provePassword } from "./prove-password.ts";
import {
  browserOf,
  cookieOf,
  deviceCookieOf,
  deviceOf,
  sessionOf,
  sessionResponseOf,
  signedIn,
} from "./session-response.ts";
import { expectOperatorAddress, expectPasswords } from "./sign-in-rules.ts";

/** Signing in and out, and who one is. */
export function sessionOperations(deps: ConsoleDeps): readonly Operation[] {
  return [
    show(deps),
    signIn(deps),
    signOut(deps),
    changePassword(deps),
    ...invitationOperations(deps),
    ...oidcOperations(deps),
    ...passwordResetOperations(deps),
  ];
}

const tag = "session";

function show(deps: ConsoleDeps): Operation {
  return json({
    method: "GET",
    path: "/session",
    policy: "user",
    tag,
    summary: "The signed-in user, with accounts and the session's csrf_token",
    response: sessionResponseSchema,
    run(call) {
      if (call.identity === undefined) throw new GatewayError("not_signed_in", "Sign in first.");
      return sessionResponseOf(deps, call.identity);
    },
  });
}

function signIn(deps: ConsoleDeps): Operation {
  const { database, hasher, users, clock } = deps;
  return json({
    method: "POST",
    path: "/session",
    policy: "anyone",
    tag,
    summary: "Sign in with a password, and a code if two-factor authentication is enabled",
    body: signInBody,
    response: sessionResponseSchema,
    async run(call) {
      const { body, address, userAgent, identity, audit } = call;
      const rules = deps.catalog.current().settings.signIn;
      if (rules.requireSso) expectPasswords(rules, await findUser(database, body.email));
      const device = await deviceOf(deps, call);
      const user = await proveIdentity(
        { database, hasher, clock, passwords: users.passwords },
        { ...body, address, device },
      );
      await proveSecondFactor(database, deps, user, body.totp);
      expectOperatorAddress(user, address, rules);
      const secret = await database.transaction(async (tx) => {
        await stayProven(tx, user);
        await audit(tx, { action: "session.create", subject: user.email, actorId: user.id });
        const { counter } = user;
        const order = { address, userAgent, counter, provider: null, replaces: sessionOf(identity) };
        return beginSession(tx, hasher, { user, ...order });
      });
      const { response, cookies } = await signedIn(deps, secret, device);
      return reply(response, { cookies });
    },
  });
}

function signOut(deps: ConsoleDeps): Operation {
  return json({
    method: "DELETE",
    path: "/session",
    policy: "user",
    tag,
    summary: "Sign out: end the session and delete its cookie",
    response: done,
    async run({ identity, audit }) {
      const { user, sessionId } = browserOf(identity);
      await deps.database.transaction(async (tx) => {
        await deleteSession(tx, user.id, sessionId);
        await audit(tx, { action: "session.delete", subject: user.email });
      });
      return reply({ done: true } as const, { cookies: [await cookieOf(deps, "")] });
    },
  });
}

function changePassword(deps: ConsoleDeps): Operation {
  const { database, users } = deps;
  return json({
    method: "POST",
    path: "/me/password",
    policy: "user",
    tag: "me",
    summary: "Change your password; all your other sessions end",
    body: passwordBody,
    response: done,
    async run(call) {
      const { body, identity, address, audit } = call;
      const { user, sessionId } = browserOf(identity);
      if (body.new_password === body.current_password || body.new_password.toLowerCase() === user.email)
        throw new GatewayError("invalid_request", "Choose a new password that isn't your email address.", {
          param: "new_password",
        });
      const password = body.current_password;
      const proven = await provePassword(deps, { user, password, address, param: "current_password" });
      const passwordHash = await users.passwords.hash(body.new_password);
      await database.transaction(async (tx) => {
        await stayProven(tx, proven);
        await setPassword(tx, user.id, passwordHash, { mustChange: false });
        const ended = await deleteOtherSessions(tx, user.id, sessionId);
        await audit(tx, {
          action: "password.change",
          subject: user.email,
          after: { sessions_ended: ended },
        });
      });
      const cookie = await deviceCookieOf(deps, { id: user.id, passwordHash }, await deviceOf(deps, call));
      return reply({ done: true } as const, { cookies: [cookie] });
    },
  });
}

/** The ways to sign in, and registration without an invitation if `settings.sign_in` allows it. */
function invitationOperations(deps: ConsoleDeps): readonly Operation[] {
  const { database, hasher, users, catalog } = deps;
  const tag = "session";
  return [
    json({
      method: "GET",
      path: "/sign-in",
      policy: "anyone",
      tag,
      summary: "Available sign-in methods",
      response: signInOptions,
      run() {
        const { signIn, smtp } = catalog.current().settings;
        const { selfRegistration, oidc, requireSso } = signIn;
        return {
          self_registration: selfRegistration,
          sso_required: requireSso,
          oidc: oidc.map(({ id, name }) => ({ id, name })),
          password_reset: smtp !== null && !requireSso,
        };
      },
    }),
    json({
      method: "POST",
      path: "/registration",
      policy: "anyone",
      tag,
      makes: true,
      summary:
        "Register, if settings.sign_in.self_registration is enabled; the new account has a zero balance",
      body: registrationBody,
      response: sessionResponseSchema,
      async run(call) {
        const { body, address, userAgent, identity, audit } = call;
        if (!catalog.current().settings.signIn.selfRegistration)
          throw new GatewayError("forbidden", "Sign-up is by invitation only.");
        expectPasswords(catalog.current().settings.signIn);
        users.passwords.expectRoom();
        await countRegistration({ database, hasher }, address);
        const passwordHash = await users.passwords.hash(body.password);
        const { email, name = nameOf(email) } = body;
        const secret = await database.transaction(async (tx) => {
          // Nobody has vouched for the address: an identity provider's word for it is not theirs.
          const user = { email, name, passwordHash, emailTrusted: false };
          const { id, accountId } = await registerPerson(tx, user);
          await audit(tx, { action: "user.register", subject: email, accountId, actorId: id });
          const order = { address, userAgent, provider: null, replaces: sessionOf(identity) };
          return beginSession(tx, hasher, { user: { id, email }, ...order });
        });
        const { response, cookies } = await signedIn(deps, secret, await deviceOf(deps, call));
        return reply(response, { cookies });
      },
    }),
  ];
}
