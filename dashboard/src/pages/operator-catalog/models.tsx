import { type ReactNode, useState } from "react";
import type { Model } from "../../../../src/console/catalog/contract.ts";
import { useSearch } from "../../api/search.ts";
import { useReaches } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Filters, SearchFilter } from "../../parts/filters.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { ManyRows } from "../../parts/table.tsx";
import { useEndpointName } from "../../words/endpoint-words.ts";
import { useWords } from "../../words/use-words.ts";
import { DeleteModel, HistoryDialog, WriteModel } from "./model-dialogs.tsx";
import { PriceText } from "./price-text.tsx";
import { catalogWords } from "./words.ts";

/** What is being done to which model, in a dialog. */
type Doing =
  | { readonly what: "add" }
  | { readonly what: "edit" | "history" | "delete"; readonly model: Model };

/** Every model with its price in force, and who serves it. */
export function ModelList(): ReactNode {
  const t = useWords(catalogWords);
  const [{ q = "" }] = useSearch();
  const [doing, setDoing] = useState<Doing>();
  const onClose = () => setDoing(undefined);
  const query = useRead("/operator/models");
  const add = (
    <Reserved to="all">
      <Button look="primary" icon="plus" onClick={() => setDoing({ what: "add" })}>
        {t.add}
      </Button>
    </Reserved>
  );
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-2">
        <Filters names={["q"]}>
          <SearchFilter name="q" label={t.search} />
        </Filters>
        {add}
      </div>
      <Loaded query={query}>
        {({ data }) => {
          const shown = data.filter(({ id }) => id.toLowerCase().includes(q.toLowerCase()));
          if (data.length === 0)
            return (
              <Empty title={t.none} action={add}>
                {t.noneNote}
              </Empty>
            );
          return shown.length === 0 ? (
            <Empty title={t.noMatch} />
          ) : (
            <ModelRows models={shown} act={setDoing} />
          );
        }}
      </Loaded>
      {doing?.what === "add" && <WriteModel onClose={onClose} />}
      {doing?.what === "edit" && <WriteModel model={doing.model} onClose={onClose} />}
      {doing?.what === "history" && <HistoryDialog model={doing.model} onClose={onClose} />}
      {doing?.what === "delete" && <DeleteModel model={doing.model} onClose={onClose} />}
    </>
  );
}

interface RowsProps {
  readonly models: readonly Model[];
  readonly act: (doing: Doing) => void;
}

function ModelRows({ models, act }: RowsProps): ReactNode {
  const t = useWords(catalogWords);
  const [edits, deletes] = [useReaches("billing"), useReaches("all")];
  return (
    <ManyRows
      caption={t.models}
      rows={models}
      rowKey={({ id }) => id}
      columns={[
        { title: t.model, cell: (model) => <Name model={model} /> },
        { title: t.price, cell: (model) => <Prices model={model} /> },
        { title: t.since, cell: ({ price_since }) => <Time at={price_since} />, wideOnly: true },
        {
          title: t.groups,
          wideOnly: true,
          cell: ({ alias_of, groups }) =>
            alias_of !== null ? (
              "–"
            ) : groups === null ? (
              <span className="whitespace-nowrap text-mute">{t.everyGroup}</span>
            ) : (
              <Names names={groups} />
            ),
        },
        {
          title: t.servedBy,
          wideOnly: true,
          cell: ({ alias_of, upstreams }) =>
            alias_of !== null ? (
              "–"
            ) : upstreams.length === 0 ? (
              <span className="text-bad">{t.nobody}</span>
            ) : (
              <Names names={upstreams} />
            ),
        },
        {
          title: <span className="sr-only">{t.actions}</span>,
          align: "end",
          cell: (model) => (
            <Menu
              items={[
                ...(edits ? [{ title: t.edit, onSelect: () => act({ what: "edit", model }) }] : []),
                { title: t.history, onSelect: () => act({ what: "history", model }) },
                ...(deletes
                  ? [{ title: t.delete, onSelect: () => act({ what: "delete", model }), danger: true }]
                  : []),
              ]}
            >
              <IconButton icon="more" label={`${t.more}: ${model.id}`} />
            </Menu>
          ),
        },
      ]}
    />
  );
}

/** The price in force, and under it those to come. */
function Prices({ model: { alias_of, price, coming_prices } }: { readonly model: Model }): ReactNode {
  const t = useWords(catalogWords);
  if (alias_of !== null) return <span className="text-mute">{t.asModel(alias_of)}</span>;
  return (
    <>
      <PriceText price={price} />
      {coming_prices.map(({ from, ...coming }) => (
        <p key={from} className="text-sm">
          <span className="text-mute">{t.from}</span> <Time at={from} exact /> <PriceText price={coming} />
        </p>
      ))}
    </>
  );
}

function Name({
  model: { id, alias_of, family, endpoints, callable_in },
}: {
  readonly model: Model;
}): ReactNode {
  const t = useWords(catalogWords);
  const endpointName = useEndpointName();
  const kinds = [...(family === null ? [] : [family]), ...endpoints.map(endpointName)];
  const kind = alias_of === null ? kinds.join(", ") : t.alias;
  return (
    <div className="min-w-0">
      <p className="min-w-28 font-medium wrap-anywhere lg:min-w-44">
        {id} {callable_in.length === 0 && <Badge tone="warn">{t.notCallable}</Badge>}
      </p>
      <p className="text-sm text-mute">{kind}</p>
    </div>
  );
}

/** Of upstreams or groups, which may have 64 letters without a place to break. */
function Names({ names }: { readonly names: readonly string[] }): ReactNode {
  return <p className="min-w-24 wrap-anywhere">{names.join(", ")}</p>;
}
