import type { AccountId, KeyId } from "../../accounts/caller.ts";
import { issueKeyWithin } from "../../accounts/issue-key.ts";
import { generateKey } from "../../accounts/key-form.ts";
import { renameKey, revokeKey, rotateKey, setKeyTerms } from "../../accounts/keys-store.ts";
import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import { constraintOf } from "../../storage/failures.ts";
import type { ConsoleDeps } from "../deps.ts";
import { inputMark } from "../input.ts";
import { type Call, json, type Operation } from "../operation.ts";
import {
  issuedKey,
  type KeyRow,
  keyChange,
  keyDetail,
  keyRotation,
  keyRow,
  keysPage,
  keysQuery,
  newKey,
} from "./contract.ts";
import { inputTerms } from "./input-terms.ts";
import { auditedTerms, keyResponses, keyRevision, mayChange } from "./key-response.ts";
import { countLastHour, findShownKey, lockKey, readShownKeys, type ShownKey } from "./key-rows-store.ts";
import { issuePlaygroundKey } from "./playground-key.ts";

/** API keys of an account: viewers see them, members make and keep their own, owners all. */
export function keysOperations(deps: ConsoleDeps): readonly Operation[] {
  return [
    list(deps),
    create(deps),
    show(deps),
    change(deps),
    rotate(deps),
    revoke(deps),
    issuePlaygroundKey(deps),
  ];
}

const tag = "keys";
const KEYS = "/accounts/{account}/keys";
const KEY = "/accounts/{account}/keys/{key}";

function list({ database, clock }: ConsoleDeps): Operation {
  return json({
    method: "GET",
    path: KEYS,
    policy: "viewer",
    tag,
    summary: "The account's API keys, newest first, with permissions and spending",
    query: keysQuery,
    response: keysPage,
    async run(call) {
      const { limit, after, state, search = "" } = call.query;
      const accountId = call.account().id;
      const keys = await readShownKeys(database, {
        accountId,
        search,
        revoked: state === "revoked",
        afterId: inputMark(after) as KeyId | null,
        most: limit + 1,
      });
      const shown = keys.slice(0, limit);
      const last = shown.at(-1);
      return {
        data: await keyResponses(database, shown, viewerOf(call, clock.nowMs())),
        next: keys.length > limit && last !== undefined ? String(last.id) : null,
      };
    },
  });
}

function show({ database, clock }: ConsoleDeps): Operation {
  return json({
    method: "GET",
    path: KEY,
    policy: "viewer",
    tag,
    summary: "One key, with its requests of the last hour",
    response: keyDetail,
    conditional: true,
    async run(call) {
      const key = await findKey(database, call);
      const accountId = call.account().id;
      const row = await responseOf(database, key, call, clock.nowMs());
      return { ...row, requests_last_hour: await countLastHour(database, accountId, key.id) };
    },
  });
}

function create({ database, hasher, catalog, clock }: ConsoleDeps): Operation {
  return json({
    method: "POST",
    path: KEYS,
    scope: "keys",
    policy: "member",
    tag,
    makes: true,
    summary: "Create a key; only this response contains its secret",
    body: newKey,
    response: issuedKey,
    async run(call) {
      const accountId = call.account().id;
      const terms = inputTerms(call.body, circumstancesOf(call, catalog, clock.nowMs()));
      const response = await database.transaction(async (tx) => {
        const order = { accountId, name: call.body.name, createdBy: call.user().id, ...terms };
        const issued = await issueKeyWithin(tx, hasher, order);
        if (issued === undefined) throw nameTaken();
        const key = await foundKey(tx, accountId, issued.id);
        await call.audit(tx, {
          action: "key.create",
          subject: issued.name,
          accountId,
          after: auditedTerms(key),
        });
        return { key: await responseOf(tx, key, call, clock.nowMs()), secret: issued.key };
      });
      return response;
    },
  });
}

function change(deps: ConsoleDeps): Operation {
  const { catalog, clock } = deps;
  return json({
    method: "PATCH",
    path: KEY,
    scope: "keys",
    policy: "member",
    tag,
    summary: "Change a key's permissions, name or state",
    body: keyChange,
    response: keyRow,
    conditional: true,
    async run(call) {
      const accountId = call.account().id;
      return changing(deps, call, async (tx) => {
        const before = await takeKey(tx, call);
        call.expectRevision(keyRevision(before));
        const nowMs = clock.nowMs();
        await setKeyTerms(
          tx,
          before.id,
          inputTerms(call.body, circumstancesOf(call, catalog, nowMs), before),
        );
        if (call.body.name !== undefined) await rename(tx, before.id, call.body.name);
        const after = await foundKey(tx, accountId, before.id);
        await call.audit(tx, {
          action: "key.update",
          subject: after.name,
          accountId,
          before: auditedTerms(before),
          after: auditedTerms(after),
        });
        return responseOf(tx, after, call, nowMs);
      });
    },
  });
}

async function rename(tx: Queryable, id: KeyId, name: string): Promise<void> {
  try {
    await renameKey(tx, id, name);
  } catch (error) {
    throw constraintOf(error) === "api_keys_name_unique" ? nameTaken() : error;
  }
}

function rotate(deps: ConsoleDeps): Operation {
  const { hasher, clock } = deps;
  return json({
    method: "POST",
    path: `${KEY}/rotation`,
    scope: "keys",
    policy: "member",
    tag,
    summary: "Rotate a key's secret; the old one can keep working for a while",
    body: keyRotation,
    response: issuedKey,
    async run(call) {
      const accountId = call.account().id;
      const secret = generateKey();
      return changing(deps, call, async (tx) => {
        const { id, name } = await takeKey(tx, call);
        const nowMs = clock.nowMs();
        const oldUntil = new Date(nowMs + call.body.grace_minutes * 60_000);
        await rotateKey(tx, hasher, { id, oldUntil, credential: secret });
        await call.audit(tx, {
          action: "key.rotate",
          subject: name,
          accountId,
          after: { old_secret_until: oldUntil },
        });
        return { key: await responseOf(tx, await foundKey(tx, accountId, id), call, nowMs), secret };
      });
    },
  });
}

function revoke(deps: ConsoleDeps): Operation {
  const { clock } = deps;
  return json({
    method: "DELETE",
    path: KEY,
    scope: "keys",
    policy: "member",
    tag,
    summary: "Revoke a key permanently; its requests fail immediately",
    response: keyRow,
    conditional: true,
    async run(call) {
      const accountId = call.account().id;
      return changing(deps, call, async (tx) => {
        const before = await takeKey(tx, call);
        call.expectRevision(keyRevision(before));
        await revokeKey(tx, before.id);
        await call.audit(tx, { action: "key.revoke", subject: before.name, accountId });
        return responseOf(tx, await foundKey(tx, accountId, before.id), call, clock.nowMs());
      });
    },
  });
}

type AnyCall = Call<unknown, unknown>;

/** Runs a change of the path's key. Once it is over, whatever came of it, this process believes nothing of before. */
async function changing<Response>(
  { database, authenticator }: ConsoleDeps,
  call: AnyCall,
  work: (tx: Queryable) => Promise<Response>,
): Promise<Response> {
  try {
    return await database.transaction(work);
  } finally {
    const keyId = idOf(call.params["key"] ?? "");
    if (keyId !== undefined) authenticator.forget({ keyId });
  }
}

/** The key of the path, if it is this account's: another's is as unknown as one that never was. */
async function findKey(db: Queryable, call: AnyCall): Promise<ShownKey> {
  const id = idOf(call.params["key"] ?? "");
  const key = id && (await findShownKey(db, call.account().id, id));
  if (!key) throw new GatewayError("not_found", "Key not found.");
  return key;
}

/** The same, locked, for somebody who may change it. */
async function takeKey(tx: Queryable, call: AnyCall): Promise<ShownKey> {
  const found = await findKey(tx, call);
  await lockKey(tx, found.id);
  const key = await foundKey(tx, call.account().id, found.id);
  if (!mayChange(key, { user: call.user(), accountId: call.account().id }))
    throw new GatewayError("forbidden", "Only the key's creator and owners of the account may change it.");
  if (key.revokedAt !== null)
    throw new GatewayError("conflict", "This key is revoked permanently. Create another one.");
  return key;
}

async function foundKey(db: Queryable, accountId: AccountId, id: KeyId): Promise<ShownKey> {
  const key = await findShownKey(db, accountId, id);
  if (key === undefined) throw new GatewayError("not_found", "Key not found.");
  return key;
}

async function responseOf(db: Queryable, key: ShownKey, call: AnyCall, nowMs: number): Promise<KeyRow> {
  const [response] = await keyResponses(db, [key], viewerOf(call, nowMs));
  if (response === undefined) throw new GatewayError("not_found", "Key not found.");
  return response;
}

function viewerOf(call: AnyCall, nowMs: number) {
  return { user: call.user(), accountId: call.account().id, nowMs };
}

function circumstancesOf(call: AnyCall, catalog: ConsoleDeps["catalog"], nowMs: number) {
  const group = call.user().operatorRole === "operator" ? undefined : call.account().group;
  return { catalog: catalog.current(), group, nowMs };
}

function idOf(text: string): KeyId | undefined {
  return /^[1-9]\d{0,17}$/.test(text) ? (BigInt(text) as KeyId) : undefined;
}

function nameTaken(): GatewayError {
  return new GatewayError("conflict", "The account already has a key with this name.", {
    param: "name",
  });
}
