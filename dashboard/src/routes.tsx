import { createRootRoute, createRoute, lazyRouteComponent, Outlet, redirect } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { findPages } from "./api/client.ts";
import { queryClient } from "./api/query-client.ts";
import { sessionQuery } from "./api/session.ts";
import { Gate } from "./shell/gate.tsx";
import { NoAccount, NotFoundAlone } from "./shell/not-found.tsx";
import { readPreference } from "./shell/preferences.ts";
import { Shell } from "./shell/shell.tsx";

type Page = () => ReactNode;
/** Brings the module of a page; a page is a file of its own that loads when it is visited. */
type Load<Name extends string> = () => Promise<Readonly<Record<Name, Page>>>;

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundAlone });
const gate = createRoute({ getParentRoute: () => root, id: "gate", component: Gate });
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
  beforeLoad: needSession,
});

/** Every page of the dashboard, one line each. */
export const routeTree = root.addChildren([
  gate.addChildren([
    gatePage("/sign-in", () => import("./pages/sign-in/page.tsx"), "SignInPage"),
    gatePage("/sign-in/oidc", () => import("./pages/sign-in/return-page.tsx"), "SignInReturnPage"),
    gatePage("/register", () => import("./pages/sign-in/register-page.tsx"), "RegisterPage"),
    gatePage("/forgot-password", () => import("./pages/sign-in/forgot-page.tsx"), "ForgotPasswordPage"),
    gatePage("/reset-password", () => import("./pages/sign-in/reset-page.tsx"), "ResetPasswordPage"),
    gatePage("/start", () => import("./pages/start/page.tsx"), "StartPage"),
    gatePage("/invitation", () => import("./pages/invitation/page.tsx"), "InvitationPage"),
  ]),
  shell.addChildren([
    start(),
    operatorStart(),
    page("/accounts/$account", () => import("./pages/home/page.tsx"), "HomePage"),
    page("/accounts/$account/models", () => import("./pages/models/page.tsx"), "ModelsPage"),
    page("/accounts/$account/keys", () => import("./pages/keys/page.tsx"), "KeysPage"),
    page("/accounts/$account/requests", () => import("./pages/requests/page.tsx"), "RequestsPage"),
    page("/accounts/$account/requests/$request", () => import("./pages/request/page.tsx"), "RequestPage"),
    page("/accounts/$account/spending", () => import("./pages/spending/page.tsx"), "SpendingPage"),
    page("/accounts/$account/budgets", () => import("./pages/budgets/page.tsx"), "BudgetsPage"),
    page("/accounts/$account/playground", () => import("./pages/playground/page.tsx"), "PlaygroundPage"),
    page("/accounts/$account/tasks", () => import("./pages/tasks/page.tsx"), "TasksPage"),
    page("/accounts/$account/tasks/$task", () => import("./pages/task/page.tsx"), "TaskPage"),
    page("/accounts/$account/assets", () => import("./pages/assets/page.tsx"), "AssetsPage"),
    page("/accounts/$account/statement", () => import("./pages/statement/page.tsx"), "StatementPage"),
    page(
      "/accounts/$account/statement/$month",
      () => import("./pages/monthly-statement/page.tsx"),
      "MonthlyStatementPage",
    ),
    page("/operator/accounts", () => import("./pages/operator-accounts/page.tsx"), "OperatorAccountsPage"),
    page("/operator/accounts/$id", () => import("./pages/operator-account/page.tsx"), "OperatorAccountPage"),
    page("/operator/codes", () => import("./pages/operator-codes/page.tsx"), "OperatorCodesPage"),
    page("/operator/ledger", () => import("./pages/operator-ledger/page.tsx"), "OperatorLedgerPage"),
    page("/operator/reconcile", () => import("./pages/operator-reconcile/page.tsx"), "OperatorReconcilePage"),
    page("/operator/traffic", () => import("./pages/operator-traffic/page.tsx"), "OperatorTrafficPage"),
    page("/operator/spending", () => import("./pages/operator-spending/page.tsx"), "OperatorSpendingPage"),
    page("/operator/requests", () => import("./pages/operator-requests/page.tsx"), "OperatorRequestsPage"),
    page(
      "/operator/requests/$request",
      () => import("./pages/operator-request/page.tsx"),
      "OperatorRequestPage",
    ),
    page("/operator/errors", () => import("./pages/operator-errors/page.tsx"), "OperatorErrorsPage"),
    page("/operator/upstreams", () => import("./pages/operator-upstreams/page.tsx"), "OperatorUpstreamsPage"),
    page(
      "/operator/upstreams/$upstream",
      () => import("./pages/operator-upstream/page.tsx"),
      "OperatorUpstreamPage",
    ),
    page("/accounts/$account/members", () => import("./pages/members/page.tsx"), "PeoplePage"),
    page("/accounts/$account/audit", () => import("./pages/audit/page.tsx"), "AuditPage"),
    page("/operator/users", () => import("./pages/operator-users/page.tsx"), "OperatorPeoplePage"),
    page("/me", () => import("./pages/me/page.tsx"), "MePage"),
    page("/operator/catalog", () => import("./pages/operator-catalog/page.tsx"), "OperatorCatalogPage"),
    page("/operator/audit", () => import("./pages/operator-audit/page.tsx"), "OperatorAuditPage"),
    page("/operator/settings", () => import("./pages/operator-settings/page.tsx"), "OperatorSettingsPage"),
    page("/operator/queue", () => import("./pages/operator-queue/page.tsx"), "OperatorQueuePage"),
  ]),
]);

/** A page within the shell, for who is signed in. */
function page<Name extends string>(path: string, load: Load<Name>, name: Name) {
  return createRoute({
    getParentRoute: () => shell,
    path,
    component: lazyRouteComponent(bringing(load), name),
  });
}

/** A page before signing in. */
function gatePage<Name extends string>(path: string, load: Load<Name>, name: Name) {
  return createRoute({
    getParentRoute: () => gate,
    path,
    component: lazyRouteComponent(bringing(load), name),
  });
}

/**
 * The router loads the document anew where the file of a page does not come, as a newer version may be there. Where that
 * would not come either, it would leave the browser's own error in the place of the dashboard: the page says so instead.
 */
function bringing<Name extends string>(load: Load<Name>): Load<Name> {
  return () =>
    load().catch(async (error: unknown) => {
      await findPages();
      throw error;
    });
}

/** `/` leads on: to the account looked at last, an operator without one to the traffic. */
function start() {
  return createRoute({
    getParentRoute: () => shell,
    path: "/",
    component: NoAccount,
    beforeLoad: async () => {
      const session = await queryClient.ensureQueryData(sessionQuery);
      const accounts = session?.accounts ?? [];
      const last = accounts.find(({ id }) => id === readPreference("account")) ?? accounts[0];
      if (last !== undefined) throw redirect({ to: `/accounts/${last.id}`, replace: true });
      if (session?.user.is_operator) throw redirect({ to: "/operator/traffic", replace: true });
    },
  });
}

/** `/operator` leads on to the traffic, the first page of its area. */
function operatorStart() {
  return createRoute({
    getParentRoute: () => shell,
    path: "/operator",
    beforeLoad: () => {
      throw redirect({ to: "/operator/traffic", replace: true });
    },
  });
}

async function needSession({ location }: { readonly location: { readonly href: string } }): Promise<void> {
  const session = await queryClient.ensureQueryData(sessionQuery);
  if (session === null) throw redirect({ to: "/sign-in", search: { next: location.href } });
  if (session.must_change_password || session.must_set_up_totp) throw redirect({ to: "/start" });
}
