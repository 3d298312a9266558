import { isRecord } from "../../base/json/record.ts";
import { type CredentialForm, type CredentialParts, partsOf } from "../credentials/credential-forms.ts";
import { googleDocumentCheck } from "../credentials/google-document.ts";
import { type Access, type AccessContext, AccessFailure } from "./access.ts";
import type { Issued } from "./expiring-value.ts";
import { guardedIssue } from "./guarded-issue.ts";
import { secretFile } from "./secret-file.ts";
import { signedAssertion } from "./signed-assertion.ts";
import { tokenAccess } from "./token-access.ts";
import { jsonIn, readTokenResponse, refusedBy } from "./token-response.ts";

/** https://cloud.google.com/docs/authentication/application-default-credentials */
export const GOOGLE_FORMS: readonly CredentialForm[] = [
  {
    name: "service account",
    fields: {
      service_account: {
        about: "Key file of a service account, as JSON",
        isSecret: true,
        isRequired: true,
        check: googleDocumentCheck,
      },
    },
  },
  {
    name: "workload identity federation",
    fields: {
      external_account: {
        about: "Configuration of workload identity federation, as JSON",
        isSecret: true,
        isRequired: true,
        check: googleDocumentCheck,
      },
    },
  },
  { name: "metadata server", from: "metadata-server", fields: {} },
  { name: "environment", from: "environment", fields: {} },
];

type Document = Readonly<Record<string, unknown>>;

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_SERVER = "https://oauth2.googleapis.com";
const METADATA_HOST = "metadata.google.internal";
const ASSERTION_SECONDS = 3_600;
const BY = "Google";

/** Access by tokens of Google Cloud. */
export function openGoogleAccess(context: AccessContext): Access {
  const parts = partsOf(context.credential.secret);
  return tokenAccess(
    guardedIssue(context, GOOGLE_FORMS, (guarded) => issue(guarded, parts)),
    context.clock,
  );
}

async function issue(context: AccessContext, parts: CredentialParts): Promise<Issued<string>> {
  const { service_account: account, external_account: external, from } = parts;
  const written = account ?? external;
  if (written !== undefined) return fromDocument(context, documentIn(written));
  const file = from === "environment" ? context.environment["GOOGLE_APPLICATION_CREDENTIALS"] : undefined;
  if (file === undefined) return fromMetadata(context);
  return fromDocument(context, documentIn(await secretFile(file, "GOOGLE_APPLICATION_CREDENTIALS")));
}

function fromDocument(context: AccessContext, document: Document): Promise<Issued<string>> {
  switch (document["type"]) {
    case "service_account":
      return forAccount(context, document);
    case "external_account":
      return forExternal(context, document);
    case "authorized_user":
      return forUser(context, document);
    default:
      throw new AccessFailure(`its credential is of type ${JSON.stringify(document["type"] ?? null)}`, {
        advice: "Use the JSON of a service account, of workload identity federation, or of a user.",
        isRefusal: true,
      });
  }
}

/** https://developers.google.com/identity/protocols/oauth2/service-account#httprest */
async function forAccount(context: AccessContext, document: Document): Promise<Issued<string>> {
  const url = tokenUrl(context, textAt(document, "token_uri", `${TOKEN_SERVER}/token`));
  const now = Math.floor(context.clock.nowMs() / 1000);
  const claims = {
    iss: textAt(document, "client_email"),
    scope: scopeOf(context),
    aud: url,
    iat: now,
    exp: now + ASSERTION_SECONDS,
  };
  const header = { alg: "RS256", kid: textAt(document, "private_key_id") } as const;
  const assertion = signedAssertion(header, claims, textAt(document, "private_key"));
  return ask(context, url, { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion });
}

/** Format that `gcloud auth application-default login` writes. */
function forUser(context: AccessContext, document: Document): Promise<Issued<string>> {
  return ask(context, tokenUrl(context, `${TOKEN_SERVER}/token`), {
    grant_type: "refresh_token",
    client_id: textAt(document, "client_id"),
    client_secret: textAt(document, "client_secret"),
    refresh_token: textAt(document, "refresh_token"),
  });
}

/** https://google.aip.dev/auth/4117, with what a file or a server gives. */
async function forExternal(context: AccessContext, document: Document): Promise<Issued<string>> {
  const source = document["credential_source"];
  const exchanged = await ask(context, textAt(document, "token_url"), {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    audience: textAt(document, "audience"),
    scope: scopeOf(context),
    subject_token_type: textAt(document, "subject_token_type"),
    subject_token: await subjectToken(context, isRecord(source) ? source : {}),
  });
  const impersonation = document["service_account_impersonation_url"];
  return typeof impersonation === "string"
    ? impersonated(context, impersonation, exchanged.value)
    : exchanged;
}

async function subjectToken({ tokens }: AccessContext, source: Document): Promise<string> {
  const { file, url, headers, format } = source;
  let text: string;
  if (typeof file === "string") text = await secretFile(file, "credential_source.file");
  else if (typeof url === "string") {
    const list = isRecord(headers)
      ? Object.entries(headers).flatMap(([name, value]) => [name, String(value)])
      : [];
    const { status, body } = await tokens({ method: "GET", url, headers: list, isLocal: true });
    text = body.toString("utf8");
    if (status !== 200 || text.trim() === "")
      throw refusedBy(
        "the server of credential_source.url",
        status,
        status === 200 ? "its response is empty" : "",
      );
  } else
    throw new AccessFailure("its credential_source is neither a file nor a url", {
      advice: "Other sources of workload identity federation aren't supported.",
      isRefusal: true,
    });
  if (!isRecord(format) || format["type"] !== "json") return text.trim();
  return textAt(jsonIn(Buffer.from(text)), String(format["subject_token_field_name"]));
}

/** https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken */
async function impersonated(context: AccessContext, url: string, token: string): Promise<Issued<string>> {
  const response = await context.tokens({
    method: "POST",
    url,
    headers: ["authorization", `Bearer ${token}`, "content-type", "application/json"],
    body: JSON.stringify({ scope: scopeOf(context).split(" ") }),
  });
  const { accessToken, expireTime } = jsonIn(response.body);
  const lifeMs = Date.parse(String(expireTime)) - context.clock.nowMs();
  if (response.status === 200 && typeof accessToken === "string" && lifeMs > 0)
    return { value: accessToken, lifeMs };
  return readTokenResponse(response, BY);
}

/** https://cloud.google.com/compute/docs/metadata/querying-metadata */
async function fromMetadata(context: AccessContext): Promise<Issued<string>> {
  const host = context.environment["GCE_METADATA_HOST"] ?? METADATA_HOST;
  const server = context.upstream.options?.place?.tokenUrl ?? `http://${host}`;
  const response = await context.tokens({
    method: "GET",
    url: `${server}/computeMetadata/v1/instance/service-accounts/default/token`,
    headers: ["metadata-flavor", "Google"],
    isLocal: true,
  });
  return readTokenResponse(response, "the metadata server");
}

async function ask(
  context: AccessContext,
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<Issued<string>> {
  const response = await context.tokens({
    method: "POST",
    url,
    headers: ["accept", "application/json", "content-type", "application/x-www-form-urlencoded"],
    body: new URLSearchParams(form).toString(),
  });
  return readTokenResponse(response, BY);
}

function tokenUrl({ upstream }: AccessContext, usual: string): string {
  const own = upstream.options?.place?.tokenUrl;
  return own === undefined ? usual : `${own}/token`;
}

function scopeOf({ upstream }: AccessContext): string {
  return upstream.options?.place?.tokenScope ?? SCOPE;
}

function documentIn(text: string): Document {
  const document = jsonIn(Buffer.from(text));
  if (Object.keys(document).length > 0) return document;
  throw new AccessFailure("its credential is no JSON", {
    advice: "Use the whole content of the file that Google Cloud gives out.",
    isRefusal: true,
  });
}

/** Throws AccessFailure where it is missing and nothing stands in for it. */
function textAt(document: Document, field: string, instead?: string): string {
  const value = document[field] ?? instead;
  if (typeof value === "string" && value !== "") return value;
  throw new AccessFailure(`its credential has no ${field}`, {
    advice: "Use the whole content of the file that Google Cloud gives out.",
    isRefusal: true,
  });
}
