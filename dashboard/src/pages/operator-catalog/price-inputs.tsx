import type { ReactNode } from "react";
import { faultOf } from "../../api/api-error.ts";
import { Said } from "../../parts/failure.tsx";
import { Field, Input, Textarea } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import { type PriceDraft, RATES, unshownOf } from "./draft.ts";
import { catalogWords } from "./words.ts";

interface PriceInputsProps {
  readonly price: PriceDraft;
  readonly family: string;
  readonly change: (values: Partial<PriceDraft>) => void;
  /** The price in what is sent, as errors name it. */
  readonly path: string;
  readonly error: unknown;
}

/** The amounts of one price, current or coming. */
export function PriceInputs({ price, family, change, path, error }: PriceInputsProps): ReactNode {
  const t = useWords(catalogWords);
  const listed = family === "" ? "calls" : family === "imagegen" ? "per_image" : "per_second";
  const titles = { per_image: t.perImage, per_second: t.perSecond, calls: t.calls };
  const unshown = unshownOf(price);
  return (
    <>
      {family === "" && (
        <>
          <p className="text-sm text-mute">{t.priceHint}</p>
          <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
            {RATES.map((rate) => (
              <Field key={rate} label={t.rates[rate]} error={faultOf(error, `${path}.${rate}`)}>
                <Input
                  inputMode="decimal"
                  value={price.rates[rate]}
                  onChange={(event) => change({ rates: { ...price.rates, [rate]: event.target.value } })}
                />
              </Field>
            ))}
          </div>
        </>
      )}
      {faultOf(error, path) && (
        <p className="text-sm text-bad">
          <Said error={error} beside />
        </p>
      )}
      <Field
        label={titles[listed]}
        hint={listed === "calls" ? t.callsHint : t.mediaHint}
        error={faultOf(error, `${path}.${listed}`)}
      >
        <Textarea
          rows={listed === "calls" ? 2 : 4}
          className="font-mono"
          value={price.listed[listed]}
          onChange={(event) => change({ listed: { ...price.listed, [listed]: event.target.value } })}
        />
      </Field>
      {unshown.length > 0 && <p className="text-sm text-mute">{t.inFileOnly(unshown.join(", "))}</p>}
    </>
  );
}
