import { authenticate, authenticateLate } from "../credentials.ts";
import type { HttpDeps } from "../deps.ts";
import { sendJson } from "../endpoint.ts";
import { readJsonBody } from "../json-body.ts";
import type { Router } from "../router.ts";

/** An address, a type and a name: signed links come to a few KB. */
const ASSET_BODY_BYTES = 64 * 1024;

/** Public media registered once and used in many videos; errors in the shape of the text endpoints. */
export function assetRoutes(router: Router, deps: HttpDeps): void {
  router.endpoint(["POST"], "/v1/videoa/asset/create", async (context) => {
    const incoming = context.request.raw;
    const sinceMs = deps.clock.monotonicMs();
    const sender = await authenticate(incoming, [], deps.authenticator);
    const { bodies } = deps;
    const terms = { limitBytes: ASSET_BODY_BYTES, lease: bodies.leaseOf(sender), pace: bodies.pace };
    const body = await readJsonBody(incoming, terms);
    const caller = await authenticateLate({ caller: sender, sinceMs }, incoming, [], deps);
    const result = await deps.assets.create(caller, context.request.id, body);
    sendJson(context, 200, { success: true, result });
  });

  router.endpoint(["GET", "HEAD"], "/v1/videoa/asset/:id", async (context) => {
    const caller = await authenticate(context.request.raw, [], deps.authenticator);
    const { id = "" } = context.request.params;
    const result = await deps.assets.read(caller, context.request.id, id);
    sendJson(context, 200, { success: true, result });
  });
}
