import type { RateLimits, SpendingLimit } from "../accounts/caller.ts";
import { definedFields } from "../base/defined-fields.ts";
import { addressRanges } from "../base/fetch/address-list.ts";
import { parseUsd } from "../base/money.ts";
import { type CommandInput, type CommandOption, UsageError } from "./command.ts";

/** The options by which a command says what a key may spend, how fast, and until when. */
export const KEY_TERMS: Readonly<Record<string, CommandOption>> = {
  limit: {
    type: "string",
    value: "USD/PERIOD",
    help: "spending limit, such as 50/month (day, week, month, total)",
  },
  expires: {
    type: "string",
    value: "TIME",
    help: "when it stops working, such as 2027-01-31 or 2027-01-31T12:00:00Z",
  },
  "requests-per-minute": { type: "string", value: "N", help: "rate limit of requests" },
  "tokens-per-minute": { type: "string", value: "N", help: "rate limit of tokens" },
  concurrency: { type: "string", value: "N", help: "most requests at once" },
  addresses: {
    type: "string",
    value: "a,b",
    help: "addresses and CIDR ranges from which it may be used, separated by commas (default: any)",
  },
};

/** The console has the same limits. */
const MAX_REQUESTS = 1_000_000;
const MAX_TOKENS = 2_000_000_000;
const MAX_CONCURRENCY = 100_000;

interface GivenTerms {
  readonly spendingLimit: SpendingLimit | null;
  readonly expiresAt: Date | null;
  readonly rateLimits: RateLimits | null;
  readonly allowedAddresses: readonly string[] | null;
}

/** Reads the options; null = no limit of that kind. */
export function readKeyTerms({ text }: Pick<CommandInput, "text">, nowMs: number): GivenTerms {
  const rateLimits = definedFields({
    requestsPerMinute: readCount(text("requests-per-minute"), "requests-per-minute", MAX_REQUESTS),
    tokensPerMinute: readCount(text("tokens-per-minute"), "tokens-per-minute", MAX_TOKENS),
    concurrency: readCount(text("concurrency"), "concurrency", MAX_CONCURRENCY),
  });
  return {
    spendingLimit: readLimit(text("limit")),
    expiresAt: readExpiry(text("expires"), nowMs),
    rateLimits: Object.keys(rateLimits).length === 0 ? null : rateLimits,
    allowedAddresses: readAddresses(text("addresses")),
  };
}

function readLimit(text: string | undefined): SpendingLimit | null {
  if (text === undefined) return null;
  const [, amount = "", period] = /^(\d{1,9}(?:\.\d{1,9})?)\/(day|week|month|total)$/.exec(text) ?? [];
  if (period === undefined)
    throw new UsageError("--limit takes US dollars and a period, such as 50/month or 0.50/day");
  return { amountNanos: parseUsd(amount), period: period as SpendingLimit["period"] };
}

/** A day alone means its end in UTC, as in the dashboard. */
function readExpiry(text: string | undefined, nowMs: number): Date | null {
  if (text === undefined) return null;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const time = isDay || isMoment ? new Date(isDay ? `${text}T23:59:59Z` : text) : undefined;
  if (time === undefined || Number.isNaN(time.getTime()) || (isDay && !time.toISOString().startsWith(text)))
    throw new UsageError("--expires takes a day or a time, such as 2027-01-31 or 2027-01-31T12:00:00Z");
  if (time.getTime() <= nowMs) throw new UsageError(`--expires: ${text} is in the past`);
  return time;
}

function readAddresses(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  const { data, error } = addressRanges.safeParse(text.split(","));
  if (data !== undefined) return data;
  throw new UsageError(`--addresses: ${error?.issues[0]?.message ?? ""}`);
}

function readCount(text: string | undefined, option: string, most: number): number | undefined {
  if (text === undefined) return undefined;
  const count = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= most) return count;
  throw new UsageError(`--${option} takes a number from 1 to ${most}`);
}
