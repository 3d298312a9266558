import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AuditRow } from "../../../../src/console/audit/contract.ts";
import { Badge } from "../../parts/badge.tsx";
import { useWords } from "../../words/use-words.ts";
import { Change } from "./change.tsx";
import { auditWords } from "./words.ts";

interface DeedProps {
  readonly row: AuditRow;
  /** Where the log is of all accounts. */
  readonly namesAccount: boolean;
}

/** What was done to what; where there is no room for a column of its own, also what it changed. */
export function Deed({ row, namesAccount }: DeedProps): ReactNode {
  const { action, subject, account } = row;
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <Link to="." search={{ action }} className="font-mono text-sm hover:underline">
        {action}
      </Link>
      <p className="wrap-anywhere">{subject}</p>
      {namesAccount && account !== null && account.name !== subject && (
        <Link to={`/operator/accounts/${account.id}`} className="text-sm text-mute hover:underline">
          {account.name}
        </Link>
      )}
      <div className="text-sm md:hidden">
        <Change row={row} />
      </div>
    </div>
  );
}

/** Who did it; from where, and by which request, on demand. */
export function Actor({
  row: { actor, by_token, request_id, address },
}: {
  readonly row: AuditRow;
}): ReactNode {
  const t = useWords(auditWords);
  if (actor === null) return <p className="text-sm text-mute">{t.program}</p>;
  return (
    <details>
      <summary className="cursor-pointer text-sm wrap-anywhere" title={t.details}>
        {actor} {by_token && <Badge>{t.byToken}</Badge>}
      </summary>
      <p className="text-sm text-mute">
        {t.address} {address}
      </p>
      <p className="text-sm break-all text-mute">
        {t.request} <code className="font-mono">{request_id}</code>
      </p>
    </details>
  );
}
