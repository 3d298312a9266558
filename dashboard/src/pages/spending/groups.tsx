import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { SpendingGroup, SpendingResponse } from "../../../../src/console/spending/contract.ts";
import { useSearch } from "../../api/search.ts";
import { formatShare } from "../../format/count.ts";
import { Count, Duration, Money } from "../../parts/amounts.tsx";
import { type Column, Rows } from "../../parts/table.tsx";
import { useEndpointName } from "../../words/endpoint-words.ts";
import { useWords } from "../../words/use-words.ts";
import type { Days } from "./range.tsx";
import { spendingWords } from "./words.ts";

/** What spending is broken down by. */
export type By = "model" | "key" | "user" | "endpoint" | "tag";

type Line = Omit<SpendingGroup, "id"> & { readonly id: string | null };

/**
 * What a group is called: people and playgrounds have no name of their own in every language. Of several with one
 * name, such as a key and the one that was made in its place, each is told by its id.
 */
export function useGroupName({ groups }: Pick<SpendingResponse, "groups">, by: By): (group: Named) => string {
  const t = useWords(spendingWords);
  const endpointName = useEndpointName();
  return ({ id, name }) => {
    if (id === null) return t.others;
    if (by === "endpoint") return endpointName(id);
    if (by === "tag" && name === null) return id === "(none)" ? t.untagged : t.otherValues;
    if (id === "playground") return t.playground;
    if (name === null) return t.nobody;
    return groups.filter((each) => each.name === name).length > 1 ? `${name} (#${id})` : name;
  };
}

type Named = Pick<Line, "id" | "name">;

interface GroupsProps {
  readonly answer: SpendingResponse;
  readonly by: By;
  readonly account: string;
  readonly days: Days;
}

/** The lines below the chart, those that cost most first; each number leads to its rows. */
export function Groups({ answer, by, account, days }: GroupsProps): ReactNode {
  const t = useWords(spendingWords);
  const { groups, others } = answer;
  const rest: Line[] = others === null ? [] : [{ ...others, id: null, name: null, latencies: null }];
  return (
    <Rows<Line>
      caption={t.tabs[by]}
      rows={[...groups, ...rest]}
      rowKey={({ id }) => id ?? ""}
      columns={useColumns({ answer, by, account, days })}
    />
  );
}

function useColumns({ answer, by, account, days }: GroupsProps): readonly Column<Line>[] {
  const t = useWords(spendingWords);
  const name = useGroupName(answer, by);
  const [{ tag_key: tagKey = "" }] = useSearch();
  const all = Number(answer.totals.charge_nanos);
  // What has no sums of its own has no filter either.
  const filterOf = ({ id, name }: Line) => {
    if (by !== "tag") return { [by]: id };
    return name === null ? undefined : { tag: `${tagKey}=${name}` };
  };
  const rowsOf = (line: Line, more: object, children: ReactNode): ReactNode => {
    // The log has no filter for the many short-lived keys of the playground.
    const filter = line.id === null || line.id === "playground" ? undefined : filterOf(line);
    if (filter === undefined) return children;
    return (
      <Link
        to={`/accounts/${account}/requests`}
        search={{ ...filter, ...days, ...more }}
        className="text-accent hover:underline"
      >
        {children}
      </Link>
    );
  };
  const columns: Column<Line>[] = [
    { title: t.name[by], cell: (line) => <span className="break-all">{rowsOf(line, {}, name(line))}</span> },
    { title: t.charged, align: "end", cell: (line) => rowsOf(line, {}, <Money nanos={line.charge_nanos} />) },
    {
      title: t.share,
      align: "end",
      wideOnly: true,
      cell: (line) => (all === 0 ? "–" : formatShare(Number(line.charge_nanos) / all)),
    },
    { title: t.requests, align: "end", cell: (line) => <Count value={line.requests} /> },
    {
      title: t.errors,
      align: "end",
      wideOnly: true,
      cell: (line) =>
        line.errors === 0 ? "0" : rowsOf(line, { outcome: "failed" }, <Count value={line.errors} />),
    },
    {
      title: t.tokens,
      align: "end",
      wideOnly: true,
      cell: (line) => (
        <span className="whitespace-nowrap">
          <Count value={line.input_tokens} /> / <Count value={line.output_tokens} />
        </span>
      ),
    },
  ];
  if (by === "model") {
    columns.push({
      title: `${t.firstByte} / ${t.total}`,
      align: "end",
      wideOnly: true,
      cell: ({ latencies }) => (
        <span className="whitespace-nowrap">
          <Duration ms={latencies?.first_byte?.p50_ms ?? null} /> /{" "}
          <Duration ms={latencies?.total?.p50_ms ?? null} />
        </span>
      ),
    });
  }
  return columns;
}
