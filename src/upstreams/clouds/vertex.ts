import type { CloudPlace } from "../../catalog/upstream-options.ts";
import { GOOGLE_FORMS, openGoogleAccess } from "../access/google-tokens.ts";
import { heldInParts } from "../credentials/credential-forms.ts";
import { VERTEX_TOOLS } from "../vendor-tool-prices.ts";

const PLACE = "/v1/projects/{project}/locations/{location}";
const GEMINI = `${PLACE}/publishers/google/models/{model}`;
const CLAUDE = `${PLACE}/publishers/anthropic/models`;

/** Models for text; multimodalembedding has a form of its own, which is not supported. */
const EMBEDDING = /^(gemini|text)[\w-]*embedding/i;

/** The first of Gemini's is still asked by `predict`: https://cloud.google.com/vertex-ai/generative-ai/docs/embeddings/get-text-embeddings */
const LATER_EMBEDDING = /^gemini-embedding-(?!001)/i;

/**
 * Publishers whose models are named without the publisher in requests:
 * https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/publishers.models/list
 */
const PUBLISHERS = ["google", "anthropic"];

/** Ids of calls, which the interface of developers has and this one refuses; in both spellings. */
const CALL_IDS = ["functionCall", "function_call", "functionResponse", "function_response"].map(
  (field) => `contents.parts.${field}.id`,
);

/**
 * Its words as users report them: https://github.com/genkit-ai/genkit/issues/4688 (publisher model). The other rows are not
 * yet held against a page.
 */
const TROUBLES = [
  {
    contains: "publisher model",
    means:
      "the model isn't enabled in the project, or isn't served in this location; enable it in the Model Garden, and check location and the version in its name",
  },
  {
    contains: "service_disabled",
    means: "the Vertex AI API is not enabled in the project; enable aiplatform.googleapis.com",
  },
  {
    contains: "has not been used in project",
    means: "the Vertex AI API is not enabled in the project; enable aiplatform.googleapis.com",
  },
  {
    contains: "denied on resource",
    means: "its account lacks the role; give it Vertex AI User in the project, and check project",
  },
  { contains: "consumer_invalid", means: "there is no such project; check project" },
  {
    contains: "requires billing to be enabled",
    means: "the project has no billing account; link one",
  },
  {
    contains: "access_token_scope_insufficient",
    means:
      "its token is not for this service; leave token_scope out, or give the machine the scope cloud-platform",
  },
] as const;

/**
 * Google's, Anthropic's and other models at Google Cloud.
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference (Gemini, countTokens);
 * https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude (rawPredict, count-tokens);
 * https://cloud.google.com/vertex-ai/generative-ai/docs/migrate/openai/overview (endpoints/openapi);
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api (predict)
 */
export const VERTEX = {
  listedTools: VERTEX_TOOLS,
  troubles: TROUBLES,
  triesModels: true,
  auth: "bearer",
  versionHeader: "anthropic-version",
  betaHeader: "anthropic-beta",
  protocols: ["generate-content", "messages", "chat-completions", "embeddings"],
  modelProtocols: [
    { names: EMBEDDING, protocols: ["embeddings"] },
    { names: /claude/i, protocols: ["messages"] },
    { names: /^gemini/i, protocols: ["generate-content"] },
    { names: /./, protocols: ["chat-completions"] },
  ],
  paths: {
    "generate-content": `${GEMINI}:{action}`,
    messages: `${CLAUDE}/{model}:rawPredict`,
    "chat-completions": `${PLACE}/endpoints/openapi/chat/completions`,
    embeddings: `${GEMINI}:predict`,
  },
  modelPaths: [{ names: LATER_EMBEDDING, paths: { embeddings: `${GEMINI}:embedContent` } }],
  embeddingsForms: [
    { names: LATER_EMBEDDING, form: "embedContent" },
    { names: /./, form: "predict" },
  ],
  streamPaths: { messages: `${CLAUDE}/{model}:streamRawPredict` },
  countPaths: {
    "generate-content": `${GEMINI}:countTokens`,
    messages: `${CLAUDE}/count-tokens:rawPredict`,
  },
  // The path has the model, and the body the version that the header has elsewhere.
  bodyForms: {
    messages: { set: { anthropic_version: "vertex-2023-10-16" }, remove: ["model"] },
    "generate-content": { remove: CALL_IDS },
  },
  // Here alone the model stands in the body.
  countForms: { messages: { set: { anthropic_version: "vertex-2023-10-16" } } },
  modelsPath: null,
  modelLists: PUBLISHERS.map((publisher) => ({
    path: `/v1beta1/publishers/${publisher}/models`,
    pages: { size: "pageSize=1000", after: "pageToken", next: "nextPageToken" },
    entries: "publisherModels",
    name: "name",
    before: `publishers/${publisher}/models/`,
  })),
  betaQuery: false,
  needsKey: true,
  accountFaults: [],
  taskApi: null,
  families: [],
  assetApi: null,
  credentialForms: GOOGLE_FORMS,
  openAccess: openGoogleAccess,
  heldIn: heldInParts(GOOGLE_FORMS),
  places: { project: true, location: true, token_url: false, token_scope: false },
  baseUrlAt: addressOf,
} as const;

/** https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations: global, groups of regions, regions. */
function addressOf({ location }: CloudPlace): string | undefined {
  if (location === undefined) return undefined;
  if (location === "global") return "https://aiplatform.googleapis.com";
  if (location === "us" || location === "eu") return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}
