import { readAccount } from "../../accounts/accounts-store.ts";
import type { AccountId } from "../../accounts/caller.ts";
import { keyHint } from "../../accounts/key-form.ts";
import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import type { SignedInUser } from "../../users/identity.ts";
import { newConsoleToken } from "../../users/sign-in/secrets.ts";
import { staySignedIn } from "../../users/sign-in/sign-in.ts";
import { deleteToken, insertToken, type TokenRow as Row, readTokens } from "../../users/tokens-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { idOf } from "../input.ts";
import { json, type Operation } from "../operation.ts";
import { done } from "../session/contract.ts";
import { settledOf } from "../session/session-response.ts";
import { createdToken, type TokenRow, tokenBody, tokenList } from "./contract.ts";

/** More are forgotten ones. */
const MAX_TOKENS = 50;

/** Console tokens, which scripts use in place of a session. They reach what their user does, or less. */
export function tokensOperations({ database, hasher, clock }: ConsoleDeps): readonly Operation[] {
  const tag = "tokens";
  return [
    json({
      method: "GET",
      path: "/me/tokens",
      policy: "user",
      tag,
      summary: "Your console tokens",
      response: tokenList,
      async run(call) {
        return { data: (await readTokens(database, call.user().id)).map(tokenRowOf), next: null };
      },
    }),
    json({
      method: "POST",
      path: "/me/tokens",
      policy: "user",
      tag,
      makes: true,
      summary: "Create a console token; only this response shows it",
      body: tokenBody,
      response: createdToken,
      async run({ body, identity, audit }) {
        const browser = settledOf(identity);
        const expiresAt = body.expires_at === null ? null : new Date(body.expires_at);
        if (expiresAt !== null && expiresAt.getTime() <= clock.nowMs())
          throw new GatewayError("invalid_request", "expires_at is in the past.", { param: "expires_at" });
        const token = newConsoleToken();
        const { name, scopes, allowed_addresses: allowedAddresses } = body;
        const accountId =
          body.account === null ? null : await accountOf(database, browser.user, body.account);
        const order = { userId: browser.user.id, name, scopes, accountId, allowedAddresses, expiresAt };
        const row = await database.transaction(async (tx) => {
          await staySignedIn(tx, browser);
          const made = { ...order, hash: hasher.hash(token), hint: keyHint(token) };
          const inserted = await insertToken(tx, made, MAX_TOKENS);
          if (inserted === undefined)
            throw new GatewayError("conflict", `You have ${MAX_TOKENS} tokens; revoke one first.`);
          await audit(tx, { action: "token.create", subject: name, after: tokenRowOf(inserted) });
          return inserted;
        });
        return { ...tokenRowOf(row), token };
      },
    }),
    json({
      method: "DELETE",
      path: "/me/tokens/{token}",
      policy: "user",
      tag,
      summary: "Revoke a console token immediately",
      response: done,
      async run(call) {
        const { id } = call.user();
        await database.transaction(async (tx) => {
          const name = await deleteToken(tx, id, idOf(call.params["token"], UNKNOWN));
          if (name === undefined) throw new GatewayError("not_found", UNKNOWN);
          await call.audit(tx, {
            action: "token.revoke",
            subject: name,
            before: { id: call.params["token"] },
          });
        });
        return { done: true } as const;
      },
    }),
  ];
}

/** The account that a token is to be for, which its user must see. */
async function accountOf(db: Queryable, user: SignedInUser, text: string): Promise<AccountId> {
  const found = await readAccount(db, idOf(text, UNKNOWN_ACCOUNT) as AccountId);
  if (found === undefined || (!user.isOperator && !user.roles.has(found.id)))
    throw new GatewayError("not_found", UNKNOWN_ACCOUNT, { param: "account" });
  return found.id;
}

const UNKNOWN_ACCOUNT = "Account not found.";
const UNKNOWN = "Token not found.";

function tokenRowOf(row: Row): TokenRow {
  return {
    id: String(row.id),
    name: row.name,
    hint: row.hint,
    scopes: [...row.scopes],
    account: row.accountId === null ? null : { id: String(row.accountId), name: row.accountName ?? "" },
    allowed_addresses: row.allowedAddresses === null ? null : [...row.allowedAddresses],
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt?.toISOString() ?? null,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
  };
}
