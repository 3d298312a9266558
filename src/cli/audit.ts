import { hostname, userInfo } from "node:os";
import type { Applied } from "../manifest/apply.ts";
import type { Queryable } from "../storage/database.ts";
import { type AuditContext, insertAudit } from "../users/audit-store.ts";

/** The author of a command's change in the audit log: the machine's user and its host name. */
export function commandOrigin(): AuditContext {
  return { identity: undefined, program: `cli (${userOfMachine()})`, requestId: "command line", address: "" };
}

/** The same of a start, which applies what FAREGATE_CONFIG names. */
export function startOrigin(): AuditContext {
  return { identity: undefined, program: `start (${userOfMachine()})`, requestId: "start", address: "" };
}

function userOfMachine(): string {
  return `${userName()} on ${hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // Containers run numbers without an account.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

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
    return insertAudit(tx, { action: "catalog.apply", subject, after, ...origin });
  };
}
