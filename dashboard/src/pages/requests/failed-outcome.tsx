import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { ErrorWords } from "../../parts/error-words.tsx";
import { useLimitName } from "../../words/limit-words.ts";
import { useWords } from "../../words/use-words.ts";
import { failedWords } from "./failed-words.ts";

interface Failed {
  readonly status: number;
  readonly error_code: string | null;
  readonly message: string | null;
  readonly limit: string | null;
  readonly refused: boolean;
}

/** The status, the code and the limit that refused it: on one line each. */
export function FailedStatus({ row }: { readonly row: Omit<Failed, "message"> }): ReactNode {
  const t = useWords(failedWords);
  const limitName = useLimitName();
  const { status, error_code: code, refused, limit } = row;
  const isFailure = status === 0 || status >= 400;
  const tone = !isFailure ? "good" : status === 0 || refused ? "warn" : "bad";
  return (
    <span className="flex flex-col items-start gap-0.5">
      <span className="inline-flex flex-wrap items-center gap-2">
        <Badge tone={tone}>{status === 0 ? "–" : status}</Badge>
        {refused && <span>{t.refused}</span>}
        {status === 0 && <span>{t.statusNone}</span>}
      </span>
      {code !== null && <code className="font-mono text-sm wrap-anywhere">{code}</code>}
      {limit !== null && (
        <span className="text-sm text-mute">
          {t.limit} {limitName(limit)}
        </span>
      )}
    </span>
  );
}

/** The same, with what the caller was told. */
export function FailedOutcome({ row }: { readonly row: Failed }): ReactNode {
  return (
    <span className="flex max-w-lg flex-col gap-1">
      <FailedStatus row={row} />
      <span>
        <ErrorWords code={row.error_code} message={row.message} status={row.status} />
      </span>
    </span>
  );
}
