import type { ReactNode } from "react";
import type { AcceptedPrice, PriceDifferences } from "../../../../src/console/catalog/contract.ts";
import { write } from "../../api/client.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { ManyRows } from "../../parts/table.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { usePriceName } from "./price-words.ts";
import { catalogWords } from "./words.ts";

type Difference = PriceDifferences["data"][number];

/** Where models' prices differ from vendors' list prices, to accept one by one. */
export function ListedPrices(): ReactNode {
  const query = useRead("/operator/price-differences");
  return <Loaded query={query}>{(found) => <Differences found={found} />}</Loaded>;
}

function Differences({ found }: { readonly found: PriceDifferences }): ReactNode {
  const t = useWords(catalogWords);
  const { list, data, compared, unlisted } = found;
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-prose text-mute">{t.listLead(list.name, list.date)}</p>
      {data.length === 0 ? (
        <Empty title={t.noDifferences}>
          {compared === 0 ? t.noneComparedNote : t.comparedNote(compared)}
        </Empty>
      ) : (
        <ManyRows
          caption={t.priceList}
          rows={data}
          rowKey={({ model, vendor, listed_as }) => `${model} ${vendor} ${listed_as}`}
          columns={[
            { title: t.model, cell: ({ model }) => <Name name={model} /> },
            { title: t.listed, wideOnly: true, cell: (row) => <Listed row={row} /> },
            { title: t.changes, cell: (row) => <Changes row={row} /> },
            {
              title: <span className="sr-only">{t.actions}</span>,
              align: "end",
              cell: (row) => row.problem === null && <Accept row={row} />,
            },
          ]}
        />
      )}
      {unlisted.length > 0 && (
        <p className="text-sm wrap-anywhere text-mute">{t.unlisted(unlisted.join(", "))}</p>
      )}
    </div>
  );
}

function Name({ name }: { readonly name: string }): ReactNode {
  return <p className="min-w-28 font-medium wrap-anywhere lg:min-w-44">{name}</p>;
}

/** Whose list price it is. The vendor's page is a link, as the list may be wrong. */
function Listed({ row: { vendor, listed_as, url } }: { readonly row: Difference }): ReactNode {
  return (
    <div className="min-w-28 wrap-anywhere">
      <p>{listed_as}</p>
      <p className="text-sm text-mute">
        {url === null ? (
          vendor
        ) : (
          <a className="link" href={url} target="_blank" rel="noreferrer">
            {vendor}
          </a>
        )}
      </p>
    </div>
  );
}

/** Each price, ours and the list's. */
function Changes({ row: { differences, left_out, problem } }: { readonly row: Difference }): ReactNode {
  const t = useWords(catalogWords);
  const nameOf = usePriceName();
  return (
    <div className="flex flex-col gap-1">
      <ul>
        {differences.map(({ price, ours, theirs }) => (
          <li key={price} className="wrap-anywhere">
            {nameOf(price)} <span className="text-mute">{ours ?? t.unset}</span> →{" "}
            <span className="font-medium">{theirs ?? t.unset}</span>
          </li>
        ))}
      </ul>
      {left_out.map((what) => (
        <p key={what} lang="en" className="text-sm text-mute">
          {t.leftOut(what)}
        </p>
      ))}
      {problem !== null && <p className="text-sm text-warn">{t.cannotAccept(problem)}</p>}
    </div>
  );
}

function Accept({ row: { model, vendor, listed_as, version } }: { readonly row: Difference }): ReactNode {
  const t = useWords(catalogWords);
  const accept = useWrite(
    (accepted: AcceptedPrice) =>
      write("POST", `/operator/models/${encodeURIComponent(model)}/listed-price`, accepted),
    () => toast(t.accepted(model)),
  );
  return (
    <div className="flex flex-col items-end gap-1">
      <Reserved to="billing">
        <Button
          busy={accept.isPending}
          aria-label={t.acceptNamed(model, vendor)}
          onClick={() => accept.mutate({ vendor, listed_as, version })}
        >
          {t.accept}
        </Button>
      </Reserved>
      {accept.error !== null && <Failed error={accept.error} />}
    </div>
  );
}
