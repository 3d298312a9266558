import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RequestRow } from "../../../../src/console/requests/contract.ts";
import { useRead } from "../../api/use-read.ts";
import { Duration, Money, Time } from "../../parts/amounts.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Rows } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { Outcome } from "../requests/outcome.tsx";
import { homeWords } from "./words.ts";

/** Often enough that a first request is seen to arrive, seldom enough to cost nothing. */
const LOOK_EVERY_MS = 3_000;

/** The newest few, each with its way to the receipt. */
export function LastRequests({ account }: { readonly account: string }): ReactNode {
  const t = useWords(homeWords);
  const query = useRead(`/accounts/${account}/requests`, { limit: 5 }, { everyMs: LOOK_EVERY_MS });
  return (
    <Loaded query={query} skeleton={<Skeleton lines={5} />}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title={t.noRequests}>{t.noRequestsWhy}</Empty>
        ) : (
          <Rows
            caption={t.last}
            rows={data}
            rowKey={({ request_id }) => request_id}
            columns={[
              { title: t.when, cell: (row) => <RequestLink account={account} row={row} /> },
              { title: t.model, cell: ({ model }) => model, wideOnly: true },
              { title: t.status, cell: (row) => <Outcome row={row} /> },
              {
                title: t.firstByte,
                cell: ({ first_byte_ms }) => <Duration ms={first_byte_ms} />,
                align: "end",
                wideOnly: true,
              },
              { title: t.cost, cell: ({ charge_nanos }) => <Money nanos={charge_nanos} />, align: "end" },
            ]}
          />
        )
      }
    </Loaded>
  );
}

function RequestLink({ account, row }: { readonly account: string; readonly row: RequestRow }): ReactNode {
  return (
    <>
      <Link to={`/accounts/${account}/requests/${row.request_id}`} className="link">
        <Time at={row.recorded_at} />
      </Link>
      <p className="break-words text-mute md:hidden">{row.model}</p>
    </>
  );
}
