import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AccountModel } from "../../../../src/console/models/contract.ts";
import { useSearch } from "../../api/search.ts";
import { useAccount } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { formatUsd } from "../../format/money.ts";
import { Count } from "../../parts/amounts.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { type Column, ManyRows } from "../../parts/table.tsx";
import { useEndpointName } from "../../words/endpoint-words.ts";
import { useWords } from "../../words/use-words.ts";
import { ModelFilters, matches } from "./model-filters.tsx";
import { ModelView } from "./model-view.tsx";
import { modelsWords } from "./words.ts";

/** What may I use, what does it cost me, how do I call it. `?model=` shows one. */
export function ModelsPage(): ReactNode {
  const t = useWords(modelsWords);
  const account = useAccount();
  const [search] = useSearch();
  const query = useRead(`/accounts/${account.id}/models`);
  const shown = search["model"];
  if (shown !== undefined) {
    return (
      <Loaded query={query} skeleton={<Skeleton lines={8} />}>
        {({ data }) => (
          <ModelView model={data.find(({ id }) => id === shown)} id={shown} account={account.id} />
        )}
      </Loaded>
    );
  }
  return (
    <Page title={t.title} lead={query.data && t.lead(query.data.group, query.data.factor)}>
      <ModelFilters />
      <Loaded query={query} skeleton={<Skeleton lines={8} />}>
        {({ data }) => <ModelList models={data} shown={data.filter((model) => matches(model, search))} />}
      </Loaded>
    </Page>
  );
}

function ModelList({
  models,
  shown,
}: {
  readonly models: readonly AccountModel[];
  readonly shown: readonly AccountModel[];
}): ReactNode {
  const t = useWords(modelsWords);
  const endpointName = useEndpointName();
  if (models.length === 0) return <Empty title={t.none}>{t.noneWhy}</Empty>;
  if (shown.length === 0) return <Empty title={t.noMatch}>{t.noMatchWhy}</Empty>;
  const columns: readonly Column<AccountModel>[] = [
    {
      title: t.model,
      cell: ({ id }) => (
        <Link to="." search={{ model: id }} className="link font-medium break-words">
          {id}
        </Link>
      ),
    },
    { title: t.modality, cell: ({ modality }) => t[modality] },
    {
      title: t.endpoint,
      cell: ({ endpoints }) => endpoints.map(endpointName).join(", "),
      wideOnly: true,
    },
    {
      title: t.context,
      cell: ({ context_tokens }) => (context_tokens === null ? "–" : <Count value={context_tokens} />),
      align: "end",
      wideOnly: true,
    },
    { title: t.price, cell: (model) => <PriceInShort model={model} />, align: "end" },
  ];
  return <ManyRows caption={t.title} rows={shown} rowKey={({ id }) => id} columns={columns} />;
}

/** Input and output per million tokens, or the cheapest image or second. */
function PriceInShort({ model: { price } }: { readonly model: AccountModel }): ReactNode {
  const t = useWords(modelsWords);
  const [image] = price.per_image;
  const [second] = price.per_second;
  const lines = [
    ...(price.input === null ? [] : [[price.input, t.input] as const]),
    ...(price.output === null ? [] : [[price.output, t.output] as const]),
    ...(image ? [[image.usd, t.perImage(image.of)] as const] : []),
    ...(second ? [[second.usd, t.perSecond(second.of)] as const] : []),
  ];
  return (
    <ul>
      {lines.map(([usd, of]) => (
        <li key={of} className="flex flex-wrap justify-end gap-x-2">
          <span className="text-mute">{of}</span>
          <span className="min-w-14 whitespace-nowrap">{formatUsd(usd)}</span>
        </li>
      ))}
    </ul>
  );
}
