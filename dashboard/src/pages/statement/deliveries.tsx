import type { ReactNode } from "react";
import type { AlertDelivery } from "../../../../src/console/alerts/contract.ts";
import { Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Rows } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { statementWords } from "./words.ts";

/** The latest deliveries of the alert, each with how its last attempt went. */
export function Deliveries({ deliveries }: { readonly deliveries: readonly AlertDelivery[] }): ReactNode {
  const t = useWords(statementWords);
  if (deliveries.length === 0) return <p className="text-mute">{t.noDeliveries}</p>;
  return (
    <Rows
      caption={t.deliveries}
      rows={deliveries}
      rowKey={(delivery) => delivery.id}
      columns={[
        { title: t.when, cell: (delivery) => <Time at={delivery.created_at} /> },
        {
          title: t.event,
          cell: ({ event }) => (
            <span className="whitespace-nowrap">{t.events[event as keyof typeof t.events] ?? event}</span>
          ),
        },
        { title: t.outcome, cell: (delivery) => <Outcome delivery={delivery} /> },
      ]}
    />
  );
}

function Outcome({ delivery }: { readonly delivery: AlertDelivery }): ReactNode {
  const t = useWords(statementWords);
  const count = delivery.attempts.length;
  const last = delivery.attempts.at(-1);
  const said = last?.failure ?? (last?.status == null ? undefined : t.answered(last.status));
  return (
    <>
      {delivery.delivered_at !== null ? (
        <Badge tone="good">{t.delivered(count)}</Badge>
      ) : delivery.next_attempt_at !== null ? (
        <Badge tone={count === 0 ? "plain" : "warn"}>{t.again(count)}</Badge>
      ) : (
        <Badge tone="bad">{t.givenUp}</Badge>
      )}
      {delivery.delivered_at === null && said !== undefined && (
        <span className="block text-sm break-words text-mute">{said}</span>
      )}
    </>
  );
}
