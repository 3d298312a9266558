import { formatUsd } from "../../base/money.ts";
import { generateRedemptionCode, redemptionCodeHint } from "../../billing/ledger/redemption-code.ts";
import {
  findBatch,
  insertBatch,
  listBatches,
  listCodes,
  revokeCodes,
  type Batch as StoredBatch,
  type Code as StoredCode,
} from "../../billing/ledger/redemption-store.ts";
import { GatewayError } from "../../errors.ts";
import { pageQuery } from "../contract-parts.ts";
import type { ConsoleDeps } from "../deps.ts";
import { idOf, inputGain, inputMark, notFound } from "../input.ts";
import { type Call, json, type Operation } from "../operation.ts";
import { type Batch, batchBody, batches, type Code, codes, newBatch, revoked } from "./contract.ts";
import { redeem, redemptionHash } from "./redeem.ts";

/** Redemption codes: operators make and withdraw them, members of an account redeem them. */
export function codesOperations(deps: ConsoleDeps): readonly Operation[] {
  return [redeem(deps), list(deps), create(deps), show(deps), revokeBatch(deps), revokeOne(deps)];
}

const described = { policy: "operator", tag: "redemption codes" } as const;

function list({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path: "/operator/code-batches",
    summary: "Batches of redemption codes, newest first",
    query: pageQuery,
    response: batches,
    async run({ query: { after, limit } }) {
      const rows = await listBatches(database, { before: inputMark(after), limit: limit + 1 });
      const shown = rows.slice(0, limit);
      return { data: shown.map(batchResponse), next: nextOf(rows, limit) };
    },
  });
}

function create({ database, hasher, clock }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path: "/operator/code-batches",
    scope: "billing",
    makes: true,
    summary: "Create redemption codes; only this response shows them",
    body: batchBody,
    response: newBatch,
    async run(call) {
      const { count, note, expires_at } = call.body;
      const amountNanos = inputGain(call.body);
      const expiresAt = expires_at === undefined ? null : new Date(expires_at);
      if (expiresAt !== null && expiresAt.getTime() <= clock.nowMs()) {
        throw new GatewayError("invalid_request", "expires_at is in the past.", { param: "expires_at" });
      }
      const plain = [...new Set(Array.from({ length: count }, generateRedemptionCode))];
      const made = await database.transaction(async (tx) => {
        const id = await insertBatch(
          tx,
          { amountNanos, note, expiresAt, createdBy: call.user().email },
          plain.map((code) => ({ hash: redemptionHash(hasher, code), hint: redemptionCodeHint(code) })),
        );
        const after = { codes: count, each: `${formatUsd(amountNanos)} USD`, note, expires_at: expiresAt };
        await call.audit(tx, { action: "codes.create", subject: `batch ${id}`, after });
        return findBatch(tx, id);
      });
      if (made === undefined) throw notFound("batch of codes");
      return { ...batchResponse(made), plain_codes: plain };
    },
  });
}

function show({ database, clock }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path: "/operator/code-batches/{batch}/codes",
    summary: "State of the codes in a batch, without the codes",
    query: pageQuery,
    response: codes,
    async run({ params, query: { after, limit } }) {
      const batch = await findBatch(database, idOf(params["batch"], "Batch not found."));
      if (batch === undefined) throw notFound("batch of codes");
      const rows = await listCodes(database, batch.id, { after: inputMark(after), limit: limit + 1 });
      const isOver = batch.expiresAt !== null && batch.expiresAt.getTime() <= clock.nowMs();
      const shown = rows.slice(0, limit);
      return { data: shown.map((code) => codeResponse(code, isOver)), next: nextOf(rows, limit) };
    },
  });
}

function revokeBatch(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path: "/operator/code-batches/{batch}/revoke",
    scope: "billing",
    summary: "Revoke the unredeemed codes of a batch",
    response: revoked,
    run: (call) => revoke(deps, call),
  });
}

function revokeOne(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path: "/operator/code-batches/{batch}/codes/{code}/revoke",
    scope: "billing",
    summary: "Revoke an unredeemed code",
    response: revoked,
    run: (call) => revoke(deps, call, idOf(call.params["code"], "Code not found.")),
  });
}

async function revoke(
  { database }: ConsoleDeps,
  { params, audit }: Pick<Call<unknown, unknown>, "params" | "audit">,
  codeId?: bigint,
): Promise<{ revoked: number }> {
  const batchId = idOf(params["batch"], "Batch not found.");
  return database.transaction(async (tx) => {
    if ((await findBatch(tx, batchId)) === undefined) throw notFound("batch of codes");
    const count = await revokeCodes(tx, batchId, codeId);
    if (count === 0) {
      throw new GatewayError("conflict", "Already redeemed or withdrawn.");
    }
    const subject = codeId === undefined ? `batch ${batchId}` : `code ${codeId} of batch ${batchId}`;
    await audit(tx, { action: "codes.revoke", subject, after: { withdrawn: count } });
    return { revoked: count };
  });
}

function batchResponse(batch: StoredBatch): Batch {
  return {
    id: String(batch.id),
    amount_nanos: String(batch.amountNanos),
    note: batch.note,
    expires_at: batch.expiresAt?.toISOString() ?? null,
    created_by: batch.createdBy,
    created_at: batch.createdAt.toISOString(),
    codes: batch.codes,
    redeemed: batch.redeemed,
    revoked: batch.revoked,
  };
}

function codeResponse({ id, hint, account, ...code }: StoredCode, isOver: boolean): Code {
  const unused = isOver ? "expired" : "unused";
  return {
    id: String(id),
    hint,
    state: code.redeemedAt !== null ? "redeemed" : code.revokedAt !== null ? "revoked" : unused,
    redeemed_at: code.redeemedAt?.toISOString() ?? null,
    redeemed_by: code.redeemedBy,
    account,
    revoked_at: code.revokedAt?.toISOString() ?? null,
  };
}

function nextOf(rows: readonly { readonly id: bigint }[], limit: number): string | null {
  const last = rows[limit - 1];
  return rows.length > limit && last !== undefined ? String(last.id) : null;
}
