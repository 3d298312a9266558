import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openAwsAccess } from "../bedrock/aws-access.ts";
import { credentialText } from "../credentials/credential-forms.ts";
import type { Access, AccessContext, Environment, TokenRequest } from "./access.ts";
import { openEntraAccess } from "./entra-tokens.ts";
import { openGoogleAccess } from "./google-tokens.ts";

const folder = mkdtempSync(join(tmpdir(), "guarded-issue-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** With letters that URLs and JSON write in several ways. */
const SECRET = 'p&a=s%"w/9f Q2xW7aL.4tR8vB3n';
const FILE = join(folder, "token");
writeFileSync(FILE, SECRET);
const EMPTY = join(folder, "empty");
writeFileSync(EMPTY, "\n");
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const KEY = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const USER = { type: "authorized_user", client_id: "client", client_secret: SECRET, refresh_token: SECRET };
const ACCOUNT = {
  type: "service_account",
  client_email: "a@b.test",
  private_key_id: SECRET,
  private_key: KEY,
};

function external(source: object): Record<string, string> {
  const document = {
    type: "external_account",
    audience: "//iam.test/pool",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: "https://sts.test/token",
    credential_source: source,
  };
  return { external_account: JSON.stringify(document) };
}

const ENTRA = { tenant_id: "tenant", client_id: "client" };
const CONTAINER = { AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://container.test/keys" };

type Open = (context: AccessContext) => Access | undefined;
const aws = openAwsAccess("bedrock");

type Row = [source: string, open: Open, parts: Record<string, string>, environment?: Environment];
const SOURCES: Row[] = [
  ["a client secret of Entra ID", openEntraAccess, { ...ENTRA, client_secret: SECRET }],
  ["a workload identity", openEntraAccess, { ...ENTRA, from: "workload-identity", token_file: FILE }],
  [
    "the environment of Entra ID",
    openEntraAccess,
    { from: "environment" },
    { AZURE_TENANT_ID: "t", AZURE_CLIENT_ID: "c", AZURE_CLIENT_SECRET: SECRET },
  ],
  [
    "a managed identity",
    openEntraAccess,
    { from: "managed-identity" },
    { IDENTITY_ENDPOINT: "http://app.test/msi", IDENTITY_HEADER: SECRET },
  ],
  ["a service account", openGoogleAccess, { service_account: JSON.stringify(ACCOUNT) }],
  ["a user of Google Cloud", openGoogleAccess, { service_account: JSON.stringify(USER) }],
  ["a federation's file", openGoogleAccess, external({ file: FILE })],
  [
    "a federation's server",
    openGoogleAccess,
    external({ url: "http://subject.test/", headers: { authorization: SECRET } }),
  ],
  [
    "a role of an access key",
    aws,
    { access_key_id: "AKIA5XQWERTZUIOP", secret_access_key: SECRET, role_arn: "arn:aws:iam::1:role/a" },
  ],
  ["a web identity", aws, { from: "web-identity", role_arn: "arn:aws:iam::1:role/a", token_file: FILE }],
  ["a container", aws, { from: "container" }, { ...CONTAINER, AWS_CONTAINER_AUTHORIZATION_TOKEN: SECRET }],
  ["an instance", aws, { from: "instance" }],
];

/** What is told where the servers respond so. */
async function told(
  [, open, parts, environment = {}]: Row,
  respond: (request: TokenRequest) => [status: number, body: string],
): Promise<string> {
  const access = open({
    upstream: { baseUrl: "https://vendor.test" } as never,
    credential: { secret: credentialText(parts) } as never,
    clock: { nowMs: () => 1_800_000_000_000, monotonicMs: () => 1_000 } as never,
    environment,
    tokens: async (request) => {
      const [status, body] = respond(request);
      return { status, body: Buffer.from(body), isWhole: true };
    },
  });
  return access?.ready().then(
    () => "ready",
    (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : ""),
  ) as Promise<string>;
}

function spellings(secret: string): string[] {
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
}

function asBody({ url }: TokenRequest, words: string): string {
  const escaped = words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return url.includes("sts.") && !url.includes("sts.test")
    ? `<Error><Code>Denied</Code><Message>${escaped}</Message></Error>`
    : JSON.stringify({ error: "denied", error_description: words, message: words });
}

describe("what is told where no access token comes", () => {
  it.each(SOURCES)("holds nothing that was sent for one by %s", async (...row) => {
    for (const status of [200, 400, 401, 500]) {
      for (const repeated of spellings(SECRET).concat("AKIA5XQWERTZUIOP")) {
        for (const before of ["refused: ", `${"x ".repeat(240)}`]) {
          const said = await told(row, (request) => [status, asBody(request, before + repeated)]);
          expect(said).toMatch(/^(AccessFailure: |ready$)/);
          for (const spelled of spellings(SECRET)) expect(said).not.toContain(spelled.slice(0, 12));
          if (row[2]["access_key_id"]) expect(said).not.toContain("AKIA5XQW");
        }
      }
    }
  });

  it.each(SOURCES)("holds no assertion and no token that was sent for one by %s", async (...row) => {
    const said = await told(row, (request) => {
      const form = [...new URLSearchParams(request.body).values()].filter((each) => each.length > 200);
      return [400, asBody(request, `refused ${form.join(" ")} ${request.headers.join(" ")}`)];
    });
    expect(said).toMatch(/^AccessFailure: /);
    expect(said).not.toMatch(/eyJ|p&a=s|Signature=[0-9a-f]/);
  });

  it.each(SOURCES)(
    "is a sentence of ours where its server sends what is no response of one: %s",
    async (...row) => {
      for (const body of ["", "null", "[]", "<html>", "{", '{"access_token":7}', "[".repeat(20_000)]) {
        const said = await told(row, () => [404, body]);
        expect(said).toMatch(/^AccessFailure: .*\(status 404\)/);
      }
    },
  );

  it.each<[name: string, open: Open, parts: Record<string, string>, told: string]>([
    [
      "a certificate",
      openEntraAccess,
      {
        ...ENTRA,
        certificate: `-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${KEY}`,
      },
      "its certificate can't be read",
    ],
    [
      "a key",
      openGoogleAccess,
      { service_account: JSON.stringify({ ...ACCOUNT, private_key: "-----BEGIN" }) },
      "its private key can't be read",
    ],
    ["a document", openGoogleAccess, { service_account: "{" }, "its credential is no JSON"],
    ["an empty file", openGoogleAccess, external({ file: EMPTY }), `the file ${EMPTY} is empty`],
    [
      "an empty file of a workload identity",
      openEntraAccess,
      { ...ENTRA, from: "workload-identity", token_file: EMPTY },
      `the file ${EMPTY} is empty`,
    ],
    [
      "an empty file of a web identity",
      aws,
      { from: "web-identity", role_arn: "r", token_file: EMPTY },
      `the file ${EMPTY} is empty`,
    ],
  ])("names %s that can't be read", async (name, open, parts, words) => {
    expect(await told([name, open, parts], () => [500, ""])).toBe(`AccessFailure: ${words}`);
  });

  it.each<[name: string, row: Row, told: string]>([
    [
      "a federation's source",
      ["", openGoogleAccess, external({ url: "http://subject.test/" })],
      "the server of credential_source.url gives out no access token (status 404)",
    ],
    [
      "an instance's session",
      ["", aws, { from: "instance" }],
      "the instance's metadata server gives out no access token (status 404): it opens no session",
    ],
  ])("names %s and its status, and sends no error on as a token", async (_name, row, words) => {
    let requests = 0;
    const said = await told(row, () => {
      requests += 1;
      return [404, "not found"];
    });
    expect(said).toBe(`AccessFailure: ${words}`);
    expect(requests).toBe(1);
  });

  it("names a token that is larger than any server takes", async () => {
    const body = JSON.stringify({ access_token: "x".repeat(20_000), expires_in: 60 });
    const row: Row = ["", openEntraAccess, { ...ENTRA, client_secret: SECRET }];
    expect(await told(row, () => [200, body])).toBe(
      "AccessFailure: Entra ID gives out an access token of 20000 letters, which no server takes",
    );
  });
});
