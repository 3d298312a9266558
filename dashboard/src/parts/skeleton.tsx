import type { ReactNode } from "react";
import { useWords } from "../words/use-words.ts";
import { partsWords } from "./words.ts";

const WIDTHS = ["w-3/5", "w-4/5", "w-1/2", "w-2/3", "w-3/4"];

/** The shape of what is coming: `<Skeleton lines={5} />`; `tall` for a chart's. */
export function Skeleton({
  lines = 3,
  tall = false,
}: {
  readonly lines?: number;
  readonly tall?: boolean;
}): ReactNode {
  const t = useWords(partsWords);
  return (
    <div role="status" className="flex flex-col gap-3 py-2">
      <span className="sr-only">{t.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div
          key={line}
          className={`animate-pulse rounded-sm bg-shade ${tall ? "h-48 w-full" : `h-4 ${WIDTHS[line % WIDTHS.length]}`}`}
        />
      ))}
    </div>
  );
}
