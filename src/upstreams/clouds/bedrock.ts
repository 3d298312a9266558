import type { CloudPlace } from "../../catalog/upstream-options.ts";
import { openAwsAccess } from "../bedrock/aws-access.ts";
import { AWS_FORMS } from "../bedrock/aws-keys.ts";
import { CONVERSE } from "../bedrock/converse.ts";
import { CONVERSE_MODELS } from "../bedrock/converse-models.ts";
import { BEDROCK_COUNT, COUNTED_OUTPUT_LIMIT } from "../bedrock/count-tokens.ts";
import { withCountedInput } from "../bedrock/counted-input.ts";
import { openModelStream } from "../bedrock/model-stream.ts";
import type { ResponseReaderOptions, UpstreamResponse } from "../call.ts";
import { heldInParts } from "../credentials/credential-forms.ts";

/** https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html */
const TROUBLES = [
  {
    contains: "signature we calculated does not match",
    means:
      "the secret doesn't belong to the access key; check secret_access_key, and location where base_url is a proxy",
  },
  { contains: "signature expired", means: "this machine's clock is behind AWS's; set it" },
  { contains: "signature not yet current", means: "this machine's clock is ahead of AWS's; set it" },
  {
    contains: "credential should be scoped",
    means: "the request is signed for another region or service; check location and kind",
  },
  {
    contains: "security token included in the request is expired",
    means: "the session of its keys has ended; write new ones, or a source that renews them",
  },
  {
    contains: "security token included in the request is invalid",
    means: "AWS doesn't know its access key; check access_key_id and session_token",
  },
  { contains: "api key is valid", means: "AWS doesn't know its Bedrock API key; check api_key and its end" },
  {
    contains: "is not authorized to perform",
    means:
      "its identity lacks a permission; allow bedrock:InvokeModel and bedrock:InvokeModelWithResponseStream",
  },
  {
    contains: "don't have access to the model",
    means: "the model isn't enabled for the account; request access in the Bedrock console of this region",
  },
  {
    contains: "on-demand throughput isn",
    means:
      "the model is served by an inference profile alone; map its id with the profile's prefix, as us. or global.",
  },
  {
    contains: "model identifier is invalid",
    means: "the region has no model of this id; check the id and location",
  },
  {
    contains: "supported on this route",
    means: "the model is served below /openai; end base_url in it, or use kind bedrock",
  },
] as const;

/**
 * Betas of services that Claude's vendor runs itself, which get "invalid beta flag" here: files, skills, its sandbox and its
 * fetching; and those of its account and prices. What a request asks for with them is refused all the same, by its field.
 * https://platform.claude.com/docs/en/build-with-claude/claude-on-amazon-bedrock#feature-support,
 * https://github.com/coder/aibridge/issues/221, https://docs.litellm.ai/docs/tutorials/claude_code_beta_headers
 */
const REFUSED_BETAS = [
  "advisor-tool-",
  "code-execution-",
  "fast-mode-",
  "files-api-",
  "mcp-client-",
  "oauth-",
  "prompt-caching-scope-",
  "skills-",
  "web-fetch-",
] as const;

const SHARED = {
  refusedBetas: REFUSED_BETAS,
  troubles: TROUBLES,
  triesModels: true,
  auth: "bearer",
  versionHeader: "anthropic-version",
  betaHeader: "anthropic-beta",
  modelsPath: null,
  betaQuery: false,
  needsKey: true,
  accountFaults: [],
  taskApi: null,
  families: [],
  assetApi: null,
  credentialForms: AWS_FORMS,
  heldIn: heldInParts(AWS_FORMS),
  places: { location: true, token_url: false },
} as const;

/** https://docs.aws.amazon.com/general/latest/gr/bedrock.html; China's regions are a cloud of their own. */
function runtimeAt({ location }: CloudPlace): string | undefined {
  const domain = location?.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return location && `https://bedrock-runtime.${location}.${domain}`;
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/bedrock-mantle.html */
function mantleAt({ location }: CloudPlace): string | undefined {
  return location && `https://bedrock-mantle.${location}.api.aws`;
}

/** Lists stand at a server beside that of requests: https://docs.aws.amazon.com/general/latest/gr/bedrock.html */
const CONTROL = (baseUrl: string): string => baseUrl.replace("//bedrock-runtime.", "//bedrock.");

/**
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html, API_ListInferenceProfiles.html. Models
 * that are served by profiles alone can't be asked by their own ids.
 */
const LISTS = [
  {
    path: "/foundation-models",
    serverOf: CONTROL,
    entries: "modelSummaries",
    name: "modelId",
    media: "inputModalities",
    only: { field: "inferenceTypesSupported", holds: "ON_DEMAND" },
  },
  {
    path: "/inference-profiles",
    pages: { size: "maxResults=1000", after: "nextToken", next: "nextToken" },
    serverOf: CONTROL,
    entries: "inferenceProfileSummaries",
    name: "inferenceProfileId",
    only: { field: "status", holds: "ACTIVE" },
  },
] as const;

function openResponse(response: UpstreamResponse, options: ResponseReaderOptions): UpstreamResponse {
  return openModelStream(withCountedInput(response), options);
}

/**
 * Models that are called by `invoke`, in the forms of their vendors. Ids of profiles have a region before these names.
 */
const TITAN_EMBEDDING = /(^|[./])amazon\.titan-embed-(text|g1-text)/;
const COHERE_EMBEDDING = /(^|[./])cohere\.embed-/;

/**
 * Amazon's `bedrock-runtime`. Claude, of any age, is asked by its model's id in the path and answers in AWS's framing
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html); others in OpenAI's forms
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html, inference-responses-api.html)
 * or, where these don't serve a model, by Converse.
 */
export const BEDROCK = {
  ...SHARED,
  protocols: ["messages", "chat-completions", "responses", "embeddings"],
  modelProtocols: [
    { names: TITAN_EMBEDDING, protocols: ["embeddings"] },
    { names: COHERE_EMBEDDING, protocols: ["embeddings"] },
    { names: /claude/i, protocols: ["messages"] },
    { names: CONVERSE_MODELS, protocols: ["messages"] },
    // https://docs.aws.amazon.com/bedrock/latest/userguide/models-api-compatibility.html
    { names: /openai\.gpt-\d/, protocols: ["responses"] },
    { names: /^(?!arn:)/, protocols: ["chat-completions"] },
  ],
  paths: {
    messages: "/model/{model}/invoke",
    "chat-completions": "/openai/v1/chat/completions",
    responses: "/openai/v1/responses",
    embeddings: "/model/{model}/invoke",
  },
  embeddingsForms: [
    { names: TITAN_EMBEDDING, form: "titan" },
    { names: COHERE_EMBEDDING, form: "cohere" },
  ],
  streamPaths: { messages: "/model/{model}/invoke-with-response-stream" },
  streamTypes: { messages: "application/json" },
  bodyForms: {
    messages: { set: { anthropic_version: "bedrock-2023-05-31" }, remove: ["model", "stream"] },
  },
  countForms: {
    messages: {
      set: { anthropic_version: "bedrock-2023-05-31" },
      default: { max_tokens: COUNTED_OUTPUT_LIMIT },
      remove: ["model", "stream"],
    },
  },
  countCall: { protocol: "messages", ...BEDROCK_COUNT },
  modelForms: { messages: [CONVERSE] },
  betasInBody: true,
  modelLists: LISTS,
  openAccess: openAwsAccess("bedrock"),
  openResponse,
  baseUrlAt: runtimeAt,
} as const;

/**
 * Amazon's `bedrock-mantle`, where each model speaks its own vendor's form. Some of OpenAI's are below `/openai`, which the
 * base URL then says: https://docs.aws.amazon.com/bedrock/latest/userguide/inference-responses-api.html
 */
export const BEDROCK_MANTLE = {
  ...SHARED,
  protocols: ["messages", "chat-completions", "responses"],
  modelProtocols: [
    { names: /claude/i, protocols: ["messages"] },
    { names: /openai\.gpt-\d/, protocols: ["responses"] },
    { names: /./, protocols: ["chat-completions", "responses"] },
  ],
  paths: {
    messages: "/anthropic/v1/messages",
    "chat-completions": "/v1/chat/completions",
    responses: "/v1/responses",
  },
  countPaths: { messages: "/anthropic/v1/messages/count_tokens" },
  modelsPath: "/v1/models",
  openAccess: openAwsAccess("bedrock-mantle"),
  baseUrlAt: mantleAt,
} as const;
