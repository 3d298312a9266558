import { useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { AccountDetail } from "../../../../src/console/accounts/contract.ts";
import { useRead } from "../../api/use-read.ts";
import { Count, Money, Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Copyable } from "../../parts/copy.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { Facts, Stat, Stats } from "../../parts/stat.tsx";
import { useWords } from "../../words/use-words.ts";
import { Adjust } from "./adjust.tsx";
import { Entries } from "./entries.tsx";
import { GroupChoice } from "./group-choice.tsx";
import { Members } from "./members.tsx";
import { Suspension } from "./suspension.tsx";
import { TagKeys } from "./tag-keys.tsx";
import { operatorAccountWords } from "./words.ts";

/** One account, for operators: what it has, and what can be done about it. */
export function OperatorAccountPage(): ReactNode {
  const t = useWords(operatorAccountWords);
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const query = useRead(`/operator/accounts/${id}`);
  return (
    <Loaded query={query}>
      {(account) => (
        <Page
          title={account.name}
          lead={account.disabled && <Badge tone="bad">{t.suspended}</Badge>}
          actions={<Actions account={account} />}
        >
          <Numbers account={account} />
          <Facts
            rows={[
              [t.group, <GroupChoice key="group" account={account} />],
              [t.tagKeys, <TagKeys key="tags" account={account} />],
              [t.opened, <Time key="opened" at={account.created_at} exact />],
              [t.id, <Copyable key="id" text={account.id} />],
            ]}
          />
          <Entries account={account.id} />
          <Members account={account.id} />
        </Page>
      )}
    </Loaded>
  );
}

function Actions({ account }: { readonly account: AccountDetail }): ReactNode {
  const t = useWords(operatorAccountWords);
  const [adjusting, setAdjusting] = useState(false);
  return (
    <>
      <ButtonLink to={`/accounts/${account.id}`}>{t.lookAt}</ButtonLink>
      <Reserved to="all">
        <Suspension account={account} />
      </Reserved>
      <Reserved to="billing">
        <Button look="primary" onClick={() => setAdjusting(true)}>
          {t.adjust}
        </Button>
      </Reserved>
      <Adjust account={account} open={adjusting} onClose={() => setAdjusting(false)} />
    </>
  );
}

function Numbers({ account }: { readonly account: AccountDetail }): ReactNode {
  const t = useWords(operatorAccountWords);
  return (
    <Stats>
      <Stat label={t.available}>
        <Money nanos={account.available_nanos} />
      </Stat>
      <Stat label={t.balance}>
        <Money nanos={account.balance_nanos} />
      </Stat>
      <Stat label={t.month}>
        <Money nanos={account.spent_this_month_nanos} />
      </Stat>
      <Stat label={t.keys}>
        <Count value={account.keys} />
      </Stat>
      <Stat label={t.members}>
        <Count value={account.members} />
      </Stat>
    </Stats>
  );
}
