import type { Caller } from "../../accounts/caller.ts";
import { GatewayError } from "../../errors.ts";
import { callerOf } from "../core/credentials.ts";
import { sendJson } from "../core/endpoint.ts";
import { isRequestId } from "../core/response-headers.ts";
import type { Router } from "../core/router.ts";
import type { HttpDeps, WebhookDelivery } from "../deps.ts";
import { isTaskId } from "../media/read-task.ts";

/** The secret that receivers check signatures with, and the log of a task's delivery. */
export function webhookRoutes(router: Router, deps: HttpDeps): void {
  router.endpoint(["GET", "HEAD"], "/v1/webhooks/secret", async (context) => {
    const caller = await callerOf(context, deps);
    await expectOwner(caller, deps);
    sendJson(context, 200, { secret: await deps.webhooks.secretOf(caller.accountId) });
  });

  router.endpoint(["GET", "HEAD"], "/v1/webhooks/deliveries/:taskId", async (context) => {
    const caller = await callerOf(context, deps);
    const { taskId = "" } = context.request.params;
    const delivery = isTaskId(taskId) ? await deps.webhooks.deliveryOf(caller.accountId, taskId) : undefined;
    if (delivery === undefined)
      throw new GatewayError("not_found", "No task with a webhook has this id in this account.");
    sendJson(context, 200, deliveryRecord(taskId, delivery));
  });
}

/** The secret can forge deliveries, so a key that others made or that was narrowed for others does not get it. */
async function expectOwner({ keyId, models }: Caller, { webhooks }: HttpDeps): Promise<void> {
  if (models === null && (await webhooks.isKeyOfOwner(keyId))) return;
  throw new GatewayError(
    "forbidden",
    "The signing secret is only shown to keys without a list of models, created by an owner of the account. Owners see it on the dashboard's Statement page.",
  );
}

function deliveryRecord(taskId: string, { id, url, deliveredAt, nextAt, attempts }: WebhookDelivery): object {
  return {
    id: `delivery-${id}`,
    task_id: taskId,
    url,
    delivered_at: deliveredAt?.toISOString() ?? null,
    next_attempt_at: nextAt?.toISOString() ?? null,
    attempts: attempts.map(({ attempt, at, status, failure, durationMs }) => ({
      attempt,
      at: at.toISOString(),
      status,
      failure,
      duration_ms: durationMs,
    })),
  };
}

/**
 * The cost of a request or a task and its computation: units x frozen prices x factor, for any key of the account that
 * paid.
 */
export function receiptRoutes(router: Router, deps: HttpDeps): void {
  router.endpoint(["GET", "HEAD"], "/v1/receipts/:id", async (context) => {
    const caller = await callerOf(context, deps);
    const { id = "" } = context.request.params;
    const known = isRequestId(id) || isTaskId(id);
    const receipt = known ? await deps.readReceipt(caller.accountId, id) : undefined;
    if (receipt === undefined) {
      throw new GatewayError(
        "receipt_not_found",
        "No request or task with this id in this account. Receipts appear within seconds and are kept for the retention period.",
      );
    }
    sendJson(context, 200, receipt);
  });
}
