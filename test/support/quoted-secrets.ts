/** The operator's secrets and names at vendors, which nobody may read. */
export const OURS = {
  credential: "sk-proj-9fQ2/xW7+aL4tR8vB3nK6mZ1cY5dH0gJ",
  /** The credential of another upstream, which is never called. */
  otherCredential: "vk_live_41d7c9b2e8f6a035",
  host: "vllm-7.corp.internal",
  organization: "org-Zt4QmW81LkVbN2xP",
  project: "proj_7HsK29dLqPzXvB",
  cloudProject: "acme-genai-prod-417",
  awsAccount: "417093826154",
  azureHost: "acme-eastus.openai.azure.com",
} as const;

const { credential, otherCredential, host } = OURS;

/** One way in which a vendor quotes something of ours, and what must not be left of it. */
export interface Quotation {
  readonly form: string;
  readonly words: string;
  readonly leak: string;
}

const escaped = [...credential]
  .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
  .join("");

/** A port of the loopback address stands for the address that the upstream is at. */
export function quotations(origin: string): readonly Quotation[] {
  const address = new URL(origin).host;
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  return [
    { form: "credential", words: `Bad key ${credential}.`, leak: credential },
    { form: "another upstream's credential", words: `token=${otherCredential};`, leak: otherCredential },
    { form: "in capitals", words: `KEY ${credential.toUpperCase()}`, leak: credential.toUpperCase() },
    { form: "masked", words: "Incorrect key: sk-proj-9fQ2***********0gJ", leak: "9fQ2" },
    { form: "masked with dots", words: "Incorrect key: sk-p...H0gJ", leak: "H0gJ" },
    { form: "its last letters", words: "the key ending in `dH0gJ`", leak: "dH0gJ" },
    { form: "its beginning", words: `key ${credential.slice(0, 24)} was cut`, leak: credential.slice(0, 24) },
    {
      form: "URL-encoded",
      words: `?key=${encodeURIComponent(credential)}&x`,
      leak: encodeURIComponent(credential),
    },
    { form: "base64", words: `Basic ${base64(credential)}`, leak: base64(credential) },
    {
      form: "base64 with a user",
      words: `Authorization: Basic ${base64(`user:${credential}`)}`,
      leak: base64(`user:${credential}`),
    },
    {
      form: "base64 for URLs",
      words: Buffer.from(credential).toString("base64url"),
      leak: Buffer.from(credential).toString("base64url"),
    },
    {
      form: "hexadecimal",
      words: Buffer.from(credential).toString("hex"),
      leak: Buffer.from(credential).toString("hex"),
    },
    { form: "escaped in JSON", words: `{"headers":"Bearer ${escaped}"}`, leak: escaped },
    {
      form: "escaped in HTML",
      words: credential.replaceAll("/", "&#x2F;").replaceAll("+", "&#43;"),
      leak: "xW7",
    },
    { form: "host", words: `upstream ${host} is down`, leak: host },
    { form: "host and port", words: `http://${host.toUpperCase()}:8000/v1`, leak: host.toUpperCase() },
    { form: "address", words: `connect ECONNREFUSED ${address}`, leak: address },
    {
      form: "organization",
      words: `Limit reached in organization ${OURS.organization} on tokens`,
      leak: OURS.organization,
    },
    { form: "project", words: `Project ${OURS.project} lacks access`, leak: OURS.project },
    { form: "project in a URL's path", words: `of ${OURS.cloudProject} quota`, leak: OURS.cloudProject },
    {
      form: "cloud project",
      words: "Permission denied on resource projects/other-prod-12/locations/x",
      leak: "other-prod-12",
    },
    {
      form: "ARN",
      words: `arn:aws:bedrock:us-east-1:${OURS.awsAccount}:provisioned-model/abc is busy`,
      leak: OURS.awsAccount,
    },
    { form: "account number", words: `account id: ${OURS.awsAccount}`, leak: OURS.awsAccount },
    { form: "resource host", words: `https://${OURS.azureHost}/openai failed`, leak: OURS.azureHost },
    { form: "resource", words: "The resource acme-eastus is gone", leak: "acme-eastus" },
    { form: "service account", words: `bot@${OURS.cloudProject}.iam.gserviceaccount.com`, leak: "bot@acme" },
  ];
}

/** All of it in one sentence. */
export function quotedTogether(origin: string): string {
  return quotations(origin)
    .map(({ words }) => words)
    .join(" ; ");
}

/** The forms in which something of ours is in a text that was told. */
export function leaksIn(text: string, origin: string): readonly string[] {
  return quotations(origin)
    .filter(({ leak }) => text.includes(leak) || text.includes(JSON.stringify(leak).slice(1, -1)))
    .map(({ form }) => form);
}
