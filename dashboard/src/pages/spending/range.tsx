import type { ReactNode } from "react";
import { isDay } from "../../api/days.ts";
import type { Search } from "../../api/search.ts";
import { SearchFilter } from "../../parts/filters.tsx";
import { RangeLinks } from "../../parts/range-links.tsx";
import { useWords } from "../../words/use-words.ts";
import { spendingWords } from "./words.ts";

/** First and last day, `YYYY-MM-DD`, UTC. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;
const LENGTHS = ["7", "30", "90", "365"] as const;

/** The days the URL names; thirty up to today where it names none. */
export function daysOf(search: Search): Days {
  const to = isDay(search["to"]) ? search["to"] : dayOf(Date.now());
  const from = isDay(search["from"]) ? search["from"] : dayOf(Date.parse(to) - 29 * DAY_MS);
  return { from, to };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Every day of the range as its first moment, so that days without requests stand in a chart too. */
export function momentsOf({ from, to }: Days): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, day) =>
    new Date(Date.parse(from) + day * DAY_MS).toISOString(),
  );
}

/** The usual ranges as links, and two fields for any other. */
export function RangePicker({ days }: { readonly days: Days }): ReactNode {
  const t = useWords(spendingWords);
  const today = dayOf(Date.now());
  const isCurrent = (length: string): boolean =>
    days.to === today && days.from === dayOf(Date.parse(today) - (Number(length) - 1) * DAY_MS);
  return (
    <div className="flex flex-wrap items-end gap-2">
      <RangeLinks
        label={t.range}
        links={LENGTHS.map((length) => ({
          title: t.ranges[length],
          search: { from: dayOf(Date.parse(today) - (Number(length) - 1) * DAY_MS), to: undefined },
          current: isCurrent(length),
        }))}
      />
      <SearchFilter name="from" label={t.from} type="date" />
      <SearchFilter name="to" label={t.to} type="date" />
    </div>
  );
}
