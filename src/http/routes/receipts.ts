import { GatewayError } from "../../errors.ts";
import { authenticate } from "../credentials.ts";
import type { HttpDeps } from "../deps.ts";
import { sendJson } from "../endpoint.ts";
import { isTaskId } from "../read-task.ts";
import { isRequestId } from "../request-id.ts";
import type { Router } from "../router.ts";

/** What a request or a task cost and why: units x frozen prices x factor, for any key of the account that paid. */
export function receiptRoutes(router: Router, deps: HttpDeps): void {
  router.endpoint(["GET", "HEAD"], "/v1/receipts/:id", async (context) => {
    const caller = await authenticate(context.request.raw, [], deps.authenticator);
    const { id = "" } = context.request.params;
    const known = isRequestId(id) || isTaskId(id);
    const receipt = known ? await deps.readReceipt(caller.accountId, id) : undefined;
    if (receipt === undefined) {
      throw new GatewayError(
        "receipt_not_found",
        "No request or task of this account has that id; a receipt appears within seconds of the answer and is kept for the retention time.",
      );
    }
    sendJson(context, 200, receipt);
  });
}
