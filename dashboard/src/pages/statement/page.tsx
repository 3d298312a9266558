import { type ReactNode, useState } from "react";
import { apiUrl } from "../../api/client.ts";
import { useAccount } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { Money } from "../../parts/amounts.tsx";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { DownloadLink } from "../../parts/download-link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { Tabs, useTab } from "../../parts/tabs.tsx";
import { useWords } from "../../words/use-words.ts";
import { Alert } from "./alert.tsx";
import { BillingDetails } from "./billing-details.tsx";
import { Days, useMonth } from "./days.tsx";
import { EntryRequests } from "./entry-requests.tsx";
import { monthWords } from "./month-words.ts";
import { Redeem } from "./redeem.tsx";
import { Transactions, useWish } from "./transactions.tsx";
import { statementWords } from "./words.ts";

/** Where the money went: balance, each month by day or entry by entry, codes, billing details and the alert. */
export function StatementPage(): ReactNode {
  const t = useWords(statementWords);
  const m = useWords(monthWords);
  const account = useAccount();
  const tab = useTab(["days", "transactions"]);
  const wish = useWish();
  const month = useMonth();
  const [redeeming, setRedeeming] = useState(false);
  const mayRedeem = account.role !== "viewer";
  const redeem = (
    <Button look="primary" onClick={() => setRedeeming(true)}>
      {t.redeem}
    </Button>
  );
  const base = `/accounts/${account.id}` as const;
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <>
          {tab === "days" ? (
            <>
              <ButtonLink to={`${base}/statement/${month}`}>{m.print}</ButtonLink>
              <DownloadLink href={apiUrl(`${base}/statements/${month}/rows.csv`)}>{t.export}</DownloadLink>
            </>
          ) : (
            <DownloadLink href={apiUrl(`${base}/statement.csv`, wish)}>{t.export}</DownloadLink>
          )}
          {mayRedeem && redeem}
        </>
      }
    >
      <Balances account={account.id} />
      <Tabs
        label={m.views}
        tabs={[
          ["days", m.byDay],
          ["transactions", m.transactions],
        ]}
      />
      {tab === "days" ? (
        <Days account={account.id} month={month} />
      ) : (
        <Transactions account={account.id} wish={wish} top={mayRedeem ? redeem : undefined} />
      )}
      <BillingDetails account={account.id} mayEdit={account.role === "owner"} />
      {account.role === "owner" && <Alert account={account.id} />}
      <EntryRequests account={account.id} />
      <Redeem account={account.id} open={redeeming} onClose={() => setRedeeming(false)} />
    </Page>
  );
}

/** Often enough that a charge shows while one looks. */
const BALANCE_EVERY_MS = 5_000;

function Balances({ account }: { readonly account: string }): ReactNode {
  const t = useWords(statementWords);
  const query = useRead(`/accounts/${account}/balance`, {}, { everyMs: BALANCE_EVERY_MS });
  return (
    <Loaded query={query}>
      {(balance) => (
        <Stats>
          <Stat label={t.available} note={t.availableNote}>
            <Money nanos={balance.available_nanos} />
          </Stat>
          <Stat label={t.held} note={t.heldNote}>
            <Money nanos={balance.held_nanos} />
          </Stat>
          <Stat label={t.balance}>
            <Money nanos={balance.balance_nanos} />
          </Stat>
        </Stats>
      )}
    </Loaded>
  );
}
