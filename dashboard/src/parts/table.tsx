import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useSearch } from "../api/search.ts";
import type { List } from "../api/use-list.ts";
import { useWords } from "../words/use-words.ts";
import { Failure } from "./failure.tsx";
import { Icon } from "./icon.tsx";
import { Skeleton } from "./skeleton.tsx";
import { partsWords } from "./words.ts";

export interface Column<Row> {
  readonly title: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand at the end, so that their digits do. */
  readonly align?: "end";
  /** Left out on narrow screens. */
  readonly wideOnly?: boolean;
}

interface TableProps<Row> {
  /** The table's subject, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
}

/** A page of a list: `<Table caption={t.title} list={useList(path)} columns={[…]} rowKey={(row) => row.id} empty={<Empty … />} />` */
export function Table<Row>({
  list,
  empty,
  ...rest
}: TableProps<Row> & { readonly list: List<Row>; readonly empty: ReactNode }): ReactNode {
  const { query, cursor } = list;
  if (query.data === undefined) {
    if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
    return <Skeleton lines={8} />;
  }
  return (
    <div className={query.isPlaceholderData ? "opacity-60" : ""}>
      {query.data.data.length === 0 ? empty : <Rows rows={query.data.data} {...rest} />}
      <Paging cursor={cursor} next={query.data.next} />
    </div>
  );
}

/** The number of rows that are drawn at once: thousands would stop the browser for seconds. */
const MAX_DRAWN = 100;

/** Rows that are all there and may be thousands: a page of them, after as many as the URL says. */
export function ManyRows<Row>({
  rows,
  ...rest
}: TableProps<Row> & { readonly rows: readonly Row[] }): ReactNode {
  const [search] = useSearch();
  const given = Number(search["after"] ?? 0);
  // Anybody may have typed it, and rows that were there may be gone.
  const after = Number.isInteger(given) && given > 0 && given < rows.length ? given : 0;
  const end = after + MAX_DRAWN;
  return (
    <div>
      <Rows rows={rows.slice(after, end)} {...rest} />
      <Paging cursor="after" next={end < rows.length ? String(end) : null} />
    </div>
  );
}

/** Rows that are all there and few: the same table without paging. */
export function Rows<Row>({
  caption,
  columns,
  rowKey,
  rows,
}: TableProps<Row> & { readonly rows: readonly Row[] }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section tabIndex={0} aria-label={caption} className="min-w-0 overflow-x-auto lg:overflow-visible">
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th
                key={index}
                scope="col"
                className={`sticky top-0 bg-paper py-2 text-sm font-medium text-mute shadow-[inset_0_-1px_0_var(--line)] ${placeOf(column)}`}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} className="border-b border-line last:border-0 hover:bg-shade">
              {columns.map((column, index) => (
                <td key={index} className={`py-2 align-top ${placeOf(column)}`}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function placeOf({ align, wideOnly }: Column<never>): string {
  return `px-2 first:pl-0 sm:px-3 sm:first:pl-0 sm:last:pr-0 last:pr-0 ${align === "end" ? "text-right" : ""} ${wideOnly ? "max-md:hidden" : ""}`;
}

/** The ways on and back of a list that is no table. */
export function Paging({
  cursor,
  next,
}: {
  readonly cursor: string;
  readonly next: string | null;
}): ReactNode {
  const t = useWords(partsWords);
  const [search] = useSearch();
  const started = search[cursor] !== undefined;
  if (!started && next === null) return null;
  const className =
    "inline-flex h-8 items-center gap-2 rounded-md border border-line px-3 font-medium hover:bg-shade";
  const from = (value: string | undefined) => (before: object) => ({ ...before, [cursor]: value });
  return (
    <nav className="flex justify-end gap-2 pt-4">
      {started && (
        <Link to="." search={from(undefined)} className={className}>
          <Icon name="left" />
          {t.first}
        </Link>
      )}
      {next !== null && (
        <Link to="." search={from(next)} className={className}>
          {t.next}
          <Icon name="right" />
        </Link>
      )}
    </nav>
  );
}
