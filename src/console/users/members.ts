import type { AccountId } from "../../accounts/caller.ts";
import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import type { UserId } from "../../users/identity.ts";
import { deleteInvitationsBy } from "../../users/members/invitations-store.ts";
import {
  deleteMember,
  lockOwners,
  type Member,
  readMember,
  readMembers,
  setRole,
} from "../../users/members/members-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { idOf, inputMark } from "../input.ts";
import { json, type Operation } from "../operation.ts";
import { done } from "../session/contract.ts";
import { type MemberRow, memberPage, memberRow, membersQuery, roleBody } from "./contract.ts";

/** The members of an account and their roles. */
export function memberOperations(deps: ConsoleDeps): readonly Operation[] {
  return [list(deps), changeRole(deps), remove(deps)];
}

const tag = "members";

function list({ database }: ConsoleDeps): Operation {
  return json({
    method: "GET",
    path: "/accounts/{account}/members",
    policy: "viewer",
    tag,
    summary: "Members of the account",
    query: membersQuery,
    response: memberPage,
    async run({ query: { limit, after, search = "" }, account }) {
      const from = inputMark(after) ?? 0n;
      const rows = await readMembers(database, account().id, { after: from, limit: limit + 1, search });
      const page = rows.slice(0, limit);
      return { data: page.map(memberRowOf), next: rows.length > limit ? String(page.at(-1)?.userId) : null };
    },
  });
}

function changeRole({ database }: ConsoleDeps): Operation {
  return json({
    method: "PATCH",
    path: "/accounts/{account}/members/{user}",
    policy: "owner",
    tag,
    summary: "Change a member's role; the account keeps an owner",
    body: roleBody,
    response: memberRow,
    async run({ body, params, account, audit }) {
      const { id: accountId } = account();
      return database.transaction(async (tx) => {
        const member = await memberOf(tx, accountId, params["user"], { remainsOwner: body.role === "owner" });
        await setRole(tx, accountId, member.userId, body.role);
        if (body.role !== "owner") await deleteInvitationsBy(tx, member.userId, accountId);
        const change = { before: { role: member.role }, after: { role: body.role } };
        await audit(tx, { action: "member.update", subject: member.email, accountId, ...change });
        return memberRowOf({ ...member, role: body.role });
      });
    },
  });
}

function remove({ database }: ConsoleDeps): Operation {
  return json({
    method: "DELETE",
    path: "/accounts/{account}/members/{user}",
    policy: "owner",
    tag,
    summary: "Remove a member immediately; their keys stay. The account keeps an owner",
    response: done,
    async run({ params, account, audit }) {
      const { id: accountId } = account();
      await database.transaction(async (tx) => {
        const member = await memberOf(tx, accountId, params["user"], { remainsOwner: false });
        await deleteMember(tx, accountId, member.userId);
        await deleteInvitationsBy(tx, member.userId, accountId);
        const before = { role: member.role };
        await audit(tx, { action: "member.remove", subject: member.email, accountId, before });
      });
      return { done: true } as const;
    },
  });
}

/** The member of the path; refuses what would leave the account without an owner. */
async function memberOf(
  tx: Queryable,
  account: AccountId,
  user: string | undefined,
  { remainsOwner }: { readonly remainsOwner: boolean },
): Promise<Member> {
  const owners = await lockOwners(tx, account);
  const member = await readMember(tx, account, idOf(user, UNKNOWN) as UserId);
  if (member === undefined) throw new GatewayError("not_found", UNKNOWN);
  if (!remainsOwner && owners.has(member.userId) && owners.size === 1)
    throw new GatewayError("conflict", "The account must keep an owner. Make someone else an owner first.");
  return member;
}

const UNKNOWN = "Member not found.";

function memberRowOf(member: Member): MemberRow {
  return {
    user_id: String(member.userId),
    email: member.email,
    name: member.name,
    role: member.role,
    disabled: member.disabled,
    has_totp: member.hasTotp,
    since: member.since.toISOString(),
    last_sign_in_at: member.lastSignInAt?.toISOString() ?? null,
  };
}
