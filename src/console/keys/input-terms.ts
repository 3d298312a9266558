import type { z } from "zod";
import type { SpendingLimit } from "../../accounts/caller.ts";
import { readRateLimits } from "../../accounts/key-limits.ts";
import type { KeyTerms } from "../../accounts/keys-store.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { GatewayError } from "../../errors.ts";
import type { keyChange } from "./contract.ts";
import type { ShownKey } from "./key-rows-store.ts";

type Given = z.output<typeof keyChange>;

interface Circumstances {
  readonly catalog: Catalog;
  /**
   * The group whose models may be named: another group's are as unknown as those that do not exist. undefined = all
   * models.
   */
  readonly group: string | undefined;
  readonly nowMs: number;
}

/** The rights of a key from now on: the fields of the input, the rest as before. Throws 400 on contradictions. */
export function inputTerms(
  input: Given,
  { catalog, group, nowMs }: Circumstances,
  before?: ShownKey,
): KeyTerms {
  const isKnown = (id: string): boolean => {
    const named = catalog.models.get(id);
    const model = named?.aliasOf === undefined ? named : catalog.models.get(named.aliasOf);
    if (model === undefined) return false;
    return group === undefined || model.groups === null || model.groups.has(group);
  };
  const unknown = input.models?.find((id) => !isKnown(id) && !before?.models?.includes(id));
  if (unknown !== undefined) {
    throw new GatewayError("invalid_request", `models: there is no model "${unknown}".`, { param: "models" });
  }
  return {
    disabled: input.disabled ?? before?.disabled ?? false,
    expiresAt: input.expires_at === undefined ? (before?.expiresAt ?? null) : expiry(input.expires_at, nowMs),
    models: input.models === undefined ? (before?.models ?? null) : input.models,
    spendingLimit:
      input.spending_limit === undefined
        ? (before?.spendingLimit ?? null)
        : spendingLimit(input.spending_limit),
    rateLimits:
      input.rate_limits === undefined ? (before?.rateLimits ?? null) : readRateLimits(input.rate_limits),
    allowedAddresses:
      input.allowed_addresses === undefined ? (before?.allowedAddresses ?? null) : input.allowed_addresses,
  };
}

function expiry(text: string | null, nowMs: number): Date | null {
  if (text === null) return null;
  const at = new Date(text);
  if (at.getTime() <= nowMs) {
    throw new GatewayError("invalid_request", "expires_at: is in the past. To stop a key now, revoke it.", {
      param: "expires_at",
    });
  }
  return at;
}

function spendingLimit(input: NonNullable<Given["spending_limit"]> | null): SpendingLimit | null {
  if (input === null) return null;
  const amountNanos = BigInt(input.amount_nanos);
  if (amountNanos < 0n || amountNanos > MAX_NANOS) {
    throw new GatewayError("invalid_request", "spending_limit: must be from 0 to a billion dollars.", {
      param: "spending_limit",
    });
  }
  return { amountNanos, period: input.period };
}

// Amounts in the database end at nine billion dollars.
const MAX_NANOS = 10n ** 18n;
