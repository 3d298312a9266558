import { generateKeyPairSync, randomBytes, verify } from "node:crypto";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { callOf, transportRig } from "../../../test/support/transport-rig.ts";
import type { UpstreamRequest } from "../call.ts";
import { credentialText } from "../credentials/credential-forms.ts";

const rig = transportRig();
afterEach(() => rig.reset());

let nextId = 5_000n;

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ACCOUNT = {
  type: "service_account",
  client_email: "gateway@acme-prod.iam.gserviceaccount.com",
  private_key_id: "key-1",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
};

/** A request under a credential to a server that is the vendor, gives out tokens and names what it was asked for. */
async function ask(parts: Record<string, string>, more: Partial<UpstreamRequest> = {}) {
  const upstream = await rig.serve(({ line, socket }) => {
    const isImpersonation = line.includes(":generateAccessToken");
    const body = isImpersonation
      ? { accessToken: "token-of-account", expireTime: new Date(Date.now() + 3_600_000).toISOString() }
      : { access_token: "token", expires_in: 3600, token: "subject-1" };
    const text = JSON.stringify(body);
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
  });
  nextId += 1n;
  const place = { project: "acme-prod", location: "us-east1", tokenUrl: upstream.baseUrl };
  const texts = Object.entries(parts).map(([name, text]) => [
    name,
    text.replaceAll("SERVER", upstream.baseUrl),
  ]);
  const call = callOf(
    { ...upstream, id: nextId, kind: "vertex", options: { place } },
    { secret: credentialText(Object.fromEntries(texts) as Record<string, string>), ...more },
  );
  const run = await rig.responseOf(call);
  const [first, ...rest] = rig.server.requests;
  return {
    run,
    first,
    last: rest.at(-1),
    form: Object.fromEntries(new URLSearchParams(first?.body.toString())),
  };
}

describe("access by tokens of Google Cloud", () => {
  it("is asked for with an assertion that the service account's key signs, and the model's path has project and location", async () => {
    const { form, first, last } = await ask({ service_account: JSON.stringify(ACCOUNT) });
    expect(form).toMatchObject({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer" });
    const [header = "", claims = "", signature = ""] = (form["assertion"] ?? "").split(".");
    const signed = Buffer.from(signature, "base64url");
    expect(verify("sha256", Buffer.from(`${header}.${claims}`), publicKey, signed)).toBe(true);
    expect(decoded(header)).toEqual({ alg: "RS256", kid: "key-1", typ: "JWT" });
    const host = Object.fromEntries(first?.headers ?? [])["host"];
    expect(decoded(claims)).toMatchObject({
      iss: ACCOUNT.client_email,
      aud: `http://${host}/token`,
      scope: "https://www.googleapis.com/auth/cloud-platform",
    });
    expect(last?.line).toBe(
      "POST /v1/projects/acme-prod/locations/us-east1/publishers/anthropic/models/theirs:rawPredict HTTP/1.1",
    );
    expect(Object.fromEntries(last?.headers ?? [])).toMatchObject({ authorization: "Bearer token" });
  });

  it("streams from another path", async () => {
    const { last } = await ask({ service_account: JSON.stringify(ACCOUNT) }, { streamed: true });
    expect(last?.line).toContain("models/theirs:streamRawPredict HTTP/1.1");
  });

  it("comes from the machine's metadata server", async () => {
    const { first, run } = await ask({ from: "metadata-server" });
    expect(first?.line).toBe("GET /computeMetadata/v1/instance/service-accounts/default/token HTTP/1.1");
    expect(Object.fromEntries(first?.headers ?? [])).toMatchObject({ "metadata-flavor": "Google" });
    expect(run.status).toBe(200);
  });

  it("is exchanged for a token of the cluster's, and that for one of the account, by workload identity federation", async () => {
    const file = join(tmpdir(), `subject-${randomBytes(6).toString("hex")}`);
    writeFileSync(file, "subject-of-the-cluster\n");
    const { form, last, run } = await ask({
      external_account: JSON.stringify({
        type: "external_account",
        audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        token_url: "SERVER/v1/token",
        service_account_impersonation_url: "SERVER/v1/accounts/a:generateAccessToken",
        credential_source: { file },
      }),
    });
    expect(run.status).toBe(200);
    expect(form).toMatchObject({ subject_token: "subject-of-the-cluster", scope: expect.any(String) });
    expect(Object.fromEntries(last?.headers ?? [])).toMatchObject({
      authorization: "Bearer token-of-account",
    });
  });

  it.each([
    ["no JSON", "abc", "its credential is no JSON"],
    ["another document", '{"type":"other"}', 'its credential is of type "other"'],
    ["a part of one", '{"type":"service_account"}', "its credential has no client_email"],
    [
      "a broken key",
      JSON.stringify({ ...ACCOUNT, private_key: "-----BEGIN" }),
      "its private key can't be read",
    ],
  ])("fails with what is wrong where the credential is %s", async (_, text, words) => {
    const { run, first } = await ask({ service_account: text });
    expect(first).toBeUndefined();
    expect(run.failure?.message).toBe(`upstream-1 can't be asked: ${words}.`);
  });
});

function decoded(part: string): unknown {
  return JSON.parse(Buffer.from(part, "base64url").toString());
}
