import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useRead } from "../../api/use-read.ts";
import { formatCount } from "../../format/count.ts";
import { formatForecast, formatMoney } from "../../format/money.ts";
import { Count, Money } from "../../parts/amounts.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { useWords } from "../../words/use-words.ts";
import { homeWords } from "./words.ts";

/** What the account has, what it spends; each number leads to what makes it up. */
export function HomeStats({ account }: { readonly account: string }): ReactNode {
  const t = useWords(homeWords);
  const balance = useRead(`/accounts/${account}/balance`);
  const spending = useRead(`/accounts/${account}/spending`);
  return (
    <Stats>
      <Loaded query={balance} skeleton={<Skeleton lines={2} />}>
        {({ balance_nanos, held_nanos }) => (
          <Stat label={t.balance} note={held_nanos === "0" ? undefined : t.held(formatMoney(held_nanos))}>
            <Link to={`/accounts/${account}/statement`} className="hover:underline">
              <Money nanos={balance_nanos} />
            </Link>
          </Stat>
        )}
      </Loaded>
      <Loaded query={spending} skeleton={<Skeleton lines={2} />}>
        {({ forecast, totals }) => (
          <>
            <Stat
              label={t.month}
              note={
                forecast.expected_nanos === "0"
                  ? undefined
                  : t.expected(formatForecast(forecast.expected_nanos))
              }
            >
              <Link to={`/accounts/${account}/spending`} className="hover:underline">
                <Money nanos={forecast.charged_nanos} />
              </Link>
            </Stat>
            <Stat label={t.today} note={totals.errors > 0 ? t.failed(formatCount(totals.errors)) : undefined}>
              <Link to={`/accounts/${account}/requests`} className="hover:underline">
                <Count value={totals.requests} />
              </Link>
            </Stat>
          </>
        )}
      </Loaded>
    </Stats>
  );
}
