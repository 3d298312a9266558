import { issueKeyWithin } from "../../accounts/issue-key.ts";
import { revokeExpiredPlaygroundKeys } from "../../accounts/keys-store.ts";
import { assert } from "../../base/assert.ts";
import { randomText } from "../../base/random.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation } from "../operation.ts";
import { playgroundKey } from "./contract.ts";

/** Long enough for a conversation, short enough that a tab left open gives nothing away. */
const LIFE_MS = 15 * 60_000;

/** A key for the playground's page, which calls the public API as any program does. */
export function issuePlaygroundKey({ database, hasher, clock }: ConsoleDeps): Operation {
  return json({
    method: "POST",
    path: "/accounts/{account}/playground-key",
    scope: "keys",
    policy: "member",
    tag: "keys",
    makes: true,
    summary: "A key that expires in 15 minutes, for the playground; lists don't show it",
    response: playgroundKey,
    async run(call) {
      const accountId = call.account().id;
      const expiresAt = new Date(clock.nowMs() + LIFE_MS);
      const issued = await database.transaction(async (tx) => {
        await revokeExpiredPlaygroundKeys(tx, accountId);
        const name = `playground-${randomText(12)}`;
        const order = { accountId, name, expiresAt, createdBy: call.user().id, playground: true };
        const key = await issueKeyWithin(tx, hasher, order);
        assert(key, "nobody else has a name that was just drawn");
        await call.audit(tx, {
          action: "key.playground",
          subject: name,
          accountId,
          after: { expires_at: expiresAt },
        });
        return key;
      });
      const response = { name: issued.name, secret: issued.key, expires_at: expiresAt.toISOString() };
      return response;
    },
  });
}
