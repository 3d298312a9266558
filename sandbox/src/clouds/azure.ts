import type { KeyLike } from "node:crypto";
import { claimsIn, isTimely } from "./assertion.ts";
import { type CloudAnswer, type CloudRequest, type FakeCloud, startCloud, Tokens } from "./cloud-server.ts";

export interface AzureOptions {
  readonly sandbox: string;
  /** Life of a token. */
  readonly tokenSeconds?: number | undefined;
  /** So much its clock is ahead of the machine's. */
  readonly aheadMs?: number | undefined;
  /** That certificates of the application sign with. */
  readonly publicKey?: KeyLike;
}

/** The key of the fake's callers. */
export const AZURE_KEY = "azure-key-0123456789abcdef0123456789";
export const AZURE_CLIENT = {
  tenant_id: "tenant-0123",
  client_id: "client-0123",
  client_secret: "azure~client~secret~0123456789",
};
/** In the form of the vendor's, which are JSON Web Tokens. */
const TOKEN = "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJjb2duaXRpdmUifQ.entra-token-";
const SCOPE = "https://cognitiveservices.azure.com/.default";

/**
 * Microsoft's models and its Entra ID, as documented:
 * https://learn.microsoft.com/azure/ai-foundry/openai/reference,
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow,
 * https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter
 */
export function startAzure(options: AzureOptions): Promise<FakeCloud> {
  const { sandbox, tokenSeconds = 3600 } = options;
  const tokens = new Tokens(tokenSeconds);
  return startCloud(sandbox, tokens, (request) => {
    if (request.path.endsWith("/oauth2/v2.0/token")) return entra(request, tokens, options);
    if (request.path === "/metadata/identity/oauth2/token") return metadata(request, tokens);
    return models(request, tokens);
  });
}

function entra(
  { path, text }: CloudRequest,
  tokens: Tokens,
  { publicKey, aheadMs = 0 }: AzureOptions,
): CloudAnswer {
  tokens.asked += 1;
  const form = new URLSearchParams(text);
  const { tenant_id, client_id, client_secret } = AZURE_CLIENT;
  if (!path.startsWith(`/${tenant_id}/`)) return refused(400, "AADSTS90002: Tenant not found.");
  if (form.get("grant_type") !== "client_credentials" || form.get("scope") !== SCOPE)
    return refused(400, "AADSTS70011: The provided value for the input parameter 'scope' is not valid.");
  if (form.get("client_id") !== client_id)
    return refused(400, "AADSTS700016: Application was not found in the directory.");
  const assertion = form.get("client_assertion");
  if (assertion !== null) {
    const claims = publicKey === undefined ? undefined : claimsIn(assertion, publicKey);
    const isOurs = claims?.["iss"] === client_id && String(claims["aud"]).endsWith(path);
    if (!isOurs || claims === undefined) return refused(401, "AADSTS700027: The certificate is not known.");
    // https://learn.microsoft.com/entra/identity-platform/reference-error-codes
    return isTimely(claims, Date.now() + aheadMs)
      ? tokens.issue(TOKEN)
      : refused(401, "AADSTS700024: Client assertion is not within its valid time range.");
  }
  if (form.get("client_secret") === client_secret) return tokens.issue(TOKEN);
  return refused(401, "AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1");
}

function metadata({ headers, query }: CloudRequest, tokens: Tokens): CloudAnswer {
  tokens.asked += 1;
  const isAsked = headers["metadata"] === "true" && query.get("api-version") === "2018-02-01";
  if (!isAsked || `${query.get("resource")}/.default` !== SCOPE)
    return {
      status: 400,
      body: { error: "invalid_request", error_description: "Required metadata header not specified" },
    };
  return tokens.issue(TOKEN);
}

function refused(status: number, words: string): CloudAnswer {
  return { status, body: { error: "invalid_client", error_description: words } };
}

function models(request: CloudRequest, tokens: Tokens): CloudAnswer {
  const { path, headers, query, method } = request;
  const isClaude = path.startsWith("/anthropic/");
  const key = headers[isClaude ? "x-api-key" : "api-key"];
  if (key !== AZURE_KEY && !tokens.isValid(headers))
    return {
      status: 401,
      body: {
        error: {
          code: "401",
          message:
            "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.",
        },
      },
    };
  if (method === "GET" && path === "/openai/v1/models")
    return { status: 200, body: { object: "list", data: [] } };
  const [, made] = /^\/openai\/v1\/images\/(generations|edits)$/.exec(path) ?? [];
  if (made !== undefined) return image(request, made);
  const body = JSON.parse(request.text) as Record<string, unknown>;
  // Some servers tell what they were sent, or a part of it.
  if (body["model"] === "quoting") {
    const part = headers.authorization?.slice(-40, -4);
    return { status: 400, body: { error: { code: "400", message: `Bad token: ${part}.` } } };
  }
  if (body["model"] === "echoing") {
    const sent = JSON.stringify({ authorization: headers.authorization, key });
    return {
      status: 400,
      body: { error: { code: "400", message: `Unexpected request: ${sent}`, param: sent } },
    };
  }
  const older = /^\/openai\/(?:deployments\/([^/]+)\/)?(chat\/completions|embeddings|responses)$/.exec(path);
  if (older !== null) {
    if (!query.has("api-version"))
      return { status: 404, body: { error: { code: "404", message: "Resource not found" } } };
    const [, deployment = body["model"], operation = ""] = older;
    return toModel(`/v1/${operation}`, { ...body, model: deployment });
  }
  const [, newer] = /^\/openai(\/v1\/(?:chat\/completions|responses|embeddings))$/.exec(path) ?? [];
  if (newer !== undefined) return toModel(newer, body);
  if (path === "/anthropic/v1/messages/count_tokens") return { status: 200, body: { input_tokens: 42 } };
  if (path === "/anthropic/v1/messages") return toModel("/v1/messages", body);
  return { status: 404, body: { error: { code: "404", message: "Resource not found" } } };
}

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** https://learn.microsoft.com/azure/ai-foundry/openai/how-to/dall-e: edits are forms of files; the response counts tokens. */
function image({ text, headers }: CloudRequest, made: string): CloudAnswer {
  const isForm = headers["content-type"]?.startsWith("multipart/form-data; boundary=") === true;
  if (isForm !== (made === "edits"))
    return { status: 400, body: { error: { code: "BadRequest", message: "Unsupported content type." } } };
  const field = (name: string): string | undefined =>
    isForm
      ? new RegExp(`name="${name}"\r\n\r\n([^\r]*)\r\n`).exec(text)?.[1]
      : String((JSON.parse(text) as Record<string, unknown>)[name]);
  if (field("model")?.startsWith("gpt-image") !== true || field("n") !== "1" || field("prompt") === undefined)
    return { status: 404, body: { error: { code: "DeploymentNotFound", message: "No such deployment." } } };
  const images = text.match(/name="image\[\]"; filename=/g)?.length ?? 0;
  const details = { text_tokens: 12, image_tokens: 323 * images };
  const input = details.text_tokens + details.image_tokens;
  const counts = { input_tokens: input, input_tokens_details: details, output_tokens: 1056 };
  return {
    status: 200,
    body: { created: 1, data: [{ b64_json: PNG }], usage: { ...counts, total_tokens: input + 1056 } },
  };
}

const FILTER = {
  hate: { filtered: false, severity: "safe" },
  violence: { filtered: false, severity: "safe" },
};

function toModel(to: string, body: Record<string, unknown>): CloudAnswer {
  if (String(body["model"]).startsWith("missing"))
    return {
      status: 404,
      body: {
        error: {
          code: "DeploymentNotFound",
          message: "The API deployment for this resource does not exist.",
        },
      },
    };
  const text = JSON.stringify(body);
  if (to !== "/v1/chat/completions") return { to, body: text };
  return {
    to,
    body: text,
    plain: (answer) => ({
      ...answer,
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: FILTER }],
      choices: (answer["choices"] as object[]).map((choice) => ({
        ...choice,
        content_filter_results: FILTER,
      })),
    }),
    first: `data: ${JSON.stringify({
      choices: [],
      created: 0,
      id: "",
      model: "",
      object: "",
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: FILTER }],
    })}\n\n`,
  };
}
