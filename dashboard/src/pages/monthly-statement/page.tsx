import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { apiUrl, read } from "../../api/client.ts";
import type { ResponseOf } from "../../api/operations.ts";
import { useAccount } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { formatMonth } from "../../format/moment.ts";
import { Money } from "../../parts/amounts.tsx";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { DownloadLink } from "../../parts/download-link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { Facts } from "../../parts/stat.tsx";
import { Rows } from "../../parts/table.tsx";
import { useLanguage } from "../../words/language.ts";
import { useWords } from "../../words/use-words.ts";
import { useDetailRows } from "../statement/billing-details.tsx";
import { negative } from "../statement/days.tsx";
import { monthRowKey, type StatementRow, useMonthColumns } from "../statement/month-rows.tsx";
import { monthWords } from "../statement/month-words.ts";
import { statementWords } from "../statement/words.ts";

type MonthStatement = ResponseOf<`/accounts/${string}/statements/${string}`, "get">;

/** A month's statement as one document, for paper or a PDF. */
export function MonthlyStatementPage(): ReactNode {
  const t = useWords(monthWords);
  const s = useWords(statementWords);
  const language = useLanguage();
  const { id: account } = useAccount();
  const { month = "" } = useParams({ strict: false }) as { month?: string };
  const path = `/accounts/${account}/statements/${encodeURIComponent(month)}` as const;
  const query = useRead(path);
  const rows = useAllRows(path);
  const isMonth = /^\d{4}-(0[1-9]|1[0-2])$/.test(month);
  return (
    <Page
      title={t.title(isMonth ? formatMonth(month, language) : month)}
      actions={
        <span className="flex flex-wrap gap-2 print:hidden">
          <ButtonLink icon="left" to={`/accounts/${account}/statement`}>
            {t.back}
          </ButtonLink>
          <DownloadLink href={apiUrl(`${path}/rows.csv` as const)}>{s.export}</DownloadLink>
          <Button look="primary" disabled={rows.data === undefined} onClick={() => window.print()}>
            {t.print}
          </Button>
        </span>
      }
    >
      <Loaded query={query}>
        {(statement) => (
          <Loaded query={rows}>
            {(all) => <Document statement={statement} account={account} {...all} />}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

interface AllRows {
  readonly rows: readonly StatementRow[];
  /** There are more than a document has a use for. */
  readonly isCut: boolean;
}

/** Some hundred sheets of paper. */
const MAX_ROWS = 5_000;
const PAGE = 500;

/** Every row of the month, page after page. */
function useAllRows(path: `/accounts/${string}/statements/${string}`) {
  return useQuery({
    queryKey: ["read", path, "all rows"],
    queryFn: async ({ signal }): Promise<AllRows> => {
      const rows: StatementRow[] = [];
      let after: string | undefined;
      do {
        const page = await read(`${path}/rows` as const, { limit: PAGE, after }, signal);
        rows.push(...page.data);
        after = page.next ?? undefined;
      } while (after !== undefined && rows.length < MAX_ROWS);
      return { rows, isCut: after !== undefined };
    },
  });
}

function Document({
  statement,
  account,
  rows,
  isCut,
}: AllRows & { readonly statement: MonthStatement; readonly account: string }): ReactNode {
  const t = useWords(monthWords);
  const columns = useMonthColumns(account, true);
  return (
    <>
      <Head statement={statement} />
      {!statement.complete && <p className="text-mute">{t.notOver}</p>}
      <Sums statement={statement} />
      {rows.length === 0 ? (
        <p className="text-mute">{t.none}</p>
      ) : (
        <Rows caption={t.rows} columns={columns} rowKey={monthRowKey} rows={rows} />
      )}
      {isCut && <p className="text-bad">{t.tooMany}</p>}
      <p className="text-sm text-mute">{t.utc}</p>
    </>
  );
}

function Head({ statement }: { readonly statement: MonthStatement }): ReactNode {
  const t = useWords(monthWords);
  const { account, month, currency } = statement;
  const details = useDetailRows(account);
  return (
    <Facts
      rows={[
        ...details,
        [t.account, `${account.name} (${account.id})`],
        [t.period, `${month}-01 – ${lastDay(month)} (UTC)`],
        [t.currency, currency],
      ]}
    />
  );
}

/** From the opening balance to the closing one. */
function Sums({ statement }: { readonly statement: MonthStatement }): ReactNode {
  const t = useWords(monthWords);
  const lines = [
    [t.opening, statement.opening_nanos],
    [t.credited, statement.credited_nanos],
    [t.debited, negative(statement.debited_nanos)],
    [t.text, negative(statement.text_nanos)],
    [t.tasks, negative(statement.tasks_nanos)],
  ] as const;
  return (
    <dl className="grid max-w-md grid-cols-[1fr_max-content] gap-x-8 gap-y-1 break-inside-avoid">
      {lines.map(([name, nanos]) => (
        <div key={name} className="contents">
          <dt className="text-mute">{name}</dt>
          <dd className="text-right">
            <Money nanos={nanos} />
          </dd>
        </div>
      ))}
      <div className="contents font-semibold">
        <dt className="border-t border-line pt-1">
          {t.closing}
          {!statement.complete && <span className="font-normal text-mute"> ({t.soFar})</span>}
        </dt>
        <dd className="border-t border-line pt-1 text-right">
          <Money nanos={statement.closing_nanos} />
        </dd>
      </div>
    </dl>
  );
}

function lastDay(month: string): string {
  const [year, number] = month.split("-").map(Number);
  return new Date(Date.UTC(year ?? 0, number ?? 0, 0)).toISOString().slice(0, 10);
}
