import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { useWords } from "../../words/use-words.ts";
import { AuditLog } from "../audit/audit-log.tsx";
import { auditWords } from "../audit/words.ts";

/** Who changed what, anywhere, and how it stood before. */
export function OperatorAuditPage(): ReactNode {
  const t = useWords(auditWords);
  return (
    <Page title={t.title} lead={t.lead}>
      <AuditLog path="/operator/audit" ofAll />
    </Page>
  );
}
