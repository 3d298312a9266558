import type { FastifyInstance } from "fastify";
import type { HttpDeps } from "../deps.ts";
import { endpoint } from "../endpoint.ts";
import { readTask } from "../read-task.ts";
import { submitMedia } from "../submit-media.ts";
import { videoRecord, videoSubmitted } from "../video-record.ts";

/** Videos: submitted, then read until they are final. */
export function videoRoutes(app: FastifyInstance, deps: HttpDeps): void {
  endpoint(app, deps, ["POST"], "/v2/videos/generations", (context) =>
    submitMedia(deps, context, "videos", videoSubmitted),
  );
  endpoint(app, deps, ["GET", "HEAD"], "/v2/videos/generations/:id", (context) =>
    readTask(deps, context, "video", videoRecord),
  );
}
