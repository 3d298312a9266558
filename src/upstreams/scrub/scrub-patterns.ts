/** The replacement of secrets and names of the operator's. */
export const REDACTED = "[redacted]";

/** A pattern and what a match becomes; `$1` keeps what leads up to it. */
export type Redaction = readonly [pattern: RegExp, told: string];

/**
 * Vendors' forms of the names of accounts, projects and resources, and of keys. Such names in a vendor's text are those
 * of the operator's account there, because callers have none. Each form has one row, so that another vendor's is one
 * more row.
 */
export const ACCOUNT_PATTERNS: readonly Redaction[] = [
  // https://platform.openai.com/docs/guides/rate-limits: "Rate limit reached for gpt-4o in organization org-... on ..."
  [/\borg-[A-Za-z0-9]{8,}/g, REDACTED],
  [/\bproj_[A-Za-z0-9]{8,}/g, REDACTED],
  // https://docs.anthropic.com/en/api/errors: organizations are UUIDs there, workspaces have a prefix.
  [
    /(\borgani[sz]ation(?:[ _]?id)?\W{1,4})[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi,
    `$1${REDACTED}`,
  ],
  [/\bwrkspc_[A-Za-z0-9]{8,}/g, REDACTED],
  // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html: those with an account's number are ours.
  [/\barn:aws[\w-]*:[\w-]*:[\w-]*:\d{12}:[^\s"'`,;)\]}]*/gi, REDACTED],
  [/(\baccount(?:[ _-]?(?:id|number))?\W{1,4})\d{8,}\b/gi, `$1${REDACTED}`],
  // https://learn.microsoft.com/azure/ai-services/openai/reference: <resource>.openai.azure.com and its siblings.
  [
    /\b[a-z0-9][a-z0-9-]{0,62}\.(?:openai|services\.ai|cognitiveservices|inference\.ai|[a-z0-9-]{1,40}\.(?:models|inference)\.ai)\.azure\.(?:com|us|cn)\b(?::\d{1,5})?/gi,
    REDACTED,
  ],
  [/\/subscriptions\/[^\s"'`,;)\]}]+/gi, REDACTED],
  // https://cloud.google.com/apis/design/errors: "Consumer 'projects/123'", "project_number:123", "project 123".
  [/(\bprojects\/)(?!\[redacted\])[a-z0-9][\w:.-]*/gi, `$1${REDACTED}`],
  [/(\bproject(?:[ _-]?(?:id|number))?\W{1,4})\d{6,}\b/gi, `$1${REDACTED}`],
  [/\b[\w.-]{1,64}@[\w-]{1,64}\.iam\.gserviceaccount\.com\b/gi, REDACTED],
  // Keys of any account, such as those of a relay's own vendors.
  [/\bsk-[\w-]{16,}/g, REDACTED],
  [/\bAIza[\w-]{30,}/g, REDACTED],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, REDACTED],
  [/\b(?:gsk_|xai-|hf_|nvapi-|pplx-|r8_|fw_)[A-Za-z0-9_-]{16,}/g, REDACTED],
  [/(\bBearer\s+)(?=[\w.~+/-]{0,200}\d)[\w.~+/-]{16,}=*/gi, `$1${REDACTED}`],
  // Access tokens: of Google Cloud, and those that are JSON Web Tokens.
  [/\bya29\.[\w.-]{16,}/g, REDACTED],
  [/\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g, REDACTED],
  // Addresses inside a private network, be it the vendor's or ours.
  [
    /(?<![\d.])(?:10\.\d{1,3}|127\.\d{1,3}|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}(?::\d{1,5})?(?![\d.]*\d)/g,
    REDACTED,
  ],
];

/** Hosts whose first label is the name of the operator's own resource, by the rest of the host. */
export const RESOURCE_HOSTS: readonly RegExp[] = [
  /\.azure\.(?:com|us|cn)$/,
  /\.(?:cloud\.databricks\.com|azuredatabricks\.net)$/,
  /\.snowflakecomputing\.com$/,
  /\.endpoints\.huggingface\.cloud$/,
  /\.modal\.run$/,
  /\.proxy\.runpod\.net$/,
];

/** Steps of a base URL's path whose successor is a name: `/v1/projects/<name>/locations/...`. */
export const NAMING_STEPS: ReadonlySet<string> = new Set([
  ...[
    "projects",
    "project",
    "accounts",
    "account",
    "organizations",
    "orgs",
    "org",
    "workspaces",
    "workspace",
  ],
  ...[
    "tenants",
    "tenant",
    "teams",
    "subscriptions",
    "resourcegroups",
    "deployments",
    "endpoints",
    "gateways",
  ],
]);
