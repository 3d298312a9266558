import type { ReactNode } from "react";
import type { AccountModel, ModelEndpoint } from "../../../../src/console/models/contract.ts";
import type { Search } from "../../api/search.ts";
import { formatCount } from "../../format/count.ts";
import { Filters, SearchFilter, SelectFilter } from "../../parts/filters.tsx";
import { useEndpoints } from "../../words/endpoint-words.ts";
import { useWords } from "../../words/use-words.ts";
import { modelsWords } from "./words.ts";

const MODALITIES = ["text", "embedding", "rerank", "image", "video"] as const;
const PRICES = ["0.5", "2", "5", "10"];
const CONTEXTS = ["32000", "128000", "200000", "1000000"];

/** The filters of the list; `matches` says what they let through. */
export function ModelFilters(): ReactNode {
  const t = useWords(modelsWords);
  const endpoints = useEndpoints();
  return (
    <Filters names={["q", "kind", "endpoint", "price", "context"]}>
      <SearchFilter name="q" label={t.search} />
      <SelectFilter
        name="kind"
        label={t.modality}
        all={t.anyModality}
        options={MODALITIES.map((modality) => [modality, t[modality]])}
      />
      <SelectFilter name="endpoint" label={t.endpoint} all={t.anyEndpoint} options={endpoints} />
      <SelectFilter
        name="price"
        label={t.price}
        all={t.anyPrice}
        options={PRICES.map((usd) => [usd, t.upTo(usd)])}
      />
      <SelectFilter
        name="context"
        label={t.context}
        all={t.anyContext}
        options={CONTEXTS.map((tokens) => [tokens, t.atLeast(formatCount(tokens))])}
      />
    </Filters>
  );
}

/** Whether the filters of the URL let a model through. */
export function matches(model: AccountModel, search: Search): boolean {
  const {
    q = "",
    kind,
    endpoint,
    price,
    context,
  } = search as Readonly<Record<keyof Filtered, string | undefined>>;
  return (
    model.id.toLowerCase().includes(q.trim().toLowerCase()) &&
    (kind === undefined || model.modality === kind) &&
    (endpoint === undefined || model.endpoints.includes(endpoint as ModelEndpoint)) &&
    (price === undefined || (model.price.input !== null && Number(model.price.input) <= Number(price))) &&
    (context === undefined || (model.context_tokens ?? 0) >= Number(context))
  );
}

interface Filtered {
  q: string;
  kind: string;
  endpoint: string;
  price: string;
  context: string;
}
