import type { HttpDeps } from "../deps.ts";
import { imageRecord, imageSubmitted } from "../image-record.ts";
import { readTask } from "../read-task.ts";
import type { Router } from "../router.ts";
import { submitMedia } from "../submit-media.ts";

/** Pictures: submitted, then read until they are final. */
export function imageRoutes(router: Router, deps: HttpDeps): void {
  router.endpoint(["POST"], "/v1/images/generations", (context) =>
    submitMedia(deps, context, "images", imageSubmitted),
  );
  router.endpoint(["GET", "HEAD"], "/v1/images/tasks/:id", (context) =>
    readTask(deps, context, "image", imageRecord),
  );
}
