import { ENTRA_FORMS, openEntraAccess } from "../access/entra-tokens.ts";
import { type CredentialForm, heldInParts } from "../credentials/credential-forms.ts";

const FORMS: readonly CredentialForm[] = [
  {
    name: "key",
    fields: { api_key: { about: "Key of the resource", isSecret: true, isRequired: true } },
  },
  ...ENTRA_FORMS,
];

/**
 * OpenAI's and Anthropic's models at Microsoft, by the resource's address. `models` names deployments.
 * https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle (v1 and the older paths);
 * https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry
 */
export const AZURE = {
  auth: "api-key",
  authAt: { messages: "x-api-key" },
  versionHeader: "anthropic-version",
  betaHeader: "anthropic-beta",
  protocols: ["chat-completions", "responses", "embeddings", "messages"],
  modelProtocols: [
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
  taskApi: null,
  families: [],
  assetApi: null,
  credentialForms: FORMS,
  openAccess: openEntraAccess,
  heldIn: heldInParts(FORMS),
  places: { api_version: false, token_url: false, token_scope: false },
} as const;
