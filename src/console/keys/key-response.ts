import type { AccountId } from "../../accounts/caller.ts";
import { limitLedgerId } from "../../billing/leases/ledger-ref.ts";
import { readLimitsSpent } from "../../billing/ledger/ledger-store.ts";
import type { Queryable } from "../../storage/database.ts";
import type { SignedInUser } from "../../users/identity.ts";
import { revisionOf } from "../input.ts";
import type { KeyRow } from "./contract.ts";
import type { ShownKey } from "./key-rows-store.ts";

/** For whom and when keys are shown. */
export interface Viewer {
  readonly user: SignedInUser;
  readonly accountId: AccountId;
  readonly nowMs: number;
}

/** The keys as the console answers them, with what has been spent of their limits. */
export async function keyResponses(
  db: Queryable,
  keys: readonly ShownKey[],
  viewer: Viewer,
): Promise<KeyRow[]> {
  const ledgers = keys.flatMap((key) => limitOf(key, viewer.nowMs) ?? []);
  const spent = ledgers.length === 0 ? new Map<string, bigint>() : await readLimitsSpent(db, ledgers);
  return keys.map((key) => ({
    id: String(key.id),
    name: key.name,
    hint: key.hint,
    state: stateOf(key, viewer.nowMs),
    disabled: key.disabled,
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    ...termsOf(key),
    spending_limit: key.spendingLimit && {
      amount_nanos: String(key.spendingLimit.amountNanos),
      period: key.spendingLimit.period,
      spent_nanos: String(spent.get(limitOf(key, viewer.nowMs) ?? "") ?? 0n),
    },
    created_at: key.createdAt.toISOString(),
    created_by: key.createdBy && { id: String(key.createdBy.id), name: key.createdBy.name },
    may_change: key.revokedAt === null && mayChange(key, viewer),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    spent_month_nanos: String(key.spentMonthNanos),
    spent_total_nanos: String(key.spentTotalNanos),
    old_secret_until: key.oldSecretUntil?.toISOString() ?? null,
    revision: keyRevision(key),
  }));
}

/** Members answer for the keys they made, owners (and operators) for all. */
export function mayChange(key: ShownKey, { user, accountId }: Omit<Viewer, "nowMs">): boolean {
  if (user.operatorRole === "operator") return true;
  const role = user.roles.get(accountId);
  return role === "owner" || (role === "member" && key.createdBy?.id === user.id);
}

/** The rights of a key in a readable form, for responses and the audit log. */
function termsOf(key: ShownKey) {
  const { requestsPerMinute, tokensPerMinute, concurrency } = key.rateLimits ?? {};
  return {
    models: key.models === null ? null : [...key.models],
    rate_limits: {
      requests_per_minute: requestsPerMinute ?? null,
      tokens_per_minute: tokensPerMinute ?? null,
      concurrency: concurrency ?? null,
    },
    allowed_addresses: key.allowedAddresses === null ? null : [...key.allowedAddresses],
  };
}

/** The same with all that the audit log keeps of a key. */
export function auditedTerms(key: ShownKey) {
  return {
    name: key.name,
    disabled: key.disabled,
    expires_at: key.expiresAt,
    spending_limit: key.spendingLimit && {
      amount_nanos: key.spendingLimit.amountNanos,
      period: key.spendingLimit.period,
    },
    ...termsOf(key),
  };
}

export function keyRevision(key: ShownKey): string {
  return revisionOf(auditedTerms(key));
}

function stateOf(key: ShownKey, nowMs: number): KeyRow["state"] {
  if (key.revokedAt !== null) return "revoked";
  if (key.disabled) return "disabled";
  return key.expiresAt !== null && key.expiresAt.getTime() <= nowMs ? "expired" : "active";
}

function limitOf({ id, spendingLimit }: ShownKey, nowMs: number): string | undefined {
  return spendingLimit === null ? undefined : limitLedgerId(id, spendingLimit.period, nowMs);
}
