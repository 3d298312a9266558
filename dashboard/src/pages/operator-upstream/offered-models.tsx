import { type FormEvent, type ReactNode, useState } from "react";
import type { OfferedModels, Upstream } from "../../../../src/console/upstreams/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useSearch } from "../../api/search.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failed, Failure } from "../../parts/failure.tsx";
import { Checkbox, Field, Input } from "../../parts/field.tsx";
import { Filters, SearchFilter } from "../../parts/filters.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { type Column, ManyRows } from "../../parts/table.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { addedOf, draftOf, type Offered, type OfferedDraft } from "./offered-draft.ts";
import { offeredWords } from "./offered-words.ts";

/** What the vendor offers: ticked models become rows of the catalog, and are mapped to this upstream. */
export function OfferedModelsView({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const path = `/operator/upstreams/${upstream.id}/offered-models` as const;
  const query = useRead(path);
  if (query.data !== undefined) return <Choice upstream={upstream} found={query.data} />;
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <Skeleton lines={8} />;
}

type Ticked = Readonly<Record<string, OfferedDraft>>;

interface ChoiceProps {
  readonly upstream: Upstream;
  readonly found: OfferedModels;
}

function Choice({ upstream, found: { list, data } }: ChoiceProps): ReactNode {
  const t = useWords(offeredWords);
  const [{ q = "" }] = useSearch();
  const [ticked, setTicked] = useState<Ticked>({});
  const chosen = data.filter(({ id }) => ticked[id] !== undefined);
  const add = useWrite(
    () =>
      write("POST", `/operator/upstreams/${upstream.id}/offered-models`, {
        models: chosen.map((model) => addedOf(model, ticked[model.id] ?? draftOf(model))),
      }),
    () => {
      toast(t.added(chosen.length));
      setTicked({});
    },
  );
  const columns = useColumns({
    ticked,
    change: (id, draft) =>
      setTicked(
        draft === undefined
          ? Object.fromEntries(Object.entries(ticked).filter(([each]) => each !== id))
          : { ...ticked, [id]: draft },
      ),
    faultOf: (id, field) =>
      faultOf(add.error, `models[${chosen.findIndex((model) => model.id === id)}].${field}`),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate(undefined);
  };
  if (data.length === 0) return <Empty title={t.none}>{t.noneNote}</Empty>;
  const shown = data.filter(({ id }) => id.toLowerCase().includes(q.toLowerCase()));
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      <p className="max-w-prose text-mute">{t.lead(list.name, list.date)}</p>
      <Filters names={["q"]}>
        <SearchFilter name="q" label={t.search} />
      </Filters>
      {shown.length === 0 ? (
        <Empty title={t.noMatch} />
      ) : (
        <ManyRows caption={t.title} rows={shown} rowKey={({ id }) => id} columns={columns} />
      )}
      {add.error && <Failed error={add.error} />}
      <Reserved to="all">
        <div className="sticky bottom-0 flex flex-wrap items-center gap-4 border-t border-line bg-paper py-3">
          <Button look="primary" type="submit" busy={add.isPending} disabled={chosen.length === 0}>
            {t.add(chosen.length)}
          </Button>
          <span className="text-sm text-mute">{t.addNote(upstream.name)}</span>
        </div>
      </Reserved>
    </form>
  );
}

interface Editing {
  readonly ticked: Ticked;
  readonly change: (id: string, draft: OfferedDraft | undefined) => void;
  readonly faultOf: (id: string, field: string) => ReturnType<typeof faultOf>;
}

function useColumns({ ticked, change, faultOf: faultAt }: Editing): readonly Column<Offered>[] {
  const t = useWords(offeredWords);
  const cell = (field: keyof OfferedDraft, sent: string, model: Offered): ReactNode => {
    const draft = ticked[model.id];
    if (draft === undefined || model.in_catalog) return draftOf(model)[field] || "–";
    return (
      <div className="min-w-24">
        <Field label={`${t.fields[field]}: ${model.id}`} quiet error={faultAt(model.id, sent)}>
          <Input
            inputMode="decimal"
            className="text-right"
            value={draft[field]}
            onChange={(event) => change(model.id, { ...draft, [field]: event.target.value })}
          />
        </Field>
      </div>
    );
  };
  return [
    { title: t.model, cell: (model) => <Name model={model} ticked={ticked} change={change} /> },
    { title: t.fields.context, align: "end", cell: (model) => cell("context", "context_tokens", model) },
    { title: t.fields.output, align: "end", cell: (model) => cell("output", "max_output_tokens", model) },
    { title: t.fields.inputPrice, align: "end", cell: (model) => cell("inputPrice", "price.input", model) },
    {
      title: t.fields.outputPrice,
      align: "end",
      cell: (model) => cell("outputPrice", "price.output", model),
    },
  ];
}

interface NameProps extends Pick<Editing, "ticked" | "change"> {
  readonly model: Offered;
}

function Name({ model, ticked, change }: NameProps): ReactNode {
  const t = useWords(offeredWords);
  const { id, serves, in_catalog, price, url } = model;
  const isServed = serves.length > 0;
  const note = isServed
    ? t.serves(serves.join(", "))
    : in_catalog
      ? t.inCatalog
      : price === null
        ? t.unlisted
        : undefined;
  return (
    <div className="min-w-40 wrap-anywhere">
      <Checkbox
        label={id}
        hint={note}
        checked={isServed || ticked[id] !== undefined}
        disabled={isServed}
        onChange={(event) => change(id, event.target.checked ? draftOf(model) : undefined)}
      />
      {url !== null && (
        <a
          className="link pl-6 text-sm"
          href={url}
          target="_blank"
          rel="noreferrer"
          aria-label={t.pricesOf(id)}
        >
          {t.vendorPrices}
        </a>
      )}
    </div>
  );
}
