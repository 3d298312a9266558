import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { TrafficRow } from "../../../../src/console/traffic/contract.ts";
import { formatShare } from "../../format/count.ts";
import { Count, Duration, Money } from "../../parts/amounts.tsx";
import { Section } from "../../parts/page.tsx";
import { Rows } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { trafficWords } from "./words.ts";

interface TrafficRowsProps {
  readonly by: "upstream" | "model";
  readonly rows: readonly TrafficRow[];
  readonly note: string;
}

/** The same numbers for each upstream or model; a name leads to its page. */
export function TrafficRows({ by, rows, note }: TrafficRowsProps): ReactNode {
  const t = useWords(trafficWords);
  const title = by === "upstream" ? t.byUpstream : t.byModel;
  return (
    <Section title={title} actions={<span className="text-sm text-mute">{note}</span>}>
      {rows.length === 0 ? (
        <p className="text-mute">{t.noRows}</p>
      ) : (
        <Rows
          caption={title}
          rows={rows}
          rowKey={({ name }) => name}
          columns={[
            {
              title: by === "upstream" ? t.upstream : t.model,
              cell: ({ name }) => <Named by={by} name={name} />,
            },
            { title: t.requests, align: "end", cell: ({ requests }) => <Count value={requests} /> },
            { title: t.share, align: "end", cell: (row) => <ErrorShare row={row} /> },
            { title: t.firstByte, align: "end", cell: (row) => <Duration ms={row.first_byte_p50_ms} /> },
            {
              title: t.p95,
              align: "end",
              cell: (row) => <Duration ms={row.first_byte_p95_ms} />,
              wideOnly: true,
            },
            {
              title: t.p99,
              align: "end",
              cell: (row) => <Duration ms={row.first_byte_p99_ms} />,
              wideOnly: true,
            },
            {
              title: t.input,
              align: "end",
              cell: (row) => <Count value={row.input_tokens} />,
              wideOnly: true,
            },
            {
              title: t.output,
              align: "end",
              cell: (row) => <Count value={row.output_tokens} />,
              wideOnly: true,
            },
            {
              title: t.charged,
              align: "end",
              cell: (row) => <Money nanos={row.charge_nanos} />,
              wideOnly: true,
            },
          ]}
        />
      )}
    </Section>
  );
}

function Named({ by, name }: { readonly by: "upstream" | "model"; readonly name: string }): ReactNode {
  const t = useWords(trafficWords);
  if (name === "") return <span className="text-mute">{t.nobody}</span>;
  const place =
    by === "upstream"
      ? { to: "/operator/upstreams", search: { q: name } }
      : { to: "/operator/catalog", search: { q: name } };
  return (
    <Link {...place} className="text-accent break-all hover:underline">
      {name}
    </Link>
  );
}

function ErrorShare({ row: { requests, errors } }: { readonly row: TrafficRow }): ReactNode {
  const share = requests === 0 ? 0 : errors / requests;
  return <span className={errors > 0 ? "text-bad" : "text-mute"}>{formatShare(share)}</span>;
}
