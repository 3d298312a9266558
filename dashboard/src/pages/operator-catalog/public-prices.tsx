import { type ReactNode, useState } from "react";
import type { KnownPrices } from "../../../../src/console/catalog/contract.ts";
import { useRead } from "../../api/use-read.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { PriceText } from "./price-text.tsx";
import { catalogWords } from "./words.ts";

export type KnownPrice = KnownPrices["data"][number];

/** Shorter words match too much to be read. */
const LEAST_LETTERS = 2;
const SHOWN = 12;

/** Public list prices to take into the form. */
export function PublicPrices({
  initial,
  take,
}: {
  readonly initial: string;
  readonly take: (known: KnownPrice) => void;
}): ReactNode {
  const t = useWords(catalogWords);
  const [search, setSearch] = useState(initial);
  const asked = search.trim().length >= LEAST_LETTERS;
  const query = useRead("/operator/known-prices", { search }, { enabled: asked });
  return (
    <details>
      <summary className="cursor-pointer font-medium">{t.publicPrices}</summary>
      <div className="flex flex-col gap-2 pt-2">
        <Field label={t.searchPublic} hint={t.publicPricesNote}>
          <Input type="search" value={search} onChange={(event) => setSearch(event.target.value)} />
        </Field>
        {asked && (
          <Loaded query={query}>
            {({ data }) =>
              data.length === 0 ? (
                <Empty title={t.noPublic} />
              ) : (
                <ul className="max-h-64 divide-y divide-line overflow-y-auto">
                  {data.slice(0, SHOWN).map((known) => (
                    <li
                      key={`${known.vendor} ${known.model}`}
                      className="flex items-start justify-between gap-4 py-2"
                    >
                      <div className="min-w-0">
                        <p className="break-words">
                          {known.vendor} · <span className="font-medium">{known.model}</span>
                        </p>
                        <p className="text-sm">
                          <PriceText price={known.price} />
                        </p>
                        {known.notes.map((note) => (
                          <p key={note} className="text-sm text-warn">
                            {note}
                          </p>
                        ))}
                      </div>
                      <Button
                        onClick={() => {
                          take(known);
                          toast(t.taken);
                        }}
                      >
                        {t.take}
                      </Button>
                    </li>
                  ))}
                </ul>
              )
            }
          </Loaded>
        )}
      </div>
    </details>
  );
}
