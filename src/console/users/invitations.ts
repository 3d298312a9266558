import { readAccount } from "../../accounts/accounts-store.ts";
import type { AccountId } from "../../accounts/caller.ts";
import { GatewayError } from "../../errors.ts";
import {
  deleteInvitation,
  holdInviter,
  type Invitation,
  insertInvitation,
  type NewInvitation,
  readInvitations,
} from "../../users/members/invitations-store.ts";
import { linkSecretOf, newSecret } from "../../users/sign-in/secrets.ts";
import { countMail } from "../../users/sign-in/sign-in.ts";
import { insertDelivery, NO_ACCOUNT } from "../../webhooks/webhooks-store.ts";
import { mailUrl } from "../alerts/mail-target.ts";
import { pageQuery } from "../contract-parts.ts";
import type { ConsoleDeps } from "../deps.ts";
import { idOf, inputMark } from "../input.ts";
import { type Call, json, type Operation } from "../operation.ts";
import { done } from "../session/contract.ts";
import {
  type CreatedInvitation,
  createdInvitation,
  type InvitationPage,
  type InvitationRow,
  invitationPage,
  memberInvitation,
  operatorInvitation,
} from "./contract.ts";

/**
 * Inviting people: owners into their account, operators anywhere. The link is shown to who invites; where a mail server is set, it is
 * sent too.
 */
export function invitationOperations(deps: ConsoleDeps): readonly Operation[] {
  return [...ofAccount(deps), ...ofOperators(deps)];
}

const tag = "members";

function ofAccount(deps: ConsoleDeps): Operation[] {
  const path = "/accounts/{account}/invitations";
  return [
    json({
      method: "GET",
      path,
      policy: "owner",
      tag,
      summary: "Open invitations to the account",
      query: pageQuery,
      response: invitationPage,
      run: ({ query, account }) => list(deps, query, account().id),
    }),
    json({
      method: "POST",
      path,
      policy: "owner",
      tag,
      makes: true,
      summary:
        "Invite a user to the account; the response contains the link, which works once within seven days",
      body: memberInvitation,
      response: createdInvitation,
      run(call) {
        const { email, role } = call.body;
        const membership = { accountId: call.account().id, role };
        return invite(deps, call, { email, membership, operatorRole: null });
      },
    }),
    json({
      method: "DELETE",
      path: `${path}/{invitation}`,
      policy: "owner",
      tag,
      summary: "Revoke an invitation: its link stops working",
      response: done,
      run: (call) => revoke(deps, call, call.account().id),
    }),
  ];
}

function ofOperators(deps: ConsoleDeps): Operation[] {
  const path = "/operator/invitations";
  return [
    json({
      method: "GET",
      path,
      policy: "operator",
      tag,
      summary: "All open invitations",
      query: pageQuery,
      response: invitationPage,
      run: ({ query }) => list(deps, query, null),
    }),
    json({
      method: "POST",
      path,
      policy: "operator",
      tag,
      makes: true,
      summary: "Invite a user as operator, to any account, or both",
      body: operatorInvitation,
      response: createdInvitation,
      async run(call) {
        const { email, account, operator_role: operatorRole } = call.body;
        if (account === null && operatorRole === null)
          throw new GatewayError("invalid_request", "Choose an account, a role of operators, or both.", {
            param: "account",
          });
        const membership = account && { accountId: await accountOf(deps, account.id), role: account.role };
        return invite(deps, call, { email, membership, operatorRole });
      },
    }),
    json({
      method: "DELETE",
      path: `${path}/{invitation}`,
      policy: "operator",
      tag,
      summary: "Revoke any invitation",
      response: done,
      run: (call) => revoke(deps, call, null),
    }),
  ];
}

async function list(
  { database }: ConsoleDeps,
  { limit, after }: { limit: number; after?: string | undefined },
  account: AccountId | null,
): Promise<InvitationPage> {
  const before = inputMark(after) ?? LAST_ID;
  const rows = await readInvitations(database, { account, before, limit: limit + 1 });
  const page = rows.slice(0, limit);
  return { data: page.map(invitationRowOf), next: rows.length > limit ? String(page.at(-1)?.id) : null };
}

/** More than any id there will be. */
const LAST_ID = 2n ** 62n;

async function invite(
  { database, hasher, publicUrl, catalog }: ConsoleDeps,
  call: Call<unknown, unknown>,
  order: Omit<NewInvitation, "hash" | "invitedBy">,
) {
  const isMailed = catalog.current().settings.smtp !== null;
  if (isMailed) await countMail({ database, hasher }, order.email, call.address);
  const nonce = newSecret();
  const secret = linkSecretOf(hasher, "invitation", nonce);
  const invitation = await database.transaction(async (tx) => {
    const invitedBy = call.user().id;
    if (!(await holdInviter(tx, invitedBy, order.membership?.accountId ?? null)))
      throw new GatewayError("forbidden", "You no longer have permission to invite.");
    const made = await insertInvitation(tx, { ...order, hash: hasher.hash(secret), invitedBy });
    await call.audit(tx, {
      action: "invitation.create",
      subject: order.email,
      accountId: order.membership?.accountId,
      after: { role: made.role, operator_role: made.operatorRole },
    });
    if (isMailed)
      await insertDelivery(tx, {
        accountId: NO_ACCOUNT,
        url: mailUrl(order.email),
        format: "email",
        event: "invitation",
        data: { nonce, invited_by: made.invitedBy, account: made.accountName },
      });
    return made;
  });
  // Behind # it stays in the browser: no log of any proxy sees it.
  const response: CreatedInvitation = {
    ...invitationRowOf(invitation),
    link: `${await publicUrl()}/invitation#${secret}`,
    mailed: isMailed,
  };
  return response;
}

async function revoke(
  { database }: ConsoleDeps,
  { params, audit }: Call<unknown, unknown>,
  account: AccountId | null,
) {
  await database.transaction(async (tx) => {
    const gone = await deleteInvitation(tx, idOf(params["invitation"], UNKNOWN), account);
    if (gone === undefined) throw new GatewayError("not_found", UNKNOWN);
    const accountId = gone.accountId ?? undefined;
    await audit(tx, { action: "invitation.revoke", subject: gone.email, accountId });
  });
  return { done: true } as const;
}

const UNKNOWN = "Invitation not found, or no longer open.";

async function accountOf({ database }: ConsoleDeps, id: string): Promise<AccountId> {
  const found = await readAccount(database, idOf(id, "Account not found.") as AccountId);
  if (found === undefined) throw new GatewayError("not_found", "Account not found.");
  return found.id;
}

export function invitationRowOf(invitation: Invitation): InvitationRow {
  const { accountId, accountName } = invitation;
  return {
    id: String(invitation.id),
    email: invitation.email,
    account: accountId === null ? null : { id: String(accountId), name: accountName ?? "" },
    role: invitation.role,
    operator_role: invitation.operatorRole,
    invited_by: invitation.invitedBy,
    created_at: invitation.createdAt.toISOString(),
    expires_at: invitation.expiresAt.toISOString(),
  };
}
