import type { Applied } from "../manifest/apply.ts";
import { type AuditContext, insertAudit } from "../people/audit-store.ts";
import type { Queryable } from "../storage/database.ts";

/**
 * Leaves the diff of an applied catalog in the audit log, as the console does of an import; no secret is in it.
 * `subject` is what was applied: a file's name.
 */
export function catalogTrace(
  subject: string,
  origin: AuditContext,
  prune = false,
): (tx: Queryable, applied: Applied) => Promise<void> {
  return (tx, { rendered }) => {
    const after = { changes: rendered.split("\n"), prune };
    return insertAudit(tx, { ...{ action: "catalog.apply", subject, after }, ...origin });
  };
}
