import { ENTRA_FORMS, openEntraAccess } from "../access/entra-tokens.ts";
import { type CredentialForm, heldInParts } from "../credentials/credential-forms.ts";
import { azureImages } from "../task-apis/openai-images.ts";
import { AZURE_TOOLS } from "../vendor-tool-prices.ts";

const FORMS: readonly CredentialForm[] = [
  {
    name: "key",
    fields: { api_key: { about: "Key of the resource", isSecret: true, isRequired: true } },
  },
  ...ENTRA_FORMS,
];

/**
 * Its words as users report them: https://github.com/chatboxai/chatbox/issues/646 (deployment),
 * https://github.com/Azure-Samples/ai-rag-chat-evaluator/issues/94 (tenant). The other rows are not yet held against a page.
 */
const TROUBLES = [
  {
    contains: "deploymentnotfound",
    means:
      "the resource has no deployment of this name; map the model to a deployment's name under models (a new one needs some minutes)",
  },
  {
    contains: "invalid subscription key",
    means: "the key is not of this resource; check api_key, and that base_url names the resource it is of",
  },
  {
    contains: "tenant provided in token does not match",
    means: "the token is of another tenant than the resource; check tenant_id",
  },
  {
    contains: "lacks the required data action",
    means: "its identity lacks the role; give it Cognitive Services User on the resource",
  },
  {
    contains: "audience is incorrect",
    means:
      "the resource wants a token of another audience; set token_scope, as https://ai.azure.com/.default",
  },
  {
    contains: "public access is disabled",
    means: "the resource takes requests from its private endpoint alone; let this machine reach that",
  },
  {
    contains: "virtual network/firewall rules",
    means: "the resource's network rules refuse this machine's address; allow it there",
  },
  {
    contains: "api version not supported",
    means: "it doesn't know this version of the interface; check api_version, or leave it out",
  },
  {
    contains: "does not work with the specified model",
    means:
      "the deployment's model isn't asked in this protocol; set protocols, or give it an upstream of its own",
  },
] as const;

/**
 * OpenAI's and Anthropic's models at Microsoft, by the resource's address. `models` names deployments.
 * https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle (v1 and the older paths);
 * https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry
 */
export const AZURE = {
  listedTools: AZURE_TOOLS,
  troubles: TROUBLES,
  triesModels: true,
  auth: "api-key",
  authAt: { messages: "x-api-key" },
  versionHeader: "anthropic-version",
  betaHeader: "anthropic-beta",
  protocols: ["chat-completions", "responses", "embeddings", "messages"],
  modelProtocols: [
    { names: /gpt-image|dall-e/i, protocols: [] },
    { names: /claude/i, protocols: ["messages"] },
    { names: /./, protocols: ["chat-completions", "responses", "embeddings"] },
  ],
  paths: {
    "chat-completions": "/openai/v1/chat/completions",
    responses: "/openai/v1/responses",
    embeddings: "/openai/v1/embeddings",
    messages: "/anthropic/v1/messages",
  },
  versionPaths: {
    "chat-completions": "/openai/deployments/{model}/chat/completions?api-version={api_version}",
    responses: "/openai/responses?api-version={api_version}",
    embeddings: "/openai/deployments/{model}/embeddings?api-version={api_version}",
  },
  countPaths: { messages: "/anthropic/v1/messages/count_tokens" },
  modelsPath: "/openai/v1/models",
  betaQuery: false,
  needsKey: true,
  accountFaults: [],
  taskApi: azureImages,
  families: ["imagegen"],
  assetApi: null,
  credentialForms: FORMS,
  openAccess: openEntraAccess,
  heldIn: heldInParts(FORMS),
  places: { api_version: false, token_url: false, token_scope: false },
} as const;
