import { createHash } from "node:crypto";
import { randomText } from "../../base/random.ts";
import { certificateCheck, certificateIn, certificateParts } from "../credentials/certificate.ts";
import type { CredentialForm, CredentialParts } from "../credentials/credential-forms.ts";
import { partsOf } from "../credentials/credential-forms.ts";
import { lineText } from "../credentials/field-checks.ts";
import { type Access, type AccessContext, AccessFailure, type Environment } from "./access.ts";
import type { Issued } from "./expiring-value.ts";
import { guardedIssue } from "./guarded-issue.ts";
import { secretFile } from "./secret-file.ts";
import { signedAssertion } from "./signed-assertion.ts";
import { tokenAccess } from "./token-access.ts";
import { jsonIn, readTokenResponse } from "./token-response.ts";

const TENANT = { about: "Directory (tenant) id", isRequired: true } as const;
const CLIENT = { about: "Application (client) id", isRequired: true } as const;

/** https://learn.microsoft.com/azure/developer/javascript/sdk/authentication/overview */
export const ENTRA_FORMS: readonly CredentialForm[] = [
  {
    name: "client secret of Entra ID",
    fields: {
      tenant_id: TENANT,
      client_id: CLIENT,
      client_secret: { about: "Secret of the application", isSecret: true, isRequired: true },
    },
  },
  {
    name: "certificate of Entra ID",
    fields: {
      tenant_id: TENANT,
      client_id: CLIENT,
      certificate: {
        about: "Certificate and private key as PEM",
        isSecret: true,
        isRequired: true,
        check: certificateCheck,
      },
    },
  },
  {
    name: "workload identity",
    from: "workload-identity",
    fields: {
      tenant_id: { about: "Absent = AZURE_TENANT_ID" },
      client_id: { about: "Absent = AZURE_CLIENT_ID" },
      token_file: { about: "Absent = AZURE_FEDERATED_TOKEN_FILE", check: lineText },
    },
  },
  {
    name: "managed identity",
    from: "managed-identity",
    fields: { client_id: { about: "Of a user-assigned identity; absent = the machine's own" } },
  },
  { name: "environment", from: "environment", fields: {} },
];

interface EntraServer {
  /** Host of the resource. */
  readonly hosts: RegExp;
  readonly login: string;
  readonly scope: string;
}

/** https://learn.microsoft.com/entra/identity-platform/authentication-national-cloud; the first that matches. */
const SERVERS: readonly EntraServer[] = [
  {
    hosts: /\.azure\.us$/,
    login: "https://login.microsoftonline.us",
    scope: "https://cognitiveservices.azure.us/.default",
  },
  {
    hosts: /\.azure\.cn$/,
    login: "https://login.chinacloudapi.cn",
    scope: "https://cognitiveservices.azure.cn/.default",
  },
];

const PUBLIC: EntraServer = {
  hosts: /./,
  login: "https://login.microsoftonline.com",
  scope: "https://cognitiveservices.azure.com/.default",
};

/** https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token */
const METADATA_SERVER = "http://169.254.169.254";

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const ASSERTION_SECONDS = 600;

const BY = "Entra ID";

/** Access by tokens of Entra ID; undefined = the credential is a key. */
export function openEntraAccess(context: AccessContext): Access | undefined {
  const parts = partsOf(context.credential.secret);
  if (parts["api_key"] !== undefined) return undefined;
  return tokenAccess(
    guardedIssue(context, ENTRA_FORMS, (guarded) => issue(guarded, parts)),
    context.clock,
  );
}

function issue(context: AccessContext, parts: CredentialParts): Promise<Issued<string>> {
  const { environment } = context;
  switch (parts["from"]) {
    case "managed-identity":
      return fromMetadata(context, parts["client_id"]);
    case "workload-identity":
      return withFile(context, {
        tenant: parts["tenant_id"] ?? environment["AZURE_TENANT_ID"],
        client: parts["client_id"] ?? environment["AZURE_CLIENT_ID"],
        file: parts["token_file"] ?? environment["AZURE_FEDERATED_TOKEN_FILE"],
      });
    case "environment":
      return fromEnvironment(context, environment);
    default:
      return withParts(context, parts);
  }
}

/** In the order of the vendor's own libraries. */
async function fromEnvironment(context: AccessContext, environment: Environment): Promise<Issued<string>> {
  const tenant = environment["AZURE_TENANT_ID"];
  const client = environment["AZURE_CLIENT_ID"];
  const secret = environment["AZURE_CLIENT_SECRET"];
  const certificate = environment["AZURE_CLIENT_CERTIFICATE_PATH"];
  const file = environment["AZURE_FEDERATED_TOKEN_FILE"];
  if (tenant && client && secret)
    return withParts(context, { tenant_id: tenant, client_id: client, client_secret: secret });
  if (tenant && client && certificate) {
    const pem = await secretFile(certificate, "AZURE_CLIENT_CERTIFICATE_PATH");
    return withParts(context, { tenant_id: tenant, client_id: client, certificate: pem });
  }
  if (file) return withFile(context, { tenant, client, file });
  return fromMetadata(context, client);
}

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
async function withParts(context: AccessContext, parts: CredentialParts): Promise<Issued<string>> {
  const { tenant_id: tenant = "", client_id: client = "", client_secret: secret, certificate } = parts;
  if (secret !== undefined) return ask(context, tenant, client, { client_secret: secret });
  const assertion = clientAssertion(context, tokenUrl(context, tenant), client, certificate ?? "");
  return ask(context, tenant, client, { client_assertion_type: ASSERTION_TYPE, client_assertion: assertion });
}

/** Kubernetes renews the file. */
async function withFile(
  context: AccessContext,
  given: {
    readonly tenant?: string | undefined;
    readonly client?: string | undefined;
    readonly file?: string | undefined;
  },
): Promise<Issued<string>> {
  const { tenant, client, file } = given;
  if (!tenant || !client || !file)
    throw new AccessFailure("it has no workload identity here", {
      advice:
        "Set tenant_id, client_id and token_file, or AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_FEDERATED_TOKEN_FILE.",
      isRefusal: true,
    });
  const assertion = (await secretFile(file, "token_file")).trim();
  return ask(context, tenant, client, { client_assertion_type: ASSERTION_TYPE, client_assertion: assertion });
}

async function ask(
  context: AccessContext,
  tenant: string,
  client: string,
  proof: Readonly<Record<string, string>>,
): Promise<Issued<string>> {
  const form = { client_id: client, grant_type: "client_credentials", scope: scopeOf(context), ...proof };
  const response = await context.tokens({
    method: "POST",
    url: tokenUrl(context, tenant),
    headers: ["accept", "application/json", "content-type", "application/x-www-form-urlencoded"],
    body: new URLSearchParams(form).toString(),
  });
  return readTokenResponse(response, BY);
}

/** https://learn.microsoft.com/entra/identity-platform/certificate-credentials */
function clientAssertion({ clock }: AccessContext, audience: string, client: string, pem: string): string {
  const { certificate, key } = certificateParts(pem);
  const thumbprint = thumbprintOf(certificate);
  if (thumbprint === undefined || key === undefined)
    throw new AccessFailure("its certificate can't be read", {
      advice: "Write the certificate and its private key, both as PEM, one after the other.",
      isRefusal: true,
    });
  const now = Math.floor(clock.nowMs() / 1000);
  const claims = {
    aud: audience,
    iss: client,
    sub: client,
    jti: randomText(24),
    nbf: now,
    exp: now + ASSERTION_SECONDS,
  };
  return signedAssertion({ alg: "PS256", "x5t#S256": thumbprint }, claims, key);
}

/** undefined = it is no certificate. */
function thumbprintOf(certificate: string | undefined): string | undefined {
  const known = certificate === undefined ? undefined : certificateIn(certificate);
  return known && createHash("sha256").update(known.raw).digest("base64url");
}

/**
 * Identity endpoint of the machine, or of the App Service
 * (https://learn.microsoft.com/azure/app-service/overview-managed-identity).
 */
async function fromMetadata(context: AccessContext, client: string | undefined): Promise<Issued<string>> {
  const { environment, tokens, upstream, clock } = context;
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: header } = environment;
  const isService = endpoint !== undefined && header !== undefined;
  const server = upstream.options?.place?.tokenUrl ?? METADATA_SERVER;
  const url = new URL(isService ? endpoint : `${server}/metadata/identity/oauth2/token`);
  url.searchParams.set("api-version", isService ? "2019-08-01" : "2018-02-01");
  url.searchParams.set("resource", scopeOf(context).replace(/\/\.default$/, ""));
  if (client) url.searchParams.set("client_id", client);
  const response = await tokens({
    method: "GET",
    url: url.href,
    headers: isService ? ["x-identity-header", header] : ["metadata", "true"],
    isLocal: true,
  });
  const { access_token: token, expires_on: on } = jsonIn(response.body);
  // The service says only when it ends.
  if (response.status === 200 && typeof token === "string" && Number(on) > 0 && isService)
    return { value: token, lifeMs: Math.max(1, Number(on) * 1000 - clock.nowMs()) };
  return readTokenResponse(response, "the managed identity");
}

function tokenUrl({ upstream, environment }: AccessContext, tenant: string): string {
  const own = upstream.options?.place?.tokenUrl ?? environment["AZURE_AUTHORITY_HOST"];
  const login = (own ?? serverOf(upstream.baseUrl).login).replace(/\/+$/, "");
  return `${login}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;
}

function scopeOf({ upstream }: AccessContext): string {
  return upstream.options?.place?.tokenScope ?? serverOf(upstream.baseUrl).scope;
}

function serverOf(baseUrl: string): EntraServer {
  const { hostname } = new URL(baseUrl);
  return SERVERS.find(({ hosts }) => hosts.test(hostname)) ?? PUBLIC;
}
