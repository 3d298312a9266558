import type { AddressList } from "../base/fetch/address-list.ts";

/** The caller of a valid API key, resolved once and cached; frozen, shared by requests. */
export interface Caller {
  readonly accountId: AccountId;
  readonly accountName: string;
  /** Name of the account's group: decides visible models and the price factor. */
  readonly group: string;
  readonly keyId: KeyId;
  readonly keyName: string;
  /** The ids of models that the key may use; null = every model of the group. */
  readonly models: ReadonlySet<string> | null;
  /** The key's spending limit, or null. */
  readonly spendingLimit: SpendingLimit | null;
  /** The budgets of the account that the key's requests may count against, in the order of their ids. */
  readonly budgets: readonly Budget[];
  /** Keys of tags that the account's requests may have. */
  readonly tagKeys: readonly string[];
  /** The key's own rate limits; null = none. */
  readonly rateLimits: RateLimits | null;
  /** From where the key may be used; null = from anywhere. */
  readonly allowedAddresses: AddressList | null;
}

declare const accountId: unique symbol;
declare const keyId: unique symbol;
export type AccountId = bigint & { readonly [accountId]: true };
export type KeyId = bigint & { readonly [keyId]: true };

export interface SpendingLimit {
  readonly amountNanos: bigint;
  /** Calendar periods in UTC; `total` never starts anew. */
  readonly period: "day" | "week" | "month" | "total";
}

/** A budget of the account, as far as it is a matter of requests. */
export interface Budget {
  readonly id: bigint;
  readonly name: string;
  readonly amountNanos: bigint;
  /** Calendar periods in UTC. */
  readonly period: "day" | "week" | "month";
  /** It refuses requests that don't fit; otherwise it counts only. */
  readonly hard: boolean;
  /** The only model whose requests count; null = every model's. */
  readonly model: string | null;
}

export interface RateLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly concurrency?: number;
}
