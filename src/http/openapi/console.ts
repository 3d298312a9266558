import { z } from "zod";
import { type Operation, scopeOf } from "../../console/operation.ts";
import { leastOperatorRole, type OperatorRole } from "../../users/scopes.ts";

type Json = Readonly<Record<string, unknown>>;

/** The paths of the console, each operation from the schemas that read its query and body and type its response. */
export function consolePaths(operations: readonly Operation[], errorResponse: (words: string) => Json): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const path = `/api${operation.path}`;
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: {
        summary: operation.summary,
        description: accessText(operation),
        tags: [`console: ${operation.tag}`],
        security: operation.policy === "anyone" ? [] : [{ consoleToken: [] }, { consoleSession: [] }],
        parameters: [
          ...pathParameters(operation.path),
          ...queryParameters(operation.query),
          ...(isConditionalWrite(operation) ? [IF_MATCH] : []),
        ],
        requestBody: requestBodyOf(operation),
        responses: { [successOf(operation)]: responseOf(operation), ...errorsOf(operation, errorResponse) },
      },
    };
  }
  return paths;
}

/** Ways in which scripts and browsers authenticate to the console. */
export const CONSOLE_SECURITY: Json = {
  consoleToken: { type: "http", scheme: "bearer", description: "A console token, `fct_...`" },
  consoleSession: {
    type: "apiKey",
    in: "cookie",
    name: "faregate_session",
    description:
      "A browser's session (`__Host-faregate_session` over https); writes also send `x-faregate-csrf`",
  },
};

function accessText(operation: Operation): string {
  const { policy } = operation;
  const operators = OPERATORS[leastOperatorRole(scopeOf(operation))];
  switch (policy) {
    case "anyone":
      return "For anyone.";
    case "user":
      return "For all signed-in users.";
    case "operator":
      return `For ${operators}.`;
    default:
      return `For ${policy}s of the account, higher roles, and ${operators}.`;
  }
}

const OPERATORS: Readonly<Record<OperatorRole, string>> = {
  read_only: "operators of every role",
  billing: "billing operators and operators",
  operator: "operators of the highest role",
};

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(query: z.ZodType | undefined): Json[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(query, "input") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
    description,
  }));
}

function requestBodyOf(operation: Operation): Json | undefined {
  if (operation.kind !== "json") return undefined;
  const { body, upload } = operation;
  if (upload !== undefined) {
    const description = `The file, at most ${upload.maxBytes / 1024 / 1024} MB`;
    return { required: true, description, content: { "application/octet-stream": { schema: BINARY } } };
  }
  return body === undefined ? undefined : { required: true, content: jsonOf(body, "input") };
}

const BINARY: Json = { type: "string", format: "binary" };

function isConditionalWrite(operation: Operation): boolean {
  return operation.kind === "json" && operation.conditional === true && operation.method !== "GET";
}

function successOf(operation: Operation): 200 | 201 {
  return operation.kind === "json" && operation.makes ? 201 : 200;
}

const IF_MATCH: Json = {
  name: "If-Match",
  in: "header",
  required: false,
  schema: { type: "string" },
  description:
    "ETag of a read, or `revision` in double quotes. 412 if the state has changed. Omitted = the last writer wins",
};

const ETAG: Json = {
  description: "`revision` of the response in double quotes, for If-Match",
  schema: { type: "string" },
};

function responseOf(operation: Operation): Json {
  switch (operation.kind) {
    case "json":
      return {
        description: "OK",
        content: jsonOf(operation.response, "output"),
        headers: operation.conditional && operation.method !== "DELETE" ? { etag: ETAG } : undefined,
      };
    case "events":
      return {
        description: `Server-sent events; each \`data\` is ${JSON.stringify(schemaOf(operation.event, "output"))}`,
        content: { "text/event-stream": { schema: { type: "string" } } },
      };
    case "text":
      return { description: "OK", content: { [operation.contentType]: { schema: { type: "string" } } } };
    case "file":
      return {
        description: "File, or a part of it with `Range`",
        content: { "*/*": { schema: BINARY } },
      };
  }
}

function errorsOf(operation: Operation, errorResponse: (words: string) => Json): Json {
  const errors: Record<string, Json> = {
    400: errorResponse("Invalid request; `param` names the field"),
    default: errorResponse("Any other error, such as a conflict or too many attempts; see `code`"),
  };
  if (operation.policy === "anyone") return errors;
  errors["401"] = errorResponse("Not signed in");
  errors["403"] = errorResponse("Not allowed for this role, or the csrf_token is missing");
  errors["404"] = errorResponse("Doesn't exist, or belongs to someone else");
  if (isConditionalWrite(operation))
    errors["412"] = errorResponse("Changed since the state in If-Match; nothing was written");
  return errors;
}

function jsonOf(schema: z.ZodType, io: "input" | "output"): Json {
  return { "application/json": { schema: schemaOf(schema, io) } };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
