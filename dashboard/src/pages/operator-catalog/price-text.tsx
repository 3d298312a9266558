import type { ReactNode } from "react";
import type { Price } from "../../../../src/console/catalog/contract.ts";
import { useWords } from "../../words/use-words.ts";
import { RATES } from "./draft.ts";
import { usePriceName } from "./price-words.ts";
import { catalogWords } from "./words.ts";

/** A price in a few short lines: `Input $3 · Output $15`. */
export function PriceText({ price }: { readonly price: Price | null }): ReactNode {
  const t = useWords(catalogWords);
  const nameOf = usePriceName();
  if (price === null) return <span className="text-bad">{t.notPriced}</span>;
  const parts: (readonly [string, string])[] = [
    ...RATES.flatMap((rate) => (price[rate] === undefined ? [] : [[t.rates[rate], price[rate]] as const])),
    ...MEDIA.flatMap((medium) =>
      named(price[medium], "").map(([of, usd]) => [nameOf(`${medium}.${of}`), usd] as const),
    ),
    ...(price.request === undefined ? [] : [[nameOf("request"), price.request] as const]),
    ...named(price.per_image, t.perImageShort),
    ...named(price.per_second, t.perSecondShort),
    ...(price.steps ?? []).flatMap((step) =>
      RATES.flatMap((rate) =>
        step[rate] === undefined ? [] : [[nameOf(`steps.${step.above}.${rate}`), step[rate]] as const],
      ),
    ),
  ];
  // What takes a table of its own is only named.
  const others = OTHERS.filter((field) => price[field] !== undefined);
  return (
    <span className="inline-flex flex-wrap gap-x-3">
      {parts.map(([name, usd]) => (
        <span key={name} className="whitespace-nowrap">
          <span className="text-mute">{name}</span> ${twoPlaces(usd)}
        </span>
      ))}
      {others.length > 0 && (
        <span className="text-mute">{others.map((field) => t.tables[field]).join(" · ")}</span>
      )}
    </span>
  );
}

const MEDIA = ["audio", "image", "video"] as const;
const OTHERS = ["tiers", "speeds", "regions", "hours", "calls", "units"] as const;

/** $0.1 is $0.10, as everywhere; what is finer stays exact. */
function twoPlaces(usd: string): string {
  const [whole = "0", places = ""] = usd.split(".");
  return `${whole}.${places.padEnd(2, "0")}`;
}

function named(
  prices: Readonly<Record<string, string | undefined>> | undefined,
  unit: string,
): [string, string][] {
  return Object.entries(prices ?? {}).flatMap(([name, usd]) =>
    usd === undefined ? [] : [[unit === "" ? name : `${name} ${unit}`, usd]],
  );
}
