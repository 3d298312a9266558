import type { Family } from "../../families/family.ts";
import { schemaOfFields } from "../../families/field-schema.ts";
import { FAMILIES } from "../../families/table.ts";
import { TASK_STATES } from "../../tasks/tasks.ts";

type Json = Readonly<Record<string, unknown>>;

/** The paths of images, videos and assets; requests come from the families' own tables. */
export function mediaPaths(gatewayErrorBody: (description: string) => Json): Record<string, Json> {
  const { imagegen, videoa, videob, videoc } = FAMILIES;
  const refused = {
    ...SHAPE_B_ERRORS,
    ...Object.fromEntries([...ABOUT_CALLER].map(([s, d]) => [s, gatewayErrorBody(d)])),
  };
  const read = {
    400: shapeB("`task_not_exist`: unknown, or another account's"),
    401: gatewayErrorBody("No valid API key"),
  };
  return {
    "/v1/images/generations": {
      post: {
        summary: "Submit an image",
        tags: ["media"],
        parameters: SUBMIT_PARAMETERS,
        requestBody: bodyOf([imagegen]),
        responses: {
          200: response("Accepted; or, with `dry_run=1`, the preview", anyOf(IMAGE_SUBMITTED)),
          ...refused,
        },
      },
    },
    "/v1/images/tasks/{id}": {
      get: {
        summary: "An image task; poll every 5 seconds",
        tags: ["media"],
        parameters: READ_PARAMETERS,
        responses: { 200: response("The task", IMAGE_RECORD), ...read },
      },
    },
    "/v2/videos/generations": {
      post: {
        summary: "Submit a video; the family is chosen by `model`",
        tags: ["media"],
        parameters: SUBMIT_PARAMETERS,
        requestBody: bodyOf([videoa, videob, videoc]),
        responses: {
          200: response("Accepted; or, with `dry_run=1`, the preview", anyOf(VIDEO_SUBMITTED)),
          ...refused,
        },
      },
    },
    "/v2/videos/generations/{id}": {
      get: {
        summary: "A video task; poll every 10 seconds",
        tags: ["media"],
        parameters: READ_PARAMETERS,
        responses: { 200: response("The task", VIDEO_RECORD), ...read },
      },
    },
    "/v1/capabilities": {
      get: {
        summary: "Image and video models: fields, defaults, limits, billing units",
        tags: ["media"],
        responses: {
          200: response("Models that the key may use", object({})),
          401: gatewayErrorBody("No valid API key"),
        },
      },
    },
    ...assetPaths(gatewayErrorBody),
  };
}

function assetPaths(gatewayErrorBody: (description: string) => Json): Record<string, Json> {
  return {
    "/v1/videoa/asset/create": {
      post: {
        summary: "Register public media for use in videoa requests as asset://<Id>",
        tags: ["media"],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                ...object({
                  url: { type: "string", format: "uri" },
                  asset_type: { type: "string", enum: ["Image", "Video", "Audio"], default: "Image" },
                  name: { type: "string", maxLength: 64 },
                }),
                required: ["url"],
              },
            },
          },
        },
        responses: {
          200: response(
            "Registered",
            object({ success: { const: true }, result: object({ Id: TEXT, Status: TEXT }) }),
          ),
          400: gatewayErrorBody(
            "`invalid_request`, `invalid_url`, `invalid_asset_type` or `invalid_asset_name`",
          ),
          401: gatewayErrorBody("No valid API key"),
          502: gatewayErrorBody("`seedance_asset_create_failed`: the asset service refused; see `message`"),
        },
      },
    },
    "/v1/videoa/asset/{id}": {
      get: {
        summary: "An asset; poll every 2 seconds until its Status is Active or Failed",
        tags: ["media"],
        parameters: [parameter("id", "path", "Id of the asset", TEXT)],
        responses: {
          200: response("The asset", object({ success: { const: true }, result: object({}) })),
          401: gatewayErrorBody("No valid API key"),
          502: gatewayErrorBody("`seedance_asset_get_failed`: the query failed, also for an unknown id"),
        },
      },
    },
  };
}

const TEXT: Json = { type: "string" };
const INTEGER: Json = { type: "integer" };

function bodyOf(families: readonly Family[]): Json {
  const forms = families.flatMap((family) => {
    // Variants that take the same requests are one form.
    const byForm = new Map<string, string[]>();
    for (const variant of family.variants) {
      const form = JSON.stringify(schemaOfFields(family.fields({ id: "", variant })));
      byForm.set(form, [...(byForm.get(form) ?? []), `${family.name}-${variant}`]);
    }
    return [...byForm].map(([form, models]) => formSchema(models, JSON.parse(form)));
  });
  const schema = forms.length === 1 ? forms[0] : { anyOf: forms };
  return { required: true, content: { "application/json": { schema } } };
}

function formSchema(models: readonly string[], form: { properties: Json; required: string[] }): Json {
  return {
    title: models.join(", "),
    type: "object",
    required: ["model", ...form.required],
    properties: {
      model: { type: "string", description: "Model id; /v1/models lists them", examples: models },
      ...form.properties,
      webhook_url: {
        type: "string",
        format: "uri",
        description: "URL that receives a signed webhook when the task is final",
      },
    },
  };
}

const SUBMIT_PARAMETERS = [
  parameter("dry_run", "query", "1 = validate and return the maximum charge, without creating a task", {
    enum: ["0", "1"],
  }),
  parameter(
    "Idempotency-Key",
    "header",
    "The same key and body return the same task; a different body is 409",
    {
      type: "string",
      maxLength: 255,
    },
  ),
];

const READ_PARAMETERS = [
  parameter("id", "path", "Id from the submit", TEXT),
  parameter("wait", "query", "Seconds to wait for the task to be final, at most 60", {
    type: "number",
    minimum: 0,
  }),
];

const IMAGE_SUBMITTED = object({
  code: { const: 200 },
  status: { const: "submitted" },
  task_id: TEXT,
  id: TEXT,
});

const VIDEO_SUBMITTED = object({
  id: TEXT,
  task_id: TEXT,
  object: { const: "video" },
  model: TEXT,
  status: { const: "queued" },
  progress: { const: 0 },
  created_at: INTEGER,
});

const DRY_RUN = object({
  object: { const: "dry_run" },
  model: TEXT,
  action: { enum: ["generate", "textGenerate"] },
  units: object({ images: object({}), video_seconds: object({}) }),
  max_charge_usd: { type: "string", description: "Exact decimal string" },
  max_charge_nanos: TEXT,
  fail_reason: { type: "string", description: "Reasons why the task would fail; empty = none" },
});

const IMAGE_RECORD = object({
  status: { enum: TASK_STATES.map((state) => (state === "FAILURE" ? "FAILED" : state)) },
  task_id: TEXT,
  progress: { type: "string", examples: ["50%"] },
  created: INTEGER,
  data: { type: "array", items: object({ url: TEXT }) },
  fail_reason: TEXT,
});

const VIDEO_RECORD = object({
  task_id: TEXT,
  action: { enum: ["generate", "textGenerate"] },
  status: { enum: TASK_STATES },
  fail_reason: TEXT,
  submit_time: INTEGER,
  start_time: INTEGER,
  finish_time: INTEGER,
  progress: { type: "string", examples: ["50%"] },
  data: {
    type: ["object", "null"],
    description: "videoa: task.outputs[0] (and content.video_url); videob, videoc: result.videos[0].url[0]",
  },
});

const SHAPE_B_SCHEMA = object({ code: TEXT, message: TEXT, data: { type: "null" } });

const SHAPE_B_ERRORS = Object.fromEntries(
  Object.entries({
    400: "`missing_model`, `invalid_request`, `invalid_duration` or `unsupported_endpoint`: no task, no charge",
    404: "`model_not_found`",
    409: "`idempotency_conflict`: the key was used with a different body",
    413: "The body exceeds 64 MB",
    429: "Rate limit, or all upstreams are saturated; see `Retry-After`",
    503: "The gateway can't accept tasks right now",
  }).map(([status, description]) => [status, shapeB(description)]),
);

const ABOUT_CALLER = new Map([
  [401, "No valid API key"],
  [403, "The account's balance or the key's limit doesn't cover the task"],
]);

function shapeB(description: string): Json {
  return response(description, SHAPE_B_SCHEMA);
}

function anyOf(submitted: Json): Json {
  return { anyOf: [submitted, DRY_RUN] };
}

function response(description: string, schema: Json): Json {
  return { description, content: { "application/json": { schema } } };
}

function object(properties: Json): Json {
  return { type: "object", properties };
}

function parameter(
  name: string,
  place: "path" | "query" | "header",
  description: string,
  schema: Json,
): Json {
  return { name, in: place, required: place === "path", description, schema };
}
