import type { CloudPlace } from "../../catalog/upstream-options.ts";
import { GOOGLE_FORMS, openGoogleAccess } from "../access/google-tokens.ts";
import { heldInParts } from "../credentials/credential-forms.ts";

const PLACE = "/v1/projects/{project}/locations/{location}";
const GEMINI = `${PLACE}/publishers/google/models/{model}`;
const CLAUDE = `${PLACE}/publishers/anthropic/models`;

/** Ids of calls, which the interface of developers has and this one refuses; in both spellings. */
const CALL_IDS = ["functionCall", "function_call", "functionResponse", "function_response"].map(
  (field) => `contents.parts.${field}.id`,
);

/**
 * Google's, Anthropic's and other models at Google Cloud.
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference (Gemini, countTokens);
 * https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude (rawPredict, count-tokens);
 * https://cloud.google.com/vertex-ai/generative-ai/docs/migrate/openai/overview (endpoints/openapi)
 */
export const VERTEX = {
  auth: "bearer",
  versionHeader: "anthropic-version",
  betaHeader: "anthropic-beta",
  protocols: ["generate-content", "messages", "chat-completions"],
  modelProtocols: [
    { names: /claude/i, protocols: ["messages"] },
    { names: /^gemini/i, protocols: ["generate-content"] },
    { names: /./, protocols: ["chat-completions"] },
  ],
  paths: {
    "generate-content": `${GEMINI}:{action}`,
    messages: `${CLAUDE}/{model}:rawPredict`,
    "chat-completions": `${PLACE}/endpoints/openapi/chat/completions`,
  },
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
