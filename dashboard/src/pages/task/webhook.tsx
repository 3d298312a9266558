import type { ReactNode } from "react";
import type { TaskDetail } from "../../../../src/console/tasks/contract.ts";
import { Duration, Time } from "../../parts/amounts.tsx";
import { Section } from "../../parts/page.tsx";
import { Facts } from "../../parts/stat.tsx";
import { Rows } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { taskWords } from "./words.ts";

interface WebhookProps {
  readonly webhook: NonNullable<TaskDetail["webhook"]>;
  /** The task is. */
  readonly over: boolean;
}

/** Who is told of the task's end, and what each attempt came to. */
export function Webhook({ webhook, over }: WebhookProps): ReactNode {
  const t = useWords(taskWords);
  const { url, delivered_at: delivered, next_at: next, attempts } = webhook;
  const outcome: readonly [string, ReactNode] =
    delivered !== null
      ? [t.delivered, <Time key="delivered" at={delivered} />]
      : [t.nextTry, next !== null ? <Time key="next" at={next} /> : over ? t.givenUp : t.notYet];
  return (
    <Section title={t.webhook}>
      <Facts rows={[["URL", url], outcome]} />
      {attempts.length > 0 && (
        <Rows
          caption={t.webhook}
          rows={attempts}
          rowKey={({ attempt }) => String(attempt)}
          columns={[
            { title: t.attempt, cell: ({ attempt }) => attempt },
            { title: t.at, cell: ({ at }) => <Time at={at} /> },
            { title: t.answer, cell: ({ status, failure }) => failure ?? status ?? t.noAnswer },
            { title: t.ms, align: "end", cell: ({ duration_ms: ms }) => <Duration ms={ms} /> },
          ]}
        />
      )}
    </Section>
  );
}
