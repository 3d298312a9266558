import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useRead } from "../../api/use-read.ts";
import { Count, Duration, Money, Time } from "../../parts/amounts.tsx";
import { ButtonLink } from "../../parts/button.tsx";
import { Copyable } from "../../parts/copy.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Facts, Stat, Stats } from "../../parts/stat.tsx";
import { useEndpointName } from "../../words/endpoint-words.ts";
import { useWords } from "../../words/use-words.ts";
import { CallerError } from "../request/failure.tsx";
import { FailedStatus } from "../requests/failed-outcome.tsx";
import { Attempts, type OperatorRequestDetail } from "./attempts.tsx";
import { operatorRequestWords } from "./words.ts";

/** Why a request of any account failed: what its caller was told, and what each attempt met. */
export function OperatorRequestPage(): ReactNode {
  const t = useWords(operatorRequestWords);
  const { request = "" } = useParams({ strict: false }) as { request?: string };
  const query = useRead(`/operator/requests/${encodeURIComponent(request)}`);
  return (
    <Page
      title={t.title}
      lead={<Copyable text={query.data?.request.request_id ?? request} />}
      actions={<Actions detail={query.data} />}
    >
      <Loaded query={query}>{(detail) => <Shown detail={detail} />}</Loaded>
    </Page>
  );
}

function Actions({ detail }: { readonly detail: OperatorRequestDetail | undefined }): ReactNode {
  const t = useWords(operatorRequestWords);
  return (
    <>
      <ButtonLink icon="left" to="/operator/requests">
        {t.all}
      </ButtonLink>
      {detail?.request.refused === false && (
        <ButtonLink to={`/accounts/${detail.request.account.id}/requests/${detail.request.request_id}`}>
          {t.receipt}
        </ButtonLink>
      )}
    </>
  );
}

function Shown({ detail: { request, attempts } }: { readonly detail: OperatorRequestDetail }): ReactNode {
  const t = useWords(operatorRequestWords);
  const { error_code: code, message } = request;
  const nothingTried = request.refused ? t.noUpstream : t.noAttempts;
  return (
    <>
      <Stats>
        <Stat label={t.outcome}>
          <span className="text-base font-normal">
            <FailedStatus row={request} />
          </span>
        </Stat>
        <Stat label={t.took}>
          <Duration ms={request.total_ms} />
        </Stat>
        <Stat label={t.tried}>
          <Count value={request.attempts} />
        </Stat>
        <Stat label={t.charge}>
          <Money nanos={request.charge_nanos} />
        </Stat>
      </Stats>
      {(code !== null || message !== null) && <CallerError row={request} />}
      <Section title={t.attempts}>
        {attempts.length === 0 ? (
          <p className="text-mute">{nothingTried}</p>
        ) : (
          <Attempts attempts={attempts} />
        )}
      </Section>
      <Section title={t.details}>
        <Facts rows={useFacts(request)} />
      </Section>
    </>
  );
}

function useFacts(request: OperatorRequestDetail["request"]): readonly (readonly [string, ReactNode])[] {
  const t = useWords(operatorRequestWords);
  const endpointName = useEndpointName();
  const { account, key, upstream } = request;
  return [
    [t.id, <Copyable key="id" text={request.request_id} />],
    [
      t.account,
      <Link key="account" to={`/operator/accounts/${account.id}`} className="link wrap-anywhere">
        {account.name ?? `#${account.id}`}
      </Link>,
    ],
    [
      t.key,
      <Link
        key="key"
        to="/operator/requests"
        search={{ account: account.id, key: key.id }}
        className="link wrap-anywhere"
      >
        {key.name ?? `#${key.id}`}
      </Link>,
    ],
    [t.model, request.model ?? "–"],
    [t.endpoint, endpointName(request.endpoint)],
    [t.upstream, upstream ?? "–"],
    [t.accepted, <Time key="accepted" at={request.accepted_at} exact />],
    [t.ended, <Time key="ended" at={request.recorded_at} exact />],
  ];
}
