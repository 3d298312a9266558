import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openAwsAccess } from "../bedrock/aws-access.ts";
import { credentialText } from "../credentials/credential-forms.ts";
import type { Access, AccessContext, Environment, TokenRequest } from "./access.ts";
import { openEntraAccess } from "./entra-tokens.ts";
import { openGoogleAccess } from "./google-tokens.ts";

const folder = mkdtempSync(join(tmpdir(), "environment-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const PEM = new URL("../../../test/support/certificates/application.pem", import.meta.url).pathname;
const SUBJECT = file("subject", "subject-of-the-cluster\n");
const USER = file(
  "user.json",
  JSON.stringify({ type: "authorized_user", client_id: "c", client_secret: "s", refresh_token: "r" }),
);
const FEDERATION = file(
  "federation.json",
  JSON.stringify({
    type: "external_account",
    audience: "//iam.test/pool",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: "https://sts.test/token",
    credential_source: { file: SUBJECT },
  }),
);
const PROFILES = {
  AWS_CONFIG_FILE: file("config", ""),
  AWS_SHARED_CREDENTIALS_FILE: file(
    "credentials",
    "[work]\naws_access_key_id = AKIAWORK\naws_secret_access_key = s\n",
  ),
};

const ENTRA = { AZURE_TENANT_ID: "tenant", AZURE_CLIENT_ID: "client" };
const WEB = { AWS_ROLE_ARN: "arn:aws:iam::1:role/a", AWS_WEB_IDENTITY_TOKEN_FILE: SUBJECT };
const LOGIN = "POST https://login.microsoftonline.com/tenant/oauth2/v2.0/token";
const MACHINE = "GET http://169.254.169.254/metadata/identity/oauth2/token";
const METADATA =
  "GET http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token";
const STS = "POST https://sts.us-east-1.amazonaws.com/";
const CONTAINER = "GET http://169.254.170.2/keys";
const INSTANCE = "PUT http://169.254.169.254/latest/api/token";

type Open = (context: AccessContext) => Access | undefined;
const aws = openAwsAccess("bedrock");

/** The first request for a token or keys, and what proves in it who asks; "" = nobody is asked. */
async function askedWith(open: Open, parts: Record<string, string>, environment: Environment) {
  const asked: TokenRequest[] = [];
  const access = open({
    upstream: { baseUrl: "https://vendor.test" } as never,
    credential: { secret: credentialText(parts) } as never,
    clock: { nowMs: () => 1_800_000_000_000, monotonicMs: () => 1_000 } as never,
    environment,
    tokens: (request) => {
      asked.push(request);
      return Promise.reject(new Error("nobody is there"));
    },
  });
  await access?.ready().catch(() => undefined);
  const [first] = asked;
  if (first === undefined) return ["", ""];
  const form = new URLSearchParams(first.body);
  const proof = ["refresh_token", "client_secret", "client_assertion", "subject_token", "WebIdentityToken"];
  return [`${first.method} ${first.url.split("?")[0]}`, proof.find((name) => form.has(name)) ?? ""];
}

type Row = [name: string, open: Open, environment: Environment, request: string, proof: string];

describe("a credential from the environment", () => {
  it.each<Row>([
    ["a client secret", openEntraAccess, { ...ENTRA, AZURE_CLIENT_SECRET: "s" }, LOGIN, "client_secret"],
    [
      "a client secret before a certificate and a workload identity",
      openEntraAccess,
      {
        ...ENTRA,
        AZURE_CLIENT_SECRET: "s",
        AZURE_CLIENT_CERTIFICATE_PATH: PEM,
        AZURE_FEDERATED_TOKEN_FILE: SUBJECT,
      },
      LOGIN,
      "client_secret",
    ],
    [
      "a certificate",
      openEntraAccess,
      { ...ENTRA, AZURE_CLIENT_CERTIFICATE_PATH: PEM },
      LOGIN,
      "client_assertion",
    ],
    [
      "a workload identity",
      openEntraAccess,
      { ...ENTRA, AZURE_FEDERATED_TOKEN_FILE: SUBJECT },
      LOGIN,
      "client_assertion",
    ],
    [
      "a login server of another cloud",
      openEntraAccess,
      { ...ENTRA, AZURE_CLIENT_SECRET: "s", AZURE_AUTHORITY_HOST: "https://login.chinacloudapi.cn/" },
      "POST https://login.chinacloudapi.cn/tenant/oauth2/v2.0/token",
      "client_secret",
    ],
    ["the machine's identity", openEntraAccess, {}, MACHINE, ""],
    [
      "an App Service's identity",
      openEntraAccess,
      { IDENTITY_ENDPOINT: "http://localhost:4141/msi/token", IDENTITY_HEADER: "h" },
      "GET http://localhost:4141/msi/token",
      "",
    ],
    [
      "a user's file",
      openGoogleAccess,
      { GOOGLE_APPLICATION_CREDENTIALS: USER },
      "POST https://oauth2.googleapis.com/token",
      "refresh_token",
    ],
    [
      "a federation's file",
      openGoogleAccess,
      { GOOGLE_APPLICATION_CREDENTIALS: FEDERATION },
      "POST https://sts.test/token",
      "subject_token",
    ],
    ["Google's metadata server", openGoogleAccess, {}, METADATA, ""],
    [
      "access keys, before all else",
      aws,
      { AWS_ACCESS_KEY_ID: "AKIA1", AWS_SECRET_ACCESS_KEY: "s", ...WEB, AWS_PROFILE: "work", ...PROFILES },
      "",
      "",
    ],
    ["a web identity, before a profile", aws, { ...WEB, AWS_PROFILE: "work" }, STS, "WebIdentityToken"],
    [
      "a profile, before a container",
      aws,
      { ...PROFILES, AWS_PROFILE: "work", AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/keys" },
      "",
      "",
    ],
    ["a container", aws, { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/keys" }, CONTAINER, ""],
    [
      "a container's whole address",
      aws,
      { AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://localhost:9/keys" },
      "GET http://localhost:9/keys",
      "",
    ],
    ["an instance", aws, {}, INSTANCE, ""],
  ])("is %s", async (_, open, environment, request, proof) => {
    expect(await askedWith(open, { from: "environment" }, environment)).toEqual([request, proof]);
  });

  /** Everything that there is. */
  const FULL = {
    ...{ ...ENTRA, AZURE_CLIENT_SECRET: "s", AZURE_CLIENT_CERTIFICATE_PATH: PEM },
    GOOGLE_APPLICATION_CREDENTIALS: USER,
    ...{ AWS_ACCESS_KEY_ID: "AKIA1", AWS_SECRET_ACCESS_KEY: "s", AWS_PROFILE: "work", ...PROFILES },
  };

  it.each<[name: string, open: Open, parts: Record<string, string>, request: string, proof: string]>([
    ["a managed identity", openEntraAccess, { from: "managed-identity" }, MACHINE, ""],
    [
      "a client secret of its own",
      openEntraAccess,
      { tenant_id: "own", client_id: "own", client_secret: "own" },
      LOGIN.replace("tenant", "own"),
      "client_secret",
    ],
    ["Google's metadata server", openGoogleAccess, { from: "metadata-server" }, METADATA, ""],
    ["an instance", aws, { from: "instance" }, INSTANCE, ""],
  ])("is taken by none that doesn't say so: %s", async (_, open, parts, request, proof) => {
    expect(await askedWith(open, parts, FULL)).toEqual([request, proof]);
  });
});
