import type { AlertTarget, StoredBudget } from "../../billing/ledger/budgets-store.ts";
import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import { insertDelivery, listAlertDeliveries } from "../../webhooks/webhooks-store.ts";
import { addressOf, expectMailServer, mailUrl } from "../alerts/mail-target.ts";
import type { ConsoleDeps } from "../deps.ts";
import type { Target } from "./contract.ts";

/** Whoever knows the URL of a channel's webhook can write there; addresses are people's. */
export function shownTarget({ format, url }: AlertTarget, isOwner: boolean): Target {
  if (format === "email") return { kind: "email", address: isOwner ? addressOf(url) : "…" };
  return { kind: format === "signed" ? "webhook" : format, url: isOwner ? url : `${new URL(url).origin}/…` };
}

export function targetInWords({ format, url }: AlertTarget): string {
  return `${format} ${format === "email" ? addressOf(url) : new URL(url).host}`;
}

/** The targets as they are stored. Throws where one can't be told now. */
export function storedTargets(
  { catalog }: Pick<ConsoleDeps, "catalog">,
  targets: readonly Target[],
): AlertTarget[] {
  if (targets.some(({ kind }) => kind === "email")) expectMailServer(catalog, "alerts.targets");
  return targets.map((target) =>
    target.kind === "email"
      ? { format: "email", url: mailUrl(target.address) }
      : { format: target.kind === "webhook" ? "signed" : target.kind, url: new URL(target.url).href },
  );
}

/** Tells each target what the budget's alerts would, and waits for the last test to be over first. */
export async function insertTestDeliveries(tx: Queryable, budget: StoredBudget): Promise<void> {
  const { id, name, accountId, accountName, alertTargets } = budget;
  const latest = await listAlertDeliveries(tx, accountId, alertTargets.length);
  if (
    latest.some(({ event, nextAt, attempts }) => event === TEST && nextAt !== null && attempts.length === 0)
  )
    throw new GatewayError("conflict", "A test is still being delivered. Check its attempts first.");
  const data = {
    budget: String(id),
    budget_name: name,
    account: String(accountId),
    account_name: accountName,
  };
  for (const { format, url } of alertTargets)
    await insertDelivery(tx, { accountId, url, format, event: TEST, data });
}

const TEST = "budget.test";
