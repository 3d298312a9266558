import { isDay } from "../../api/days.ts";
import type { Search } from "../../api/search.ts";

/** What the spending of all accounts is broken down by. */
export const SPENDING_BY = [
  "account",
  "group",
  "user",
  "key",
  "model",
  "upstream",
  "tag",
  "month",
  "day",
] as const;
export type By = (typeof SPENDING_BY)[number];

export const PERIODS = ["this_month", "last_month", "this_quarter", "last_quarter"] as const;
export type Period = (typeof PERIODS)[number];

/** The filters that go with each; the console sums no others together. */
const OF_KEYS = ["account", "group"] as const;
const OF_MODELS = [...OF_KEYS, "model", "upstream"] as const;
const OF_TAGS = [...OF_KEYS, "model"] as const;
const OF_ACCOUNTS = [...OF_MODELS, "tag"] as const;
export type Filter = (typeof OF_ACCOUNTS)[number];

export function filtersOf(by: By): readonly Filter[] {
  if (by === "key" || by === "user") return OF_KEYS;
  if (by === "tag") return OF_TAGS;
  return by === "upstream" ? OF_MODELS : OF_ACCOUNTS;
}

/** The period that the URL names, this month where it names none; undefined = days of its own. */
export function periodOf(search: Search): Period | undefined {
  if (isDay(search["from"])) return undefined;
  return PERIODS.find((period) => period === search["period"]) ?? "this_month";
}

/** What the URL asks for, as the console's API takes it. */
export function spendingQueryOf(search: Search, by: By) {
  const period = periodOf(search);
  const to = isDay(search["to"]) ? search["to"] : undefined;
  const days = period === undefined ? { from: search["from"], to } : { period };
  const key = by === "tag" ? { tag_key: search["tag_key"] || undefined } : {};
  return {
    ...days,
    by,
    ...key,
    ...Object.fromEntries(filtersOf(by).map((name) => [name, search[name] || undefined])),
  };
}
