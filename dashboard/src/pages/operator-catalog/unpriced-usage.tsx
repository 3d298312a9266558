import { type FormEvent, type ReactNode, useState } from "react";
import type { UnpricedUsage as Found, MissingPrice } from "../../../../src/console/catalog/contract.ts";
import { write } from "../../api/client.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { Time } from "../../parts/amounts.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { ManyRows } from "../../parts/table.tsx";
import { toast } from "../../parts/toast.tsx";
import { useUsageName } from "../../parts/usage-name.ts";
import { useWords } from "../../words/use-words.ts";
import { usePriceName } from "./price-words.ts";
import { catalogWords } from "./words.ts";

type Row = Found["data"][number];

/** What vendors served without a price, to price it one by one. */
export function UnpricedUsage(): ReactNode {
  const t = useWords(catalogWords);
  const query = useRead("/operator/unpriced-usage");
  const [adding, setAdding] = useState<Row>();
  const nameOf = useMissingName();
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-prose text-mute">{t.unpricedLead}</p>
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.nothingUnpriced} />
          ) : (
            <ManyRows
              caption={t.unpriced}
              rows={data}
              rowKey={({ model, upstream, what }) => `${model} ${upstream} ${what}`}
              columns={[
                { title: t.model, cell: ({ model }) => <span className="wrap-anywhere">{model}</span> },
                { title: t.servedBy, wideOnly: true, cell: ({ upstream }) => upstream },
                {
                  title: t.missing,
                  cell: (row) => <span className="wrap-anywhere">{nameOf(row)}</span>,
                },
                { title: t.requests, align: "end", cell: ({ requests }) => requests },
                { title: t.firstSeen, wideOnly: true, cell: ({ first_at }) => <Time at={first_at} /> },
                { title: t.lastSeen, wideOnly: true, cell: ({ last_at }) => <Time at={last_at} /> },
                {
                  title: t.latestRequest,
                  wideOnly: true,
                  cell: ({ request_id }) => <code className="text-sm wrap-anywhere">{request_id}</code>,
                },
                {
                  title: <span className="sr-only">{t.actions}</span>,
                  align: "end",
                  cell: (row) =>
                    row.prices.length === 0 ? (
                      <span className="text-sm text-mute">{t.onlyByHand}</span>
                    ) : (
                      <Reserved to="billing">
                        <Button
                          aria-label={t.addPriceNamed(row.model, nameOf(row))}
                          onClick={() => setAdding(row)}
                        >
                          {t.addPrice}
                        </Button>
                      </Reserved>
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {adding !== undefined && <AddPrice row={adding} onClose={() => setAdding(undefined)} />}
    </div>
  );
}

/** Names the price that is missing. Where several are, what was served names them all. */
function useMissingName(): (row: Row) => string {
  const priceName = usePriceName();
  const usageName = useUsageName();
  return ({ prices, what }) => {
    const [first, ...others] = prices;
    return first === undefined || others.length > 0 ? usageName(what) : priceName(first.price);
  };
}

/** The missing amounts, with the vendor's list prices filled in. */
function AddPrice({ row, onClose }: { readonly row: Row; readonly onClose: () => void }): ReactNode {
  const t = useWords(catalogWords);
  const priceName = usePriceName();
  const { model, upstream, what, source } = row;
  const [amounts, setAmounts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(row.prices.map(({ price, listed }) => [price, listed ?? ""])),
  );
  const add = useWrite(
    (given: MissingPrice) =>
      write("POST", `/operator/models/${encodeURIComponent(model)}/missing-price`, given),
    () => {
      toast(t.accepted(model));
      onClose();
    },
  );
  const hintOf = (price: string): string => {
    if (price.endsWith(".factor")) return t.factorHint;
    return /^(calls|units)\./.test(price) ? t.perUseHint : t.perMillionHint;
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate({ upstream, what, prices: amounts });
  };
  return (
    <Dialog open title={t.addPriceTitle(model)} onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        {row.prices.map(({ price }) => (
          <Field key={price} label={priceName(price)} hint={hintOf(price)}>
            <Input
              required
              inputMode="decimal"
              value={amounts[price] ?? ""}
              onChange={(event) => setAmounts({ ...amounts, [price]: event.target.value })}
            />
          </Field>
        ))}
        <p className="text-sm text-mute">
          {source === null
            ? t.notListedHint
            : t.listedHint(source.vendor, source.listed_as, source.list, source.date)}
        </p>
        <p className="text-sm text-mute">{t.freezes}</p>
        {add.error !== null && <Failed error={add.error} />}
        <DialogButtons>
          <Button look="primary" type="submit" busy={add.isPending}>
            {t.addPrice}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
