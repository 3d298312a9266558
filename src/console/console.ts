import { assert } from "../base/assert.ts";
import { accountsOperations } from "./accounts/operations.ts";
import { alertsOperations } from "./alerts/operations.ts";
import { assetsOperations } from "./assets/operations.ts";
import { auditOperations } from "./audit/operations.ts";
import { billingDetailsOperations } from "./billing-details/operations.ts";
import { budgetsOperations } from "./budgets/operations.ts";
import { catalogOperations } from "./catalog/operations.ts";
import { codesOperations } from "./codes/operations.ts";
import type { ConsoleDeps } from "./deps.ts";
import { failedRequestsOperations } from "./failed-requests/operations.ts";
import { groupsOperations } from "./groups/operations.ts";
import { keysOperations } from "./keys/operations.ts";
import { ledgerOperations } from "./ledger/operations.ts";
import { marginsOperations } from "./margins/operations.ts";
import { modelsOperations } from "./models/operations.ts";
import { isAccountRole, type Operation } from "./operation.ts";
import { queueOperations } from "./queue/operations.ts";
import { reconcileOperations } from "./reconcile/operations.ts";
import { requestsOperations } from "./requests/operations.ts";
import { operatorRequestsOperations } from "./requests/operator-operations.ts";
import { routingOperations } from "./routing/operations.ts";
import { sessionOperations } from "./session/operations.ts";
import { mailOperations } from "./settings/mail.ts";
import { settingsOperations } from "./settings/operations.ts";
import { spendingOperations } from "./spending/operations.ts";
import { operatorSpendingOperations } from "./spending/operator-operations.ts";
import { monthsOperations } from "./statement/months-operations.ts";
import { statementOperations } from "./statement/operations.ts";
import { tasksOperations } from "./tasks/operations.ts";
import { tokensOperations } from "./tokens/operations.ts";
import { trafficOperations } from "./traffic/operations.ts";
import { upstreamOperations } from "./upstreams/operations.ts";
import { allUserOperations } from "./users/operations.ts";

/** Every operation of the console; the only list of them. Throws on one that nobody could be kept out of. */
export function consoleOperations(deps: ConsoleDeps): readonly Operation[] {
  const operations = AREAS.flatMap((area) => area(deps));
  for (const operation of operations) checkOperation(operation);
  return operations;
}

const AREAS: readonly ((deps: ConsoleDeps) => readonly Operation[])[] = [
  sessionOperations,
  tokensOperations,
  allUserOperations,
  auditOperations,
  keysOperations,
  modelsOperations,
  requestsOperations,
  operatorRequestsOperations,
  failedRequestsOperations,
  spendingOperations,
  operatorSpendingOperations,
  tasksOperations,
  assetsOperations,
  queueOperations,
  statementOperations,
  monthsOperations,
  billingDetailsOperations,
  codesOperations,
  alertsOperations,
  budgetsOperations,
  ledgerOperations,
  marginsOperations,
  reconcileOperations,
  groupsOperations,
  accountsOperations,
  upstreamOperations,
  catalogOperations,
  routingOperations,
  trafficOperations,
  settingsOperations,
  mailOperations,
];

/** A slip here would open a door, so it fails the start. */
export function checkOperation({
  kind,
  method,
  path,
  policy,
}: Operation & { readonly method: string }): void {
  const name = `${method} ${path}`;
  assert(POLICIES.has(policy), `${name} has no policy`);
  assert(
    isAccountRole(policy) === path.startsWith("/accounts/{account}"),
    `${name}: roles of an account belong to paths of an account`,
  );
  assert(kind === "json" || method === "GET", `${name}: only JSON operations write`);
}

const POLICIES: ReadonlySet<string> = new Set(["anyone", "user", "viewer", "member", "owner", "operator"]);

/** The account and admin API behind the dashboard, for http to serve. */
export interface Console extends Pick<ConsoleDeps, "users" | "database" | "publicUrl"> {
  readonly operations: readonly Operation[];
}

export function createConsole(deps: ConsoleDeps): Console {
  const { users, database, publicUrl } = deps;
  return { users, database, publicUrl, operations: consoleOperations(deps) };
}
