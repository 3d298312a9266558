import type { ReactNode } from "react";
import type { Margin, MarginSums, MarginsQuery } from "../../../../src/console/margins/contract.ts";
import { apiUrl } from "../../api/client.ts";
import { useSearch } from "../../api/search.ts";
import { useRead } from "../../api/use-read.ts";
import { Count, Money } from "../../parts/amounts.tsx";
import { DownloadLink } from "../../parts/download-link.tsx";
import { SelectFilter } from "../../parts/filters.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/page.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { Rows } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { operatorLedgerWords } from "./words.ts";

const MARGINS_BY: readonly NonNullable<MarginsQuery["by"]>[] = ["upstream", "model", "account", "month"];

const DAY_MS = 86_400_000;

/** What text requests brought, what their vendors bill for them, and what is left. */
export function MarginsOfText(): ReactNode {
  const t = useWords(operatorLedgerWords);
  const [{ margins_days: days = "30", margins_by }] = useSearch();
  const by = MARGINS_BY.find((each) => each === margins_by) ?? "upstream";
  const from = new Date(Date.now() - (Number(days) - 1) * DAY_MS).toISOString().slice(0, 10);
  const query = useRead("/operator/margins", { by, from });
  return (
    <Section
      title={t.margins}
      actions={
        <>
          <SelectFilter
            name="margins_by"
            label={t.marginsBy}
            all={t.marginsOf.upstream}
            options={MARGINS_BY.slice(1).map((each) => [each, t.marginsOf[each]] as const)}
          />
          <SelectFilter
            name="margins_days"
            label={t.range}
            all={t.days("30")}
            options={(["7", "90", "366"] as const).map((count) => [count, t.days(count)] as const)}
          />
          <DownloadLink href={apiUrl("/operator/margins.csv", { by, from })}>{t.marginsExport}</DownloadLink>
        </>
      }
    >
      <p className="max-w-prose text-mute">{t.marginsLead}</p>
      <Loaded query={query}>
        {({ totals, data }) =>
          data.length === 0 ? (
            <p>{t.noAnswers}</p>
          ) : (
            <>
              <Totals totals={totals} />
              <Margins rows={data} by={t.marginsOf[by]} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function Totals({ totals }: { readonly totals: MarginSums }): ReactNode {
  const t = useWords(operatorLedgerWords);
  return (
    <Stats>
      <Stat label={t.charged}>
        <Money nanos={totals.charge_nanos} />
      </Stat>
      <Stat label={t.cost}>
        <Money nanos={totals.cost_nanos} />
      </Stat>
      <Stat label={t.margin}>
        <Left nanos={totals.margin_nanos} />
      </Stat>
      <Stat label={t.unknownCosts} note={t.unknownCostsNote}>
        <Count value={totals.unknown} />
      </Stat>
    </Stats>
  );
}

function Margins({ rows, by }: { readonly rows: readonly Margin[]; readonly by: string }): ReactNode {
  const t = useWords(operatorLedgerWords);
  return (
    <Rows
      caption={t.margins}
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        { title: by, cell: ({ id, name }) => <span className="break-all">{name ?? (id || t.unknown)}</span> },
        {
          title: t.attempts,
          align: "end",
          wideOnly: true,
          cell: ({ attempts }) => <Count value={attempts} />,
        },
        { title: t.charged, align: "end", cell: (row) => <Money nanos={row.charge_nanos} /> },
        { title: t.cost, align: "end", cell: (row) => <Money nanos={row.cost_nanos} /> },
        { title: t.margin, align: "end", cell: (row) => <Left nanos={row.margin_nanos} /> },
        {
          title: t.reported,
          align: "end",
          wideOnly: true,
          cell: (row) => (row.stated_attempts === 0 ? "–" : <Money nanos={row.stated_nanos} />),
        },
      ]}
    />
  );
}

function Left({ nanos }: { readonly nanos: string }): ReactNode {
  return (
    <span className={nanos.startsWith("-") ? "text-bad" : ""}>
      <Money nanos={nanos} />
    </span>
  );
}
