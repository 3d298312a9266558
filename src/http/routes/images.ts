import type { FastifyInstance } from "fastify";
import type { HttpDeps } from "../deps.ts";
import { endpoint } from "../endpoint.ts";
import { imageRecord, imageSubmitted } from "../image-record.ts";
import { readTask } from "../read-task.ts";
import { submitMedia } from "../submit-media.ts";

/** Pictures: submitted, then read until they are final. */
export function imageRoutes(app: FastifyInstance, deps: HttpDeps): void {
  endpoint(app, deps, ["POST"], "/v1/images/generations", (context) =>
    submitMedia(deps, context, "images", imageSubmitted),
  );
  endpoint(app, deps, ["GET", "HEAD"], "/v1/images/tasks/:id", (context) =>
    readTask(deps, context, "image", imageRecord),
  );
}
