import type { ReactNode } from "react";
import { faultOf } from "../../api/api-error.ts";
import { Button } from "../../parts/button.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import { type ComingDraft, fromFault, type ModelDraft, withComing } from "./draft.ts";
import { PriceInputs } from "./price-inputs.tsx";
import { catalogWords } from "./words.ts";

interface ComingPricesProps {
  readonly draft: ModelDraft;
  readonly change: (values: Pick<ModelDraft, "coming">) => void;
  readonly error: unknown;
}

/** Prices that take the place of the current one later, by time. */
export function ComingPrices({ draft, change, error }: ComingPricesProps): ReactNode {
  const t = useWords(catalogWords);
  const { coming, family } = draft;
  const set = (place: number, values: Partial<ComingDraft>) =>
    change({ coming: coming.map((each, index) => (index === place ? { ...each, ...values } : each)) });
  return (
    <fieldset className="flex min-w-0 flex-col gap-4">
      <legend className="text-sm font-medium">{t.coming}</legend>
      <p className="text-sm text-mute">{t.comingHint}</p>
      {coming.map((price, index) => {
        const path = `coming_prices[${index}]`;
        const fault = fromFault(coming, index);
        return (
          <fieldset key={index} className="flex min-w-0 flex-col gap-2 border-l-2 border-line pl-4">
            <legend className="sr-only">{t.comingTitle(index + 1)}</legend>
            <div className="flex flex-wrap items-start justify-between gap-2">
              <Field
                label={t.comingFrom}
                hint={t.comingFromHint}
                error={fault === undefined ? faultOf(error, `${path}.from`) : t[fault]}
              >
                <Input
                  required
                  value={price.from}
                  onChange={(event) => set(index, { from: event.target.value })}
                />
              </Field>
              <Button
                icon="close"
                aria-label={t.removeComing(index + 1)}
                onClick={() => change({ coming: coming.filter((_, at) => at !== index) })}
              >
                {t.remove}
              </Button>
            </div>
            <PriceInputs
              price={price}
              family={family}
              change={(values) => set(index, values)}
              path={path}
              error={error}
            />
          </fieldset>
        );
      })}
      <div>
        <Button icon="plus" onClick={() => change({ coming: withComing(draft) })}>
          {t.addComing}
        </Button>
      </div>
    </fieldset>
  );
}
