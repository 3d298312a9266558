import type { ReactNode } from "react";
import { useSearch } from "../../api/search.ts";
import { useRead } from "../../api/use-read.ts";
import { Count, Time } from "../../parts/amounts.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { ManyRows } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { spanOf } from "./span.ts";
import { operatorErrorsWords } from "./words.ts";

/** Requests with keys that do not exist: somebody's mistake, or somebody who tries. */
export function UnknownKeys(): ReactNode {
  const t = useWords(operatorErrorsWords);
  const [search] = useSearch();
  const query = useRead("/operator/unknown-keys", spanOf(search));
  return (
    <>
      <p className="max-w-prose text-mute">{t.unknownLead}</p>
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.noUnknown}>{t.noUnknownHow}</Empty>
          ) : (
            <ManyRows
              caption={t.unknownKeys}
              rows={data}
              rowKey={({ address, prefix }) => JSON.stringify([address, prefix])}
              columns={[
                {
                  title: t.address,
                  cell: ({ address }) =>
                    address === "other" ? (
                      t.other
                    ) : (
                      <code className="font-mono text-sm wrap-anywhere">{address}</code>
                    ),
                },
                {
                  title: t.prefix,
                  cell: ({ prefix }) =>
                    prefix === "" ? (
                      <span className="text-mute">{t.noKey}</span>
                    ) : (
                      <code className="font-mono text-sm wrap-anywhere">{prefix}</code>
                    ),
                },
                { title: t.requests, align: "end", cell: ({ requests }) => <Count value={requests} /> },
                { title: t.first, wideOnly: true, cell: ({ first_at }) => <Time at={first_at} /> },
                { title: t.last, wideOnly: true, cell: ({ last_at }) => <Time at={last_at} /> },
              ]}
            />
          )
        }
      </Loaded>
    </>
  );
}
