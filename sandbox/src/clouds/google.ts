import type { KeyLike } from "node:crypto";
import { claimsIn, isTimely } from "./assertion.ts";
import { type CloudAnswer, type CloudRequest, type FakeCloud, startCloud, Tokens } from "./cloud-server.ts";

export interface GoogleOptions {
  readonly sandbox: string;
  /** Life of a token. */
  readonly tokenSeconds?: number | undefined;
  /** So much its clock is ahead of the machine's. */
  readonly aheadMs?: number | undefined;
  /** Of the service account. */
  readonly publicKey: KeyLike;
}

/** The account of the fake's callers. */
export const GOOGLE_ACCOUNT = {
  client_email: "gateway@acme-prod.iam.gserviceaccount.com",
  private_key_id: "key-id-0123",
};
export const GOOGLE_PROJECT = "acme-prod";
const SUBJECT_TOKEN = "subject-token-of-the-cluster";
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
/**
 * The cloud's pages name only the first version. `@anthropic-ai/vertex-sdk` 1.1.3 with `@anthropic-ai/sdk` 1.11.0 sends
 * the second one, which no page names.
 */
const VERSIONS: readonly unknown[] = ["vertex-2023-10-16", "2026-10-21"];

/**
 * Google's models and its tokens, as documented:
 * https://developers.google.com/identity/protocols/oauth2/service-account,
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference,
 * https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude
 */
export function startGoogle(options: GoogleOptions): Promise<FakeCloud> {
  const { sandbox, tokenSeconds = 3600 } = options;
  const tokens = new Tokens(tokenSeconds);
  return startCloud(sandbox, tokens, (request) => {
    if (request.path === "/token") return oauth(request, tokens, options);
    if (request.path === "/computeMetadata/v1/instance/service-accounts/default/token") {
      tokens.asked += 1;
      return request.headers["metadata-flavor"] === "Google"
        ? tokens.issue("ya29.metadata-token-0123456789-")
        : { status: 403, body: { error: "Missing Metadata-Flavor:Google header." } };
    }
    return models(request, tokens);
  });
}

function oauth(
  { text, headers }: CloudRequest,
  tokens: Tokens,
  { publicKey, aheadMs = 0 }: GoogleOptions,
): CloudAnswer {
  tokens.asked += 1;
  const form = new URLSearchParams(text);
  if (form.get("grant_type") === "urn:ietf:params:oauth:grant-type:token-exchange")
    return form.get("subject_token") === SUBJECT_TOKEN && form.get("scope") === SCOPE
      ? tokens.issue("ya29.federated-token-0123456789-")
      : refused("The subject token is not valid.");
  if (form.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer")
    return refused("Unsupported grant type.");
  const claims = claimsIn(form.get("assertion") ?? "", publicKey);
  if (claims === undefined) return refused("Invalid JWT Signature.");
  if (!isTimely(claims, Date.now() + aheadMs))
    return refused(
      "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.",
    );
  if (claims["iss"] !== GOOGLE_ACCOUNT.client_email) return refused("Invalid grant: account not found");
  if (claims["aud"] !== `http://${headers.host}/token` || claims["scope"] !== SCOPE)
    return refused("Invalid JWT: wrong audience or scope.");
  return tokens.issue("ya29.account-token-0123456789-");
}

function refused(words: string): CloudAnswer {
  return { status: 400, body: { error: "invalid_grant", error_description: words } };
}

function failed(code: number, status: string, message: string): CloudAnswer {
  return { status: code, body: { error: { code, message, status } } };
}

function models({ path, query, headers, text }: CloudRequest, tokens: Tokens): CloudAnswer {
  if (!tokens.isValid(headers))
    return failed(
      401,
      "UNAUTHENTICATED",
      "Request had invalid authentication credentials. Expected OAuth 2 access token.",
    );
  const [, project, rest = ""] = /^\/v1\/projects\/([^/]+)\/locations\/[\w-]+(\/.*)$/.exec(path) ?? [];
  if (project === undefined) return failed(404, "NOT_FOUND", "Not found.");
  if (project !== GOOGLE_PROJECT)
    return failed(
      403,
      "PERMISSION_DENIED",
      `Permission 'aiplatform.endpoints.predict' denied on resource 'projects/${project}'.`,
    );
  const body = JSON.parse(text) as Record<string, unknown>;
  if (rest === "/endpoints/openapi/chat/completions") return { to: "/v1/chat/completions", body: text };
  const [, embedder = "", method = ""] =
    /^\/publishers\/google\/models\/((?:text|gemini)[\w-]*embedding[\w-]*):(\w+)$/.exec(rest) ?? [];
  if (embedder !== "") return embedding({ model: embedder, action: method, body });
  const [, publisher, model = "", action = ""] =
    /^\/publishers\/(google|anthropic)\/models\/([^/:]+):(\w+)$/.exec(rest) ?? [];
  if (publisher === "google") return gemini({ model, action, query, text });
  if (publisher === "anthropic") return claude({ model, action, body });
  return failed(404, "NOT_FOUND", "Not found.");
}

/**
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api (predict; one instance for
 * gemini-embedding-001), https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/projects.locations.publishers.models/embedContent
 */
function embedding({ model, action, body }: ModelCall): CloudAnswer {
  const isLater = model.startsWith("gemini-embedding-2");
  if (action !== (isLater ? "embedContent" : "predict"))
    return failed(400, "FAILED_PRECONDITION", `The model does not support ${action}.`);
  const { instances, parameters = body, content } = body;
  const inputs = isLater
    ? [textOf(content)]
    : (instances as readonly { content: string }[]).map((each) => each.content);
  if (model === "gemini-embedding-001" && inputs.length !== 1)
    return failed(400, "INVALID_ARGUMENT", "Only one instance is supported.");
  const { outputDimensionality: dimensions } = parameters as { outputDimensionality?: number };
  return {
    to: "/v1/embeddings",
    body: JSON.stringify({ model, input: inputs, dimensions }),
    plain({ data, usage }) {
      const vectors = (data as { embedding: number[] }[]).map((each) => each.embedding);
      const { prompt_tokens: tokens } = usage as { prompt_tokens: number };
      if (isLater)
        return {
          embedding: { values: vectors[0] },
          usageMetadata: { promptTokenCount: tokens },
          truncated: false,
        };
      return {
        predictions: vectors.map((values, index) => ({
          embeddings: { values, statistics: { truncated: false, token_count: index === 0 ? tokens : 0 } },
        })),
      };
    },
  };
}

function textOf(content: unknown): string {
  return (content as { parts: { text: string }[] }).parts.map(({ text }) => text).join("");
}

interface ModelCall {
  readonly model: string;
  readonly action: string;
  readonly body: Record<string, unknown>;
}

function gemini({
  model,
  action,
  query,
  text,
}: Pick<CloudRequest, "query" | "text"> & { readonly model: string; readonly action: string }): CloudAnswer {
  if (!model.startsWith("gemini"))
    return failed(404, "NOT_FOUND", `Publisher Model \`publishers/google/models/${model}\` was not found.`);
  if (hasCallId(JSON.parse(text)))
    return failed(
      400,
      "INVALID_ARGUMENT",
      "Invalid JSON payload received. Unknown name \"id\" at 'contents[0].parts[0].function_call'",
    );
  const search = query.size === 0 ? "" : `?${query}`;
  return { to: `/v1beta/models/${model}:${action}${search}`, body: text };
}

function hasCallId(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([name, inner]) =>
      (/^function_?(call|response)$/i.test(name) &&
        typeof inner === "object" &&
        inner !== null &&
        "id" in inner) ||
      hasCallId(inner),
  );
}

function claude({ model, action, body }: ModelCall): CloudAnswer {
  const { anthropic_version: version, ...rest } = body;
  const wrong = (words: string): CloudAnswer => ({
    status: 400,
    body: { type: "error", error: { type: "invalid_request_error", message: words } },
  });
  if (!VERSIONS.includes(version)) return wrong("anthropic_version: Field required");
  if (model === "count-tokens")
    return typeof rest["model"] === "string"
      ? { status: 200, body: { input_tokens: 42 } }
      : wrong("model: Field required");
  if ("model" in rest) return wrong("model: Extra inputs are not permitted");
  if ((action === "streamRawPredict") !== (rest["stream"] === true))
    return wrong("stream: must agree with the method that is called");
  return { to: "/v1/messages", body: JSON.stringify({ ...rest, model }) };
}
