import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { formatMoney } from "../../../format/money.ts";
import { Failed } from "../../../parts/failure.tsx";
import { useWords } from "../../../words/use-words.ts";
import { readPublic } from "../public-api.ts";
import { playgroundWords } from "../words.ts";
import type { FormValues } from "./request-body.ts";

/** A submit's answer to `?dry_run=1`. */
interface DryRun {
  readonly max_charge_nanos: string;
  readonly fail_reason: string;
}

/** How long typing rests before the price is asked for. */
const REST_MS = 400;

interface PriceProps {
  readonly account: string;
  readonly submit: string;
  readonly body: FormValues;
  /** Everything needed is there. */
  readonly ready: boolean;
}

/** What a request would cost at most, and whether it would fail, before it is sent. */
export function Price({ account, submit, body, ready }: PriceProps): ReactNode {
  const t = useWords(playgroundWords);
  const rested = useRested(body);
  const isRested = JSON.stringify(rested) === JSON.stringify(body);
  const { data, error } = useQuery({
    queryKey: ["public", account, "dry-run", submit, rested],
    queryFn: ({ signal }) => readPublic<DryRun>(account, `${submit}?dry_run=1`, { body: rested, signal }),
    enabled: ready && isRested,
    // Prices may change under way, and images within a request are large to keep.
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  if (!ready) return <p className="text-mute">{t.fill}</p>;
  if (error !== null) return <Failed error={error} />;
  if (data === undefined) return <p className="text-mute">{t.pricing}</p>;
  return (
    <div aria-live="polite">
      <p className="text-lg font-semibold">{t.price(formatMoney(data.max_charge_nanos))}</p>
      {data.fail_reason !== "" && (
        <p className="break-words text-warn">
          {t.wouldFail} {data.fail_reason}
        </p>
      )}
    </div>
  );
}

/** A value once it has not changed for a moment. */
function useRested<Value>(value: Value): Value {
  const [rested, setRested] = useState(value);
  const text = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: equal values are built anew with each drawing
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}
