import type { ReactNode } from "react";
import { useAccount } from "../../api/session.ts";
import { Page } from "../../parts/page.tsx";
import { useWords } from "../../words/use-words.ts";
import { AuditLog } from "./audit-log.tsx";
import { auditWords } from "./words.ts";

/** Who changed what in the account, and how it stood before; for its owners. */
export function AuditPage(): ReactNode {
  const t = useWords(auditWords);
  const { id } = useAccount();
  return (
    <Page title={t.title} lead={t.leadOfAccount}>
      <AuditLog path={`/accounts/${id}/audit`} />
    </Page>
  );
}
