import type { ReactNode } from "react";
import { useWords } from "../words/use-words.ts";
import { Money } from "./amounts.tsx";
import { partsWords } from "./words.ts";

/** The bar is yellow from here on, as alerts usually begin there, and red where nothing is left. */
const NEAR = 80;
const FULL = 99.9;

interface SpentOfProps {
  /** The amount's subject, for screen readers. */
  readonly label: string;
  readonly spent: string;
  readonly amount: string;
  /** "per month" and the like. */
  readonly period: string;
}

/** What is spent of an amount, in words and as a bar: `<SpentOf label={t.limit} spent={…_nanos} amount={…_nanos} period={t.periods.month} />` */
export function SpentOf({ label, spent, amount, period }: SpentOfProps): ReactNode {
  const t = useWords(partsWords);
  return (
    <div className="flex min-w-28 flex-col gap-1 text-sm">
      <span>
        <Money nanos={spent} /> {t.spentOf} <Money nanos={amount} />{" "}
        <span className="text-mute">{period}</span>
      </span>
      <meter
        aria-label={label}
        className="h-1.5 w-full max-w-40"
        min={0}
        max={100}
        low={NEAR}
        high={FULL}
        optimum={0}
        value={(Number(spent) / Math.max(1, Number(amount))) * 100}
      />
    </div>
  );
}
