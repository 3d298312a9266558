import type { ReactNode } from "react";
import type { ResponseOf } from "../../api/operations.ts";
import { Duration } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Copyable } from "../../parts/copy.tsx";
import { Verbatim } from "../../parts/error-words.tsx";
import { Facts } from "../../parts/stat.tsx";
import { useWords } from "../../words/use-words.ts";
import { useCredentialName } from "../operator-upstreams/use-credential-name.ts";
import { operatorRequestWords } from "./words.ts";

/** A request of any account, as operators are told of it. */
export type OperatorRequestDetail = ResponseOf<`/operator/requests/${string}`, "get">;

type Attempt = OperatorRequestDetail["attempts"][number];

/** What each attempt met, in order: the vendor's own words first. */
export function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }): ReactNode {
  return (
    <ol className="flex flex-col gap-6">
      {attempts.map((attempt, index) => (
        <li key={index} className="flex min-w-0 flex-col gap-3">
          <OneAttempt attempt={attempt} number={index + 1} />
        </li>
      ))}
    </ol>
  );
}

function OneAttempt({ attempt, number }: { readonly attempt: Attempt; readonly number: number }): ReactNode {
  const t = useWords(operatorRequestWords);
  const { upstream, status, message } = attempt;
  const failed = status === null || status >= 400;
  return (
    <>
      <h3 className="flex flex-wrap items-center gap-2 font-medium">
        <span className="wrap-anywhere">{t.attempt(number, upstream)}</span>
        <Badge tone={failed ? "bad" : "good"}>{status ?? t.noResponse}</Badge>
      </h3>
      {message !== "" && <Verbatim text={message} />}
      <Facts rows={useFacts(attempt)} />
    </>
  );
}

function useFacts(attempt: Attempt): readonly (readonly [string, ReactNode])[] {
  const t = useWords(operatorRequestWords);
  const credentialName = useCredentialName();
  const {
    type,
    code,
    vendor_request_id: vendorId,
    began_ms,
    connected_ms,
    first_byte_ms,
    ended_ms,
  } = attempt;
  const verbatim = (text: string): ReactNode =>
    text === "" ? "–" : <code className="font-mono text-sm wrap-anywhere">{text}</code>;
  const between = (from: number | null, until: number | null): ReactNode => (
    <Duration ms={from === null || until === null ? null : Math.max(0, until - from)} />
  );
  return [
    [t.type, verbatim(type)],
    [t.vendorCode, verbatim(code)],
    [t.vendorId, vendorId === null ? "–" : <Copyable key="id" text={vendorId} />],
    [t.credential, <span key="credential">{credentialName(attempt.credential)}</span>],
    [t.upstreamModel, attempt.upstream_model],
    [t.began, <Duration key="began" ms={began_ms} />],
    // A phase that never ended lasted until the attempt did.
    [t.connecting, between(began_ms, connected_ms ?? ended_ms)],
    [t.waiting, between(connected_ms, first_byte_ms ?? ended_ms)],
    [t.receiving, between(first_byte_ms, ended_ms)],
  ];
}
