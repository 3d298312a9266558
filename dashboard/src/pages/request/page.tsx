import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { FailedRequestRow } from "../../../../src/console/failed-requests/contract.ts";
import type { RequestDetail, RequestRow } from "../../../../src/console/requests/contract.ts";
import { useAccount, useSession } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { Count, Duration, Money, Time } from "../../parts/amounts.tsx";
import { ButtonLink } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { Copyable } from "../../parts/copy.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { ReceiptStatement } from "../../parts/receipt.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Facts, Stat, Stats } from "../../parts/stat.tsx";
import { Rows } from "../../parts/table.tsx";
import { useEndpointName } from "../../words/endpoint-words.ts";
import { useWords } from "../../words/use-words.ts";
import { useCredentialName } from "../operator-upstreams/use-credential-name.ts";
import { Outcome } from "../requests/outcome.tsx";
import { CallerError, Refused } from "./failure.tsx";
import { OperatorAttempts } from "./operator-attempts.tsx";
import { useFailure } from "./use-failure.ts";
import { requestWords } from "./words.ts";

/** How often a request that is not recorded yet is asked about. */
const FOLLOW_MS = 1_000;

/** One request: its receipt to the last digit, where the time went, what was lost on the way, or why it failed. */
export function RequestPage(): ReactNode {
  const t = useWords(requestWords);
  const { id: account } = useAccount();
  const { request = "" } = useParams({ strict: false }) as { request?: string };
  const path = `/accounts/${account}/requests/${encodeURIComponent(request)}` as const;
  const first = useRead(path);
  const isOver = first.data?.request !== null || first.data.receipt.state === "quarantined";
  const query = useRead(path, {}, isOver ? {} : { everyMs: FOLLOW_MS });
  const failure = useFailure({ account, request, query });
  // Of a refused request there is no receipt: nothing was held for it.
  const isRefused = query.isError && failure.row !== undefined;
  return (
    <Page
      title={t.title}
      lead={<Copyable text={request} />}
      actions={
        <ButtonLink icon="left" to={`/accounts/${account}/requests`}>
          {t.all}
        </ButtonLink>
      }
    >
      {isRefused && <Refused row={failure.row} />}
      {query.isError && failure.isLoading && <Skeleton />}
      {!isRefused && !failure.isLoading && (
        <Loaded query={query}>
          {(detail) => <Detail detail={detail} account={account} failure={failure.row} />}
        </Loaded>
      )}
    </Page>
  );
}

interface DetailProps {
  readonly detail: RequestDetail;
  readonly account: string;
  readonly failure: FailedRequestRow | undefined;
}

function Detail({ detail, account, failure }: DetailProps): ReactNode {
  const t = useWords(requestWords);
  const { receipt, request, raw_usage: raw } = detail;
  const losses = receipt.losses ?? [];
  return (
    <>
      {receipt.state !== "posted" && <p className="text-mute">{t[receipt.state]}</p>}
      {request !== null && <Summary row={request} />}
      {failure !== undefined && <CallerError row={failure} />}
      {request !== null && (request.failed || request.attempts > 1) && (
        <OperatorAttempts request={request.request_id} />
      )}
      {receipt.lines !== undefined && (
        <Section title={t.receipt}>
          <ReceiptStatement receipt={receipt} />
        </Section>
      )}
      {detail.cost !== null && (
        <Section title={t.cost}>
          <Cost cost={detail.cost} />
        </Section>
      )}
      {request !== null && (
        <Section title={t.timing}>
          <Timing row={request} endedAt={receipt.ended_at} />
        </Section>
      )}
      <Section title={t.details}>
        <Facts rows={useFacts(detail, account)} />
      </Section>
      {losses.length > 0 && (
        <Section title={t.losses}>
          <p className="text-mute">{t.lossesWhy}</p>
          <ul className="flex list-disc flex-col gap-1 pl-4">
            {losses.map((loss) => (
              <li key={loss}>
                <code className="font-mono text-sm break-all">{loss}</code>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {raw !== null && raw !== undefined && (
        <Section title={t.raw}>
          <Code text={JSON.stringify(raw, null, 2)} label={t.raw} />
        </Section>
      )}
      <Section title={t.code}>
        <ReceiptCode requestId={receipt.request_id} />
      </Section>
    </>
  );
}

function Summary({ row }: { readonly row: RequestRow }): ReactNode {
  const t = useWords(requestWords);
  return (
    <Stats>
      <Stat label={t.charge}>
        <Money nanos={row.charge_nanos} />
      </Stat>
      <Stat label={t.took}>
        <Duration ms={row.total_ms} />
      </Stat>
      <Stat label={t.firstByte}>
        <Duration ms={row.first_byte_ms} />
      </Stat>
      <Stat label={t.outcome}>
        <span className="text-base font-normal">
          <Outcome row={row} />
        </span>
      </Stat>
    </Stats>
  );
}

/** What vendors bill for it; only operators are told. */
function Cost({ cost }: { readonly cost: NonNullable<RequestDetail["cost"]> }): ReactNode {
  const t = useWords(requestWords);
  return (
    <>
      <Stats>
        <Stat label={t.costOfAll}>
          <Money nanos={cost.cost_nanos} />
        </Stat>
        <Stat label={t.margin}>
          <Money nanos={cost.margin_nanos} />
        </Stat>
      </Stats>
      <Rows
        caption={t.cost}
        rows={cost.attempts.map((attempt, index) => ({ ...attempt, index }))}
        rowKey={({ index }) => String(index)}
        columns={[
          { title: t.upstream, cell: ({ upstream }) => upstream || t.costUses.unknown },
          { title: t.model, wideOnly: true, cell: ({ upstream_model }) => upstream_model ?? "–" },
          { title: t.costUse, cell: ({ used }) => t.costUses[used] },
          { title: t.cost, align: "end", cell: ({ cost_nanos }) => <Money nanos={cost_nanos} /> },
          {
            title: t.stated,
            align: "end",
            cell: ({ stated_nanos }) => (stated_nanos === null ? "–" : <Money nanos={stated_nanos} />),
          },
        ]}
      />
    </>
  );
}

/** The time until the first byte and from there to the end, as lengths. */
function Timing({
  row,
  endedAt,
}: {
  readonly row: RequestRow;
  readonly endedAt: string | undefined;
}): ReactNode {
  const t = useWords(requestWords);
  const first = row.first_byte_ms;
  const waitedShare = first === null ? 100 : (100 * first) / Math.max(1, row.total_ms);
  return (
    <div className="flex flex-col gap-3">
      <div aria-hidden="true" className="flex h-2 max-w-3xl overflow-hidden rounded-full bg-shade">
        <span className="bg-edge" style={{ width: `${waitedShare}%` }} />
        <span className="flex-1 bg-accent" />
      </div>
      <Facts
        rows={[
          [t.accepted, <Moment key="accepted" at={row.accepted_at} />],
          ...(first === null
            ? []
            : ([
                [t.waited, <Duration key="waited" ms={first} />],
                [t.answered, <Duration key="answered" ms={Math.max(0, row.total_ms - first)} />],
              ] as const)),
          [t.total, <Duration key="total" ms={row.total_ms} />],
          [t.ended, <Moment key="ended" at={endedAt ?? row.recorded_at} />],
          [t.attempts, <Count key="attempts" value={row.attempts} />],
        ]}
      />
    </div>
  );
}

/** An exact moment, which on a phone needs two lines. */
function Moment({ at }: { readonly at: string }): ReactNode {
  return (
    <span className="[&_time]:whitespace-normal">
      <Time at={at} exact />
    </span>
  );
}

function useFacts({ receipt, request, upstream_model, place }: RequestDetail, account: string) {
  const t = useWords(requestWords);
  const endpointName = useEndpointName();
  const credentialName = useCredentialName();
  const { user } = useSession();
  const rows: [string, ReactNode][] = [
    [t.id, <Copyable key="id" text={receipt.request_id} />],
    [t.model, receipt.model ?? "–"],
    [
      t.endpoint,
      receipt.endpoint === undefined || receipt.endpoint === null ? "–" : endpointName(receipt.endpoint),
    ],
    [t.streamed, receipt.streamed ? t.yes : t.no],
  ];
  if (receipt.asked_model !== undefined) rows.splice(2, 0, [t.askedModel, receipt.asked_model]);
  if (receipt.tags !== undefined) rows.push([t.tags, receipt.tags.join(", ")]);
  if (receipt.status !== undefined) rows.push([t.status, receipt.status === 0 ? "–" : receipt.status]);
  if (receipt.output_limit !== undefined)
    rows.push([t.outputLimit, <Count key="limit" value={receipt.output_limit} />]);
  if (receipt.error_code) rows.push([t.error, <code key="error">{receipt.error_code}</code>]);
  if (request !== null) {
    rows.push([
      t.key,
      <Link
        key="key"
        to={`/accounts/${account}/requests`}
        search={{ key: request.key.id }}
        className="text-accent hover:underline"
      >
        {request.key.name ?? `#${request.key.id}`}
      </Link>,
    ]);
  }
  if (receipt.task) {
    const { id } = receipt.task;
    rows.push([
      t.task,
      <Link
        key="task"
        to={`/accounts/${account}/tasks/${id}`}
        className="break-all text-accent hover:underline"
      >
        {id}
      </Link>,
    ]);
  }
  if (user.is_operator && request?.upstream) {
    rows.push([t.upstream, request.upstream], [t.upstreamModel, upstream_model ?? "–"]);
    if (place !== null)
      rows.push([t.credential, credentialName(place.credential)], [t.chosen, t.reasons[place.reason]]);
  }
  return rows;
}

function ReceiptCode({ requestId }: { readonly requestId: string }): ReactNode {
  const t = useWords(requestWords);
  const { public_url: url } = useSession();
  return (
    <Code
      label={t.code}
      text={`curl ${url}/v1/receipts/${requestId} \\\n  -H "Authorization: Bearer $FAREGATE_API_KEY"`}
    />
  );
}
