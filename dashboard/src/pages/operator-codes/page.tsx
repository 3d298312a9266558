import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Batch } from "../../../../src/console/codes/contract.ts";
import { useSearch } from "../../api/search.ts";
import { useList } from "../../api/use-list.ts";
import { formatCount } from "../../format/count.ts";
import { Money, Time } from "../../parts/amounts.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { Table } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { BatchDialog } from "./batch-dialog.tsx";
import { MakeCodes } from "./make-codes.tsx";
import { operatorCodesWords } from "./words.ts";

/** Redemption codes by the batches they were made in. */
export function OperatorCodesPage(): ReactNode {
  const t = useWords(operatorCodesWords);
  const [making, setMaking] = useState(false);
  const [{ batch }] = useSearch();
  const list = useList("/operator/code-batches");
  const make = (
    <Reserved to="billing">
      <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
        {t.make}
      </Button>
    </Reserved>
  );
  return (
    <Page title={t.title} lead={t.lead} actions={make}>
      <Table
        caption={t.title}
        list={list}
        rowKey={({ id }) => id}
        columns={[
          { title: t.made, cell: (row) => <Made batch={row} /> },
          {
            title: t.note,
            wideOnly: true,
            cell: (row) => <span className="wrap-anywhere">{row.note || "–"}</span>,
          },
          { title: t.each, align: "end", cell: (row) => <Money nanos={row.amount_nanos} /> },
          { title: t.used, align: "end", cell: (row) => <Used batch={row} /> },
          {
            title: t.expires,
            align: "end",
            wideOnly: true,
            cell: (row) => (row.expires_at === null ? t.never : <Time at={row.expires_at} />),
          },
        ]}
        empty={
          <Empty title={t.none} action={make}>
            {t.noneLead}
          </Empty>
        }
      />
      <MakeCodes open={making} onClose={() => setMaking(false)} />
      <BatchDialog batch={list.query.data?.data.find(({ id }) => id === batch)} />
    </Page>
  );
}

function Made({ batch }: { readonly batch: Batch }): ReactNode {
  return (
    <>
      <Link
        className="link"
        to="."
        search={(search: object) => ({ ...search, batch: batch.id, codes_after: undefined })}
        resetScroll={false}
      >
        <Time at={batch.created_at} />
      </Link>
      <span className="block text-sm break-all text-mute">{batch.created_by}</span>
    </>
  );
}

function Used({ batch }: { readonly batch: Batch }): ReactNode {
  const t = useWords(operatorCodesWords);
  return (
    <>
      {t.usedOf(formatCount(batch.redeemed), formatCount(batch.codes))}
      {batch.revoked > 0 && (
        <span className="block text-sm text-mute">{t.revokedCount(formatCount(batch.revoked))}</span>
      )}
    </>
  );
}
