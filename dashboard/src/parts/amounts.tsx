import { type ReactNode, useEffect, useState } from "react";
import { formatCount } from "../format/count.ts";
import { formatDuration } from "../format/duration.ts";
import { formatAgo, formatMoment } from "../format/moment.ts";
import { formatMoney } from "../format/money.ts";
import { useLanguage } from "../words/language.ts";

/** `<Money nanos={row.charge_nanos} />`: exact. `signed` says + before what came in. */
export function Money({
  nanos,
  signed = false,
}: {
  readonly nanos: string;
  readonly signed?: boolean;
}): ReactNode {
  const plus = signed && !nanos.startsWith("-") && nanos !== "0" ? "+" : "";
  return <span className="whitespace-nowrap">{plus + formatMoney(nanos)}</span>;
}

/** `<Count value={row.requests} />`, also for tokens: a whole number with separators. */
export function Count({ value }: { readonly value: number | string }): ReactNode {
  return <span className="whitespace-nowrap">{formatCount(value)}</span>;
}

/** `<Duration ms={row.first_token_ms} />`; null: it never came. */
export function Duration({ ms }: { readonly ms: number | null }): ReactNode {
  const language = useLanguage();
  return <span className="whitespace-nowrap">{ms === null ? "–" : formatDuration(ms, language)}</span>;
}

/** `<Time at={row.created_at} />`: how long ago, the exact moment on hover. `exact` shows the moment itself. */
export function Time({
  at,
  exact = false,
}: {
  readonly at: string | null;
  readonly exact?: boolean;
}): ReactNode {
  const language = useLanguage();
  const now = useNow();
  if (at === null) return "–";
  const moment = new Date(at);
  const text = exact ? formatMoment(moment, language) : formatAgo(moment, now, language);
  return (
    <time
      dateTime={at}
      title={exact ? at : formatMoment(moment, language)}
      className={exact ? "sm:whitespace-nowrap" : "whitespace-nowrap"}
    >
      {text}
    </time>
  );
}

/** The present, anew twice a minute. */
function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
