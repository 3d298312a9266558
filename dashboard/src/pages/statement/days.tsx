import type { ReactNode } from "react";
import { useSearch } from "../../api/search.ts";
import { useList } from "../../api/use-list.ts";
import { useRead } from "../../api/use-read.ts";
import { formatMonth } from "../../format/moment.ts";
import { Money } from "../../parts/amounts.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Field, Select } from "../../parts/field.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { Table } from "../../parts/table.tsx";
import { useLanguage } from "../../words/language.ts";
import { useWords } from "../../words/use-words.ts";
import { monthRowKey, useMonthColumns } from "./month-rows.tsx";
import { monthWords } from "./month-words.ts";

/** The month that the URL names; the current one, in UTC, where it names none. */
export function useMonth(): string {
  const [{ month }] = useSearch();
  return month !== undefined && /^\d{4}-(0[1-9]|1[0-2])$/.test(month) ? month : currentMonth();
}

function currentMonth(): string {
  return new Date().toISOString().slice(0, 7);
}

/** Often enough that a charge shows while one looks. */
const EVERY_MS = 15_000;

/** A month of the account: what it began and ended with, and a row per day. */
export function Days({ account, month }: { readonly account: string; readonly month: string }): ReactNode {
  const t = useWords(monthWords);
  const path = `/accounts/${account}/statements/${month}` as const;
  const isRunning = month === currentMonth();
  const list = useList(`${path}/rows` as const, { limit: 200 }, isRunning ? { everyMs: EVERY_MS } : {});
  return (
    <div className="flex flex-col gap-4">
      <MonthChoice account={account} month={month} />
      <MonthSums path={path} isRunning={isRunning} />
      <Table
        caption={t.rows}
        list={list}
        rowKey={monthRowKey}
        columns={useMonthColumns(account)}
        empty={<Empty title={t.none}>{t.noneLead}</Empty>}
      />
    </div>
  );
}

/** As many months as anybody chooses from a list; older ones have an address. */
const MONTHS_OFFERED = 120;

function MonthChoice({ account, month }: { readonly account: string; readonly month: string }): ReactNode {
  const t = useWords(monthWords);
  const language = useLanguage();
  const [, change] = useSearch();
  const query = useRead(`/accounts/${account}/statements`, { limit: MONTHS_OFFERED });
  const known = query.data?.data.map((each) => each.month) ?? [];
  const months = known.includes(month) ? known : [...known, month].sort().reverse();
  return (
    <div className="max-w-56">
      <Field label={t.month}>
        <Select
          value={month}
          onChange={(event) =>
            change({
              month: event.target.value === currentMonth() ? undefined : event.target.value,
              after: undefined,
            })
          }
        >
          {months.map((each) => (
            <option key={each} value={each}>
              {formatMonth(each, language)}
            </option>
          ))}
        </Select>
      </Field>
    </div>
  );
}

function MonthSums({
  path,
  isRunning,
}: {
  readonly path: `/accounts/${string}/statements/${string}`;
  readonly isRunning: boolean;
}): ReactNode {
  const t = useWords(monthWords);
  const query = useRead(path, {}, isRunning ? { everyMs: EVERY_MS } : {});
  return (
    <Loaded query={query}>
      {(sums) => (
        <Stats>
          <Stat label={t.opening}>
            <Money nanos={sums.opening_nanos} />
          </Stat>
          <Stat label={t.credited}>
            <Money nanos={sums.credited_nanos} signed />
          </Stat>
          {sums.debited_nanos !== "0" && (
            <Stat label={t.debited}>
              <Money nanos={negative(sums.debited_nanos)} />
            </Stat>
          )}
          <Stat label={t.text}>
            <Money nanos={negative(sums.text_nanos)} />
          </Stat>
          <Stat label={t.tasks}>
            <Money nanos={negative(sums.tasks_nanos)} />
          </Stat>
          <Stat label={t.closing} note={sums.complete ? undefined : t.soFar}>
            <Money nanos={sums.closing_nanos} />
          </Stat>
        </Stats>
      )}
    </Loaded>
  );
}

/** What was taken, as it changed the balance. */
export function negative(nanos: string): string {
  return nanos === "0" ? nanos : `-${nanos}`;
}
