import type { ReactNode } from "react";
import { useWords } from "../words/use-words.ts";
import { Money } from "./amounts.tsx";
import { partsWords } from "./words.ts";

/** The bar is yellow from here on, as alerts usually begin there, and red where next to nothing is left. */
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
  const percent = (Number(spent) / Math.max(1, Number(amount))) * 100;
  const colour = percent >= FULL ? "bg-bad" : percent >= NEAR ? "bg-warn" : "bg-good";
  return (
    <div className="relative flex min-w-28 flex-col gap-1 text-sm">
      <span>
        <Money nanos={spent} /> {t.spentOf} <Money nanos={amount} />{" "}
        <span className="text-mute">{period}</span>
      </span>
      {/* Browsers draw it in colours of their own: an empty one is white in the dark, as if it were full. */}
      <meter className="sr-only" aria-label={label} min={0} max={100} value={percent} />
      <div aria-hidden="true" className="h-1.5 w-full max-w-40 overflow-hidden rounded-full bg-line">
        <div className={`h-full ${colour}`} style={{ width: `${Math.min(100, percent)}%` }} />
      </div>
    </div>
  );
}
