import { z } from "zod";
import type { Operation } from "../../console/operation.ts";
import { chatCompletionsRequest, chatCompletionsResponse } from "../../protocols/chat-completions/wire.ts";
import { embeddingsRequest, embeddingsResponse } from "../../protocols/embeddings/wire.ts";
import { generateContentRequest, generateContentResponse } from "../../protocols/generate-content/wire.ts";
import { messagesRequest, messagesResponse } from "../../protocols/messages/wire.ts";
import { rerankRequest, rerankResponse } from "../../protocols/rerank/wire.ts";
import { responsesRequest, responsesResponse } from "../../protocols/responses/wire.ts";
import { CONSOLE_SECURITY, consolePaths } from "./console.ts";
import { mediaPaths } from "./media.ts";

type Json = Readonly<Record<string, unknown>>;

interface TextEndpoint {
  readonly summary: string;
  readonly request: z.ZodType;
  readonly response: z.ZodType;
  readonly streams: boolean;
}

const NATIVE = { request: generateContentRequest, response: generateContentResponse };

const TEXT_PATHS: Readonly<Record<string, TextEndpoint>> = {
  "/v1/chat/completions": {
    summary: "Chat completions, plain or streamed",
    request: chatCompletionsRequest,
    response: chatCompletionsResponse,
    streams: true,
  },
  "/v1/responses": {
    summary: "Responses, plain or streamed",
    request: responsesRequest,
    response: responsesResponse,
    streams: true,
  },
  "/v1/messages": {
    summary: "Messages with prompt caching, plain or streamed",
    request: messagesRequest,
    response: messagesResponse,
    streams: true,
  },
  "/v1/embeddings": {
    summary: "Embeddings",
    request: embeddingsRequest,
    response: embeddingsResponse,
    streams: false,
  },
  "/v1/rerank": {
    summary: "Rerank documents",
    request: rerankRequest,
    response: rerankResponse,
    streams: false,
  },
  "/v1beta/models/{model}:generateContent": {
    summary: "generateContent (under `/v1` too)",
    ...NATIVE,
    streams: false,
  },
  "/v1beta/models/{model}:streamGenerateContent": {
    summary: "generateContent, streamed (`alt=sse`, else a JSON array)",
    ...NATIVE,
    streams: true,
  },
};

const COUNTED = z.looseObject({ input_tokens: z.int() });

/** Free, at most 60 a minute and key; `x-faregate-estimated: true` where the gateway has counted and not the vendor. */
const COUNT_PATHS: Readonly<Record<string, TextEndpoint>> = {
  "/v1/messages/count_tokens": {
    summary: "Count the tokens of a messages request, free",
    request: messagesRequest.partial({ max_tokens: true }),
    response: COUNTED,
    streams: false,
  },
  "/v1/responses/input_tokens": {
    summary: "Count the tokens of a responses request, free",
    request: responsesRequest,
    response: COUNTED,
    streams: false,
  },
  "/v1beta/models/{model}:countTokens": {
    summary: "Count the tokens of a generateContent request, free (under `/v1` too)",
    request: generateContentRequest.partial({ contents: true }),
    response: z.looseObject({ totalTokens: z.int() }),
    streams: false,
  },
};

const EMBED_REQUEST = z.looseObject({
  content: z.looseObject({ parts: z.array(z.looseObject({ text: z.string() })) }),
  outputDimensionality: z.int().nullish(),
  taskType: z.string().nullish().describe("Passed to upstreams of the native protocol"),
});
const EMBEDDING = z.looseObject({ values: z.array(z.number()) });

/** Forms that are answered by way of another protocol. */
const OTHER_FORMS: Readonly<Record<string, TextEndpoint>> = {
  "/v1/completions": {
    summary: "Legacy completions, through chat completions, plain or streamed",
    request: z.looseObject({
      model: z.string().describe("Model id; must be available on chat completions"),
      prompt: z.union([z.string(), z.array(z.string())]).describe("Prompt: one text, or a list of texts"),
      max_tokens: z.int().nullish().describe("Maximum output tokens; default 16"),
      stream: z.boolean().nullish(),
      stop: z.union([z.string(), z.array(z.string())]).nullish(),
    }),
    response: z.looseObject({
      object: z.literal("text_completion"),
      choices: z.array(z.looseObject({ text: z.string() })),
    }),
    streams: true,
  },
  "/v1/responses/compact": {
    summary: "Compact a conversation into one item, by the vendor if supported, otherwise by a summary",
    request: responsesRequest,
    response: z.looseObject({
      object: z.literal("response.compaction"),
      output: z.array(z.looseObject({ type: z.string() })),
    }),
    streams: false,
  },
  "/v1beta/models/{model}:embedContent": {
    summary: "Embed one content (under `/v1` too)",
    request: EMBED_REQUEST,
    response: z.looseObject({ embedding: EMBEDDING }),
    streams: false,
  },
  "/v1beta/models/{model}:batchEmbedContents": {
    summary: "Embed several contents (under `/v1` too)",
    request: z.looseObject({ requests: z.array(EMBED_REQUEST) }),
    response: z.looseObject({ embeddings: z.array(EMBEDDING) }),
    streams: false,
  },
};

/** Every endpoint, its bodies made from the protocols' own wire schemas and the families' own tables. */
export function openApi(version: string, console: readonly Operation[]): Json {
  const paths: Record<string, Json> = {};
  for (const [path, { summary, request, response, streams }] of Object.entries({
    ...TEXT_PATHS,
    ...COUNT_PATHS,
    ...OTHER_FORMS,
  })) {
    paths[path] = {
      post: {
        summary,
        tags: ["text"],
        parameters: path.includes("{model}") ? [pathParameter("model", "Model id")] : undefined,
        requestBody: { required: true, content: { "application/json": { schema: schemaOf(request) } } },
        responses: { 200: textResponse(response, streams), ...ERRORS },
      },
    };
  }
  Object.assign(paths, mediaPaths(errorResponse), consolePaths(console, errorResponse));
  paths["/v1/models"] = get("models", "Models that the key may use", [
    queryParameter("limit", "Page size of the messages-style list, 1 to 1000"),
    queryParameter("after_id", "Messages-style cursor"),
    queryParameter("before_id", "Messages-style cursor"),
  ]);
  paths["/v1/models/{model}"] = get("models", "One model; an unknown one gives 200 with an error object", [
    pathParameter("model", "Model id"),
  ]);
  paths["/v1beta/models"] = get("models", "Native-style model list", [
    queryParameter("pageSize", "Page size, 1 to 1000"),
    queryParameter("pageToken", "`nextPageToken` of the previous page"),
  ]);
  paths["/v1beta/models/{model}"] = get(
    "models",
    "Native-style model record",
    [pathParameter("model", "Model id")],
    { 404: "Does not exist, or the key may not use it" },
  );
  storedPaths(paths);
  paths["/v1/receipts/{id}"] = get(
    "money",
    "Receipt of a request or task: units x frozen prices x multiplier",
    [pathParameter("id", "`x-request-id` of the response, or the id of a task")],
    { 404: "Not found, or the receipt isn't ready yet" },
  );
  paths["/v1/webhooks/secret"] = get("tasks", "Signing secret of this account's webhooks", [], {
    403: "The key has a list of models, or wasn't created by an owner of the account",
  });
  paths["/v1/webhooks/deliveries/{taskId}"] = get(
    "tasks",
    "Delivery attempts of a task's webhook",
    [pathParameter("taskId", "Id of a task submitted with `webhook_url`")],
    { 404: "No such task with a webhook in this account" },
  );
  paths["/media/{day}/{file}"] = open(
    "A copied image or video, with `Range` support; the URL is the credential",
    {
      206: { description: "Part requested by `Range`" },
      404: errorResponse("Not found, or past retention"),
    },
    [pathParameter("day", "The day of the task"), pathParameter("file", "The file's name")],
  );
  paths["/healthz"] = open("The process is alive");
  paths["/readyz"] = open("Ready to serve", { 503: { description: "Not ready; the body has the reason" } });
  paths["/metrics"] = open(
    "Prometheus metrics, for local requests or with settings.metrics_token; otherwise 404",
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Faregate",
      version,
      description: "Many AI models behind one account and one API key.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    security: [{ bearer: [] }, { apiKey: [] }, { googleKey: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
        googleKey: { type: "apiKey", in: "header", name: "x-goog-api-key" },
        ...CONSOLE_SECURITY,
      },
      schemas: { Error: ERROR_SCHEMA },
    },
  };
}

/** Responses that an upstream keeps. */
function storedPaths(paths: Record<string, Json>): void {
  const id = pathParameter("response_id", "Id of a stored response of this account");
  const missing = { 404: "Not found in this account" };
  const path = "/v1/responses/{response_id}";
  const read = get("text", "A stored response, from its upstream", [id], missing);
  const one = get("text", "Delete a stored response", [id], missing);
  paths[path] = { ...read, delete: one["get"] };
  paths[`${path}/input_items`] = get("text", "Input items of a stored response", [id], missing);
  paths[`${path}/cancel`] = { post: get("text", "Cancel a running response", [id], missing)["get"] };
}

const ERROR_SCHEMA: Json = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["message", "type", "param", "code"],
      properties: {
        message: { type: "string", description: "Message; ends with the request's id: (request id: ...)" },
        type: {
          type: "string",
          description: "`gateway_error` for errors of the gateway itself, otherwise the vendor's value",
        },
        param: { type: "string", description: "Invalid field; empty if none" },
        code: { type: "string" },
      },
    },
  },
};

const ERRORS: Json = Object.fromEntries(
  Object.entries({
    400: "Invalid request; `param` names the field",
    401: "No valid API key",
    403: "The account's balance or the key's limit doesn't cover the request",
    404: "The model doesn't exist, or the key may not use it",
    413: "The body exceeds 32 MB",
    429: "Rate limit; see `Retry-After`",
    502: "The upstream failed",
    503: "No upstream is available",
    504: "The upstream didn't respond in time",
  }).map(([status, description]) => [status, errorResponse(description)]),
);

function textResponse(response: z.ZodType, streams: boolean): Json {
  const content: Record<string, Json> = { "application/json": { schema: schemaOf(response) } };
  if (streams) content["text/event-stream"] = { schema: { type: "string" } };
  return { description: "Response of the upstream", content };
}

/** Loose schemas: fields that are not listed are passed on. */
function schemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return rest;
}

function errorResponse(description: string): Json {
  return { description, content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } };
}

/** `others`: what each further status means. */
function get(
  tag: string,
  summary: string,
  parameters: readonly Json[],
  others: Readonly<Record<number, string>> = {},
): Json {
  return {
    get: {
      summary,
      tags: [tag],
      parameters,
      responses: {
        200: { description: "OK", content: { "application/json": { schema: { type: "object" } } } },
        401: errorResponse("No valid API key"),
        ...Object.fromEntries(
          Object.entries(others).map(([status, words]) => [status, errorResponse(words)]),
        ),
      },
    },
  };
}

function open(summary: string, others: Json = {}, parameters: readonly Json[] = []): Json {
  const responses = { 200: { description: "OK" }, ...others };
  return { get: { summary, tags: ["operations"], security: [], parameters, responses } };
}

function pathParameter(name: string, description: string): Json {
  return { name, in: "path", required: true, description, schema: { type: "string" } };
}

function queryParameter(name: string, description: string): Json {
  return { name, in: "query", required: false, description, schema: { type: "string" } };
}
