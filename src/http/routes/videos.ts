import type { HttpDeps } from "../deps.ts";
import { readTask } from "../read-task.ts";
import type { Router } from "../router.ts";
import { submitMedia } from "../submit-media.ts";
import { videoRecord, videoSubmitted } from "../video-record.ts";

/** Videos: submitted, then read until they are final. */
export function videoRoutes(router: Router, deps: HttpDeps): void {
  router.endpoint(["POST"], "/v2/videos/generations", (context) =>
    submitMedia(deps, context, "videos", videoSubmitted),
  );
  router.endpoint(["GET", "HEAD"], "/v2/videos/generations/:id", (context) =>
    readTask(deps, context, "video", videoRecord),
  );
}
