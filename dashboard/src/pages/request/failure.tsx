import type { ReactNode } from "react";
import type { FailedRequestRow } from "../../../../src/console/failed-requests/contract.ts";
import { Duration, Time } from "../../parts/amounts.tsx";
import { Copyable } from "../../parts/copy.tsx";
import { ErrorWords } from "../../parts/error-words.tsx";
import { Section } from "../../parts/page.tsx";
import { Facts, Stat, Stats } from "../../parts/stat.tsx";
import { useEndpointName } from "../../words/endpoint-words.ts";
import { useLimitName } from "../../words/limit-words.ts";
import { useWords } from "../../words/use-words.ts";
import { FailedStatus } from "../requests/failed-outcome.tsx";
import { requestWords } from "./words.ts";

type CallerErrorRow = Pick<FailedRequestRow, "status" | "limit"> & {
  readonly error_code: string | null;
  readonly message: string | null;
};

/** What the caller was told, and the limit that refused it. */
export function CallerError({ row }: { readonly row: CallerErrorRow }): ReactNode {
  const t = useWords(requestWords);
  const limitName = useLimitName();
  const { error_code: code, message, status, limit } = row;
  return (
    <Section title={t.callerError}>
      <p className="text-mute">{t.callerErrorLead}</p>
      <p className="max-w-3xl">
        <ErrorWords code={code} message={message} status={status} />
      </p>
      {limit !== null && <Facts rows={[[t.limit, limitName(limit)]]} />}
    </Section>
  );
}

/** A request that was refused before money was held: there is no receipt, only why. */
export function Refused({ row }: { readonly row: FailedRequestRow }): ReactNode {
  const t = useWords(requestWords);
  const endpointName = useEndpointName();
  return (
    <>
      <p className="text-mute">{t.notCharged}</p>
      <Stats>
        <Stat label={t.outcome}>
          <span className="text-base font-normal">
            <FailedStatus row={row} />
          </span>
        </Stat>
        <Stat label={t.took}>
          <Duration ms={row.total_ms} />
        </Stat>
      </Stats>
      <CallerError row={row} />
      <Section title={t.details}>
        <Facts
          rows={[
            [t.id, <Copyable key="id" text={row.request_id} />],
            [t.model, row.model ?? "–"],
            [t.endpoint, endpointName(row.endpoint)],
            [t.key, row.key.name ?? `#${row.key.id}`],
            [t.accepted, <Time key="accepted" at={row.accepted_at} exact />],
          ]}
        />
      </Section>
    </>
  );
}
