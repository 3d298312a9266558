import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import type { UserId } from "../../users/identity.ts";
import { deleteInvitationsBy } from "../../users/members/invitations-store.ts";
import {
  changeUser,
  type ListedUser,
  lockOperators,
  readListedUser,
  readUsers,
} from "../../users/members/user-list-store.ts";
import { renewPassword } from "../../users/sign-in/reset-access.ts";
import { newPassword } from "../../users/sign-in/secrets.ts";
import { deleteOtherSessions } from "../../users/sign-in/sessions-store.ts";
import { deleteTotp } from "../../users/sign-in/totps-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { idOf, inputMark } from "../input.ts";
import { type Call, json, type Operation } from "../operation.ts";
import { done } from "../session/contract.ts";
import { expectPasswords } from "../session/sign-in-rules.ts";
import { madePassword, type UserRow, userBody, userPage, userQuery, userRow } from "./contract.ts";

/** Everybody who can sign in, for operators. */
export function userOperations(deps: ConsoleDeps): readonly Operation[] {
  return [list(deps), change(deps), resetPassword(deps), resetTotp(deps)];
}

const tag = "users";

function list({ database }: ConsoleDeps): Operation {
  return json({
    method: "GET",
    path: "/operator/users",
    policy: "operator",
    tag,
    summary: "All users, newest first",
    query: userQuery,
    response: userPage,
    async run({ query: { q = "", limit, after } }) {
      const before = inputMark(after) ?? LAST_ID;
      const rows = await readUsers(database, { prefix: q, before, limit: limit + 1 });
      const page = rows.slice(0, limit);
      return { data: page.map(userRowOf), next: rows.length > limit ? String(page.at(-1)?.id) : null };
    },
  });
}

/** More than any id there will be. */
const LAST_ID = 2n ** 62n;

function change({ database }: ConsoleDeps): Operation {
  return json({
    method: "PATCH",
    path: "/operator/users/{user}",
    policy: "operator",
    tag,
    summary: "Suspend or reactivate a user, or change the operator role; not for yourself",
    body: userBody,
    response: userRow,
    async run(call) {
      const { disabled, operator_role: operatorRole } = call.body;
      return database.transaction(async (tx) => {
        const operators = await lockOperators(tx);
        if (!operators.has(call.user().id))
          throw new GatewayError("forbidden", "You no longer have the operator role.");
        const user = await otherOf(tx, call);
        await changeUser(tx, user.id, { disabled, operatorRole });
        if (disabled === true) await deleteOtherSessions(tx, user.id, null);
        if (disabled === true || (operatorRole !== undefined && operatorRole !== "operator"))
          await deleteInvitationsBy(tx, user.id, null);
        const changed = await readListedUser(tx, user.id);
        if (changed === undefined) throw new GatewayError("not_found", UNKNOWN);
        await call.audit(tx, {
          action: "user.update",
          subject: user.email,
          before: { disabled: user.disabled, operator_role: user.operatorRole },
          after: { disabled: changed.disabled, operator_role: changed.operatorRole },
        });
        return userRowOf(changed);
      });
    },
  });
}

function resetPassword({ database, users, hasher, catalog }: ConsoleDeps): Operation {
  return json({
    method: "POST",
    path: "/operator/users/{user}/password",
    policy: "operator",
    tag,
    summary:
      "Reset a user's password, shown once; sessions, console tokens and open invitations end, and the user must change it",
    response: madePassword,
    async run(call) {
      expectPasswords(catalog.current().settings.signIn);
      const password = newPassword(hasher);
      const passwordHash = await users.passwords.hash(password);
      await database.transaction(async (tx) => {
        const user = await otherOf(tx, call);
        await renewPassword(tx, hasher, { id: user.id, email: user.email, passwordHash });
        await call.audit(tx, { action: "password.reset", subject: user.email });
      });
      return { password };
    },
  });
}

function resetTotp({ database }: ConsoleDeps): Operation {
  return json({
    method: "DELETE",
    path: "/operator/users/{user}/totp",
    policy: "operator",
    tag,
    summary: "Disable a user's two-factor authentication",
    response: done,
    async run(call) {
      await database.transaction(async (tx) => {
        const user = await otherOf(tx, call);
        if (!(await deleteTotp(tx, user.id)))
          throw new GatewayError("conflict", "Two-factor authentication is not enabled for this user.");
        await call.audit(tx, { action: "totp.reset", subject: user.email });
      });
      return { done: true } as const;
    },
  });
}

/** The user of the path. Oneself is refused: there must remain an operator, and one's own password is changed with it. */
async function otherOf(tx: Queryable, call: Call<unknown, unknown>): Promise<ListedUser> {
  const user = await readListedUser(tx, idOf(call.params["user"], UNKNOWN) as UserId);
  if (user === undefined) throw new GatewayError("not_found", UNKNOWN);
  if (user.id === call.user().id)
    throw new GatewayError(
      "conflict",
      "You can't do this to your own user. Use your profile page or ask another operator.",
    );
  return user;
}

const UNKNOWN = "User not found.";

function userRowOf(user: ListedUser): UserRow {
  return {
    id: String(user.id),
    email: user.email,
    name: user.name,
    operator_role: user.operatorRole,
    disabled: user.disabled,
    has_totp: user.hasTotp,
    has_password: user.hasPassword,
    accounts: user.accounts.map((account) => ({ ...account })),
    created_at: user.createdAt.toISOString(),
    last_sign_in_at: user.lastSignInAt?.toISOString() ?? null,
  };
}
