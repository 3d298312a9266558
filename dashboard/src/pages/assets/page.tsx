import { type ReactNode, useState } from "react";
import type { Asset } from "../../../../src/console/assets/contract.ts";
import { useAccount } from "../../api/session.ts";
import { useList } from "../../api/use-list.ts";
import { Time } from "../../parts/amounts.tsx";
import { Button } from "../../parts/button.tsx";
import { Copyable } from "../../parts/copy.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { AssetState } from "./asset-state.tsx";
import { RegisterDialog } from "./register-dialog.tsx";
import { assetsWords } from "./words.ts";

/** What is registered for use in videos, and whether it can be used. */
export function AssetsPage(): ReactNode {
  const t = useWords(assetsWords);
  const { id: account, role } = useAccount();
  const [registering, setRegistering] = useState(false);
  const list = useList(`/accounts/${account}/assets`);
  const register = role !== "viewer" && (
    <Button look="primary" icon="plus" onClick={() => setRegistering(true)}>
      {t.register}
    </Button>
  );
  return (
    <Page title={t.title} lead={t.lead} actions={register}>
      <Table
        caption={t.title}
        list={list}
        rowKey={({ id }) => id}
        empty={
          <Empty title={t.none} action={register}>
            {t.noneHow}
          </Empty>
        }
        columns={[
          {
            title: t.asset,
            cell: (asset) => (
              <div className="flex min-w-0 items-center gap-3">
                <Thumbnail asset={asset} />
                <div className="min-w-0">
                  <p className="break-words">{asset.name}</p>
                  <p className="text-sm text-mute">{t.types[asset.type]}</p>
                </div>
              </div>
            ),
          },
          { title: t.state, cell: (asset) => <AssetState account={account} asset={asset} /> },
          { title: t.use, wideOnly: true, cell: ({ id }) => <Copyable text={`asset://${id}`} /> },
          { title: t.created, align: "end", cell: (asset) => <Time at={asset.created_at} /> },
        ]}
      />
      <RegisterDialog account={account} open={registering} onClose={() => setRegistering(false)} />
    </Page>
  );
}

/** An image of it where it is one; the place it would take where it is not, or is away. */
function Thumbnail({ asset }: { readonly asset: Asset }): ReactNode {
  const [shown, setShown] = useState(true);
  const isPicture = asset.type === "Image" && asset.status === "Active";
  return (
    <div className="size-12 shrink-0 overflow-hidden rounded-sm bg-shade">
      {isPicture && shown && (
        <img
          src={asset.view}
          alt=""
          loading="lazy"
          className="size-full object-cover"
          onError={() => setShown(false)}
        />
      )}
    </div>
  );
}
