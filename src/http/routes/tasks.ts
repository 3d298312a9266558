import { readJsonBody } from "../body/json-body.ts";
import { authenticateLate, callerOf } from "../core/credentials.ts";
import { sendJson } from "../core/endpoint.ts";
import type { Router } from "../core/router.ts";
import type { HttpDeps } from "../deps.ts";
import { readTask } from "../media/read-task.ts";
import { submitMedia } from "../media/submit-media.ts";
import { imageRecord, imageSubmitted, videoRecord, videoSubmitted } from "../media/task-records.ts";

/** An address, a type and a name: signed links come to a few KB. */
const ASSET_BODY_BYTES = 64 * 1024;

/** Public media registered once and used in many videos; errors in the shape of the text endpoints. */
export function assetRoutes(router: Router, deps: HttpDeps): void {
  router.endpoint(["POST"], "/v1/videoa/asset/create", async (context) => {
    const incoming = context.request.raw;
    const sinceMs = deps.clock.monotonicMs();
    const sender = await callerOf(context, deps);
    const { bodies } = deps;
    const terms = { limitBytes: ASSET_BODY_BYTES, grant: bodies.grantOf(sender), pace: bodies.pace };
    const body = await readJsonBody(incoming, terms);
    const caller = await authenticateLate({ caller: sender, sinceMs }, incoming, [], deps);
    const result = await deps.assets.create(caller, context.request.id, body);
    sendJson(context, 200, { success: true, result });
  });

  router.endpoint(["GET", "HEAD"], "/v1/videoa/asset/:id", async (context) => {
    const caller = await callerOf(context, deps);
    const { id = "" } = context.request.params;
    const result = await deps.assets.read(caller, context.request.id, id);
    sendJson(context, 200, { success: true, result });
  });
}

/** Images: submitted, then read until they are final. */
export function imageRoutes(router: Router, deps: HttpDeps): void {
  router.endpoint(["POST"], "/v1/images/generations", (context) =>
    submitMedia(deps, context, "images", imageSubmitted),
  );
  router.endpoint(["GET", "HEAD"], "/v1/images/tasks/:id", (context) =>
    readTask(deps, context, "image", imageRecord),
  );
}

/** Videos: submitted, then read until they are final. */
export function videoRoutes(router: Router, deps: HttpDeps): void {
  router.endpoint(["POST"], "/v2/videos/generations", (context) =>
    submitMedia(deps, context, "videos", videoSubmitted),
  );
  router.endpoint(["GET", "HEAD"], "/v2/videos/generations/:id", (context) =>
    readTask(deps, context, "video", videoRecord),
  );
}
