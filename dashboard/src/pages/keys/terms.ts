import type { KeyChange, KeyRow } from "../../../../src/console/keys/contract.ts";
import { endOfDay } from "../../api/days.ts";
import { readNanos, typedAmount } from "../../format/amount.ts";

/** What the form of a key holds: texts, as people type them. */
export interface KeyDraft {
  readonly name: string;
  readonly models: string;
  readonly amount: string;
  readonly period: Period;
  readonly requests: string;
  readonly tokens: string;
  readonly concurrency: string;
  readonly addresses: string;
  /** `YYYY-MM-DD`. */
  readonly lastDay: string;
  readonly disabled: boolean;
}

export type Period = NonNullable<KeyRow["spending_limit"]>["period"];

export const EMPTY_DRAFT: KeyDraft = {
  name: "",
  models: "",
  amount: "",
  period: "month",
  requests: "",
  tokens: "",
  concurrency: "",
  addresses: "",
  lastDay: "",
  disabled: false,
};

export function draftOf(key: KeyRow): KeyDraft {
  const count = (value: number | null): string => (value === null ? "" : String(value));
  return {
    name: key.name,
    models: key.models?.join("\n") ?? "",
    amount: key.spending_limit === null ? "" : typedAmount(key.spending_limit.amount_nanos),
    period: key.spending_limit?.period ?? "month",
    requests: count(key.rate_limits.requests_per_minute),
    tokens: count(key.rate_limits.tokens_per_minute),
    concurrency: count(key.rate_limits.concurrency),
    addresses: key.allowed_addresses?.join("\n") ?? "",
    lastDay: key.expires_at?.slice(0, 10) ?? "",
    disabled: key.disabled,
  };
}

/**
 * What is sent; undefined where the amount is no amount. `before` keeps what is not touched as it is: the exact moment of
 * an expiry, and models that no text of the field can say, as none at all or one that was removed.
 */
export function termsOf(draft: KeyDraft, before?: KeyRow): KeyChange | undefined {
  const amount = draft.amount.trim() === "" ? null : readNanos(draft.amount);
  if (amount === undefined) return undefined;
  const models = listed(draft.models);
  const addresses = listed(draft.addresses);
  const count = (text: string): number | null => (text.trim() === "" ? null : Number(text));
  const name = draft.name.trim();
  const sameModels = before !== undefined && draft.models === draftOf(before).models;
  const sameDay = before !== undefined && draft.lastDay === (before.expires_at?.slice(0, 10) ?? "");
  return {
    ...(name === "" ? {} : { name }),
    ...(sameModels ? {} : { models: models.length === 0 ? null : models }),
    spending_limit: amount === null ? null : { amount_nanos: amount, period: draft.period },
    rate_limits: {
      requests_per_minute: count(draft.requests),
      tokens_per_minute: count(draft.tokens),
      concurrency: count(draft.concurrency),
    },
    allowed_addresses: addresses.length === 0 ? null : addresses,
    ...(sameDay ? {} : { expires_at: draft.lastDay === "" ? null : endOfDay(draft.lastDay) }),
    disabled: draft.disabled,
  };
}

/** One a line, as people type lists, or between commas. */
function listed(text: string): string[] {
  return text.split(/[\s,]+/).filter((each) => each !== "");
}
