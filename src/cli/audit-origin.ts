import { userInfo } from "node:os";
import type { AuditContext } from "../people/audit-store.ts";

/** How a change by a command stands in the audit log: by which user of the machine. */
export function commandOrigin(): AuditContext {
  return { identity: undefined, program: `cli (${userOfMachine()})`, requestId: "command line", address: "" };
}

/** The same of a start, which applies what FAREGATE_CONFIG names. */
export function startOrigin(): AuditContext {
  return { identity: undefined, program: `start (${userOfMachine()})`, requestId: "start", address: "" };
}

function userOfMachine(): string {
  try {
    return userInfo().username;
  } catch {
    // Containers run numbers without an account.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
