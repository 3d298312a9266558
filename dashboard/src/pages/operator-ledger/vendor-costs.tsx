import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { UpstreamCosts } from "../../../../src/console/ledger/contract.ts";
import { useSearch } from "../../api/search.ts";
import { useRead } from "../../api/use-read.ts";
import { formatCount } from "../../format/count.ts";
import { Money } from "../../parts/amounts.tsx";
import { SelectFilter } from "../../parts/filters.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/page.tsx";
import { Rows } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { operatorLedgerWords } from "./words.ts";

/** What vendors say their responses cost, beside what was charged for the same responses. */
export function VendorCosts(): ReactNode {
  const t = useWords(operatorLedgerWords);
  const [{ days }] = useSearch();
  const query = useRead("/operator/ledger/vendor-costs", { days });
  return (
    <Section
      title={t.costs}
      actions={
        <SelectFilter
          name="days"
          label={t.range}
          all={t.days("7")}
          options={(["1", "31"] as const).map((count) => [count, t.days(count)] as const)}
        />
      }
    >
      <p className="max-w-prose text-mute">{t.costsLead}</p>
      <Loaded query={query}>
        {(costs) =>
          costs.text.length + costs.tasks.length === 0 ? (
            <p>{t.noAnswers}</p>
          ) : (
            <>
              <Costs title={t.text} rows={costs.text} inDollars />
              <Costs title={t.tasks} rows={costs.tasks} inDollars={false} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function Costs({
  title,
  rows,
  inDollars,
}: {
  readonly title: string;
  readonly rows: readonly UpstreamCosts[];
  readonly inDollars: boolean;
}): ReactNode {
  const t = useWords(operatorLedgerWords);
  if (rows.length === 0) return null;
  return (
    <div className="flex flex-col gap-2">
      <h3 className="font-medium">{title}</h3>
      <Rows
        caption={title}
        rows={rows}
        rowKey={({ upstream }) => upstream}
        columns={[
          {
            title: t.upstream,
            cell: ({ upstream }) => (
              <Link className="link break-all" to="/operator/upstreams" search={() => ({ q: upstream })}>
                {upstream}
              </Link>
            ),
          },
          { title: t.charged, align: "end", cell: (row) => <Money nanos={row.charged_nanos} /> },
          {
            title: t.reporting,
            align: "end",
            wideOnly: true,
            cell: ({ reporting, responses }) => t.ofResponses(formatCount(reporting), formatCount(responses)),
          },
          {
            title: t.chargedForThose,
            align: "end",
            wideOnly: true,
            cell: (row) => <Money nanos={row.reporting_charged_nanos} />,
          },
          {
            title: t.reported,
            align: "end",
            cell: (row) => <Reported row={row} inDollars={inDollars} />,
          },
        ]}
      />
    </div>
  );
}

function Reported({
  row: { reported_cost: cost },
  inDollars,
}: {
  readonly row: UpstreamCosts;
  readonly inDollars: boolean;
}): ReactNode {
  const t = useWords(operatorLedgerWords);
  if (cost === null) return <span className="text-mute">{t.none}</span>;
  if (inDollars) return `$${cost}`;
  return (
    <>
      {cost}
      <span className="block text-xs text-mute">{t.ownUnit}</span>
    </>
  );
}
