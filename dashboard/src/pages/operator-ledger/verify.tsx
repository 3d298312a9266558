import type { ReactNode } from "react";
import type { Verification } from "../../../../src/console/ledger/contract.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { formatCount } from "../../format/count.ts";
import { Count, Duration, Money, Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Section } from "../../parts/page.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { Rows } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { operatorLedgerWords } from "./words.ts";

/** The check of `faregate ledger verify`, from here. */
export function Verify(): ReactNode {
  const t = useWords(operatorLedgerWords);
  const verify = useWrite(() => write("POST", "/operator/ledger/verify", {}));
  return (
    <Section
      title={t.verify}
      actions={
        <Button look="primary" busy={verify.isPending} onClick={() => verify.mutate(undefined)}>
          {verify.isPending ? t.verifying : t.verify}
        </Button>
      }
    >
      <p className="max-w-prose text-mute">{t.verifyLead}</p>
      {verify.error !== null && <Failed error={verify.error} />}
      {verify.isPending && <Skeleton lines={3} />}
      {verify.data !== undefined && <Report report={verify.data} />}
    </Section>
  );
}

function Report({ report }: { readonly report: Verification }): ReactNode {
  const t = useWords(operatorLedgerWords);
  return (
    <div role="status" className="flex flex-col gap-4">
      <p className="flex flex-wrap items-center gap-2">
        {report.ok ? (
          <Badge tone="good">{t.right}</Badge>
        ) : (
          <Badge tone="bad">{t.wrong(formatCount(report.breaches.length))}</Badge>
        )}
        <span className="text-mute">
          <Time at={report.at} /> · <Duration ms={report.took_ms} />
        </span>
      </p>
      {!report.ok && <Breaches breaches={report.breaches} />}
      <Stats>
        <Stat label={t.funding}>
          <Money nanos={report.funding_nanos} />
        </Stat>
        <Stat label={t.revenue}>
          <Money nanos={report.revenue_nanos} />
        </Stat>
        <Stat label={t.loss}>
          <Money nanos={report.loss_nanos} />
        </Stat>
        <Stat label={t.accounts}>
          <Count value={report.accounts.length} />
        </Stat>
        <Stat label={t.quarantined}>
          <Count value={report.quarantined_records} />
        </Stat>
        <Stat label={t.unposted} note={t.unpostedNote}>
          {report.unposted_records === null ? t.unknown : <Count value={report.unposted_records} />}
        </Stat>
      </Stats>
    </div>
  );
}

function Breaches({ breaches }: Pick<Verification, "breaches">): ReactNode {
  const t = useWords(operatorLedgerWords);
  return (
    <Rows
      caption={t.wrong(formatCount(breaches.length))}
      rows={breaches}
      rowKey={({ rule, subject, found }) => `${rule} ${subject} ${found}`}
      columns={[
        {
          title: t.rule,
          cell: ({ rule, says }) => (
            <>
              <code className="font-mono text-sm">{rule}</code>
              <span className="block max-w-prose text-sm text-mute">{says}</span>
            </>
          ),
        },
        { title: t.subject, cell: ({ subject }) => subject },
        { title: t.found, cell: ({ found }) => found },
        { title: t.expected, cell: ({ expected }) => expected },
      ]}
    />
  );
}
