import { createHash, generateKeyPairSync, randomBytes, verify, X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { WireRequest } from "../../../test/support/scripted-upstream.ts";
import { callOf, OK, transportRig } from "../../../test/support/transport-rig.ts";
import { credentialText } from "../credentials/credential-forms.ts";

const rig = transportRig();
afterEach(() => rig.reset());

let nextId = 1_000n;

const SECRET = { tenant_id: "tenant-1", client_id: "client-1", client_secret: "the-client-secret-1" };

/** Vendor and token server in one, which answers as `respond` says; a token names how many there were. */
async function serve(
  respond: (request: WireRequest, tokens: number) => string,
  { place = {} as object, tokenLife = 3_600 } = {},
) {
  let tokens = 0;
  const upstream = await rig.serve((request) => {
    const isToken = request.line.includes("/oauth2/");
    const words = isToken
      ? JSON.stringify({ token_type: "Bearer", expires_in: tokenLife, access_token: `token-${++tokens}` })
      : "";
    const response =
      isToken && respond(request, tokens) === "" ? `200 OK|${words}` : respond(request, tokens);
    const [status = "", body = ""] = response.split("|");
    request.socket.write(`HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  });
  nextId += 1n;
  return {
    ...upstream,
    id: nextId,
    kind: "azure",
    options: { place: { tokenUrl: upstream.baseUrl, ...place } },
  };
}

const bearers = (): (string | undefined)[] =>
  rig.server.requests
    .filter(({ line }) => !line.includes("/oauth2/"))
    .map(({ headers }) => headers.find(([name]) => name === "authorization")?.[1]);
const tokenRequests = () => rig.server.requests.filter(({ line }) => line.includes("/oauth2/"));

const well = ({ line }: WireRequest): string => (line.includes("/oauth2/") ? "" : "200 OK|{}");

describe("access by tokens of Entra ID", () => {
  it("asks with a client secret for the scope of the resource, once, and sends the token as bearer", async () => {
    const upstream = await serve(well);
    const call = callOf(upstream, { secret: credentialText(SECRET) });
    await Promise.all([rig.responseOf(call), rig.responseOf(call), rig.responseOf(call)]);
    await rig.responseOf(call);
    const [asked, ...more] = tokenRequests();
    expect(more).toEqual([]);
    expect(asked?.line).toBe("POST /tenant-1/oauth2/v2.0/token HTTP/1.1");
    expect(Object.fromEntries(new URLSearchParams(asked?.body.toString()))).toEqual({
      client_id: "client-1",
      client_secret: "the-client-secret-1",
      grant_type: "client_credentials",
      scope: "https://cognitiveservices.azure.com/.default",
    });
    expect(bearers()).toEqual(Array(4).fill("Bearer token-1"));
  });

  it("sends a plain key in the vendor's own header, and asks nobody for a token", async () => {
    const upstream = await serve(well);
    await rig.responseOf(callOf(upstream, { secret: "plain-key" }));
    expect(tokenRequests()).toEqual([]);
    expect(Object.fromEntries(rig.server.requests[0]?.headers ?? [])).toMatchObject({
      "x-api-key": "plain-key",
    });
  });

  it("signs an assertion with the key of a certificate, which it names by its thumbprint", async () => {
    const pem = readFileSync(
      new URL("../../../test/support/certificates/sound.pem", import.meta.url),
      "utf8",
    );
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const [certificate = ""] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(pem) ?? [];
    const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const upstream = await serve(well);
    const parts = { tenant_id: "tenant-1", client_id: "client-1", certificate: `${key}${certificate}` };
    const { status } = await rig.responseOf(callOf(upstream, { secret: credentialText(parts) }));
    expect(status).toBe(200);
    const assertion = new URLSearchParams(tokenRequests()[0]?.body.toString()).get("client_assertion") ?? "";
    const [header = "", claims = "", signature = ""] = assertion.split(".");
    const thumbprint = createHash("sha256").update(new X509Certificate(certificate).raw).digest("base64url");
    expect(decoded(header)).toEqual({ alg: "PS256", typ: "JWT", "x5t#S256": thumbprint });
    expect(decoded(claims)).toMatchObject({
      aud: `${upstream.baseUrl}/tenant-1/oauth2/v2.0/token`,
      iss: "client-1",
      sub: "client-1",
    });
    const told = Buffer.from(`${header}.${claims}`);
    const padding = { key: publicKey, padding: 6, saltLength: 32 };
    expect(verify("sha256", told, padding, Buffer.from(signature, "base64url"))).toBe(true);
  });

  it("sends what the file of a workload identity holds just then", async () => {
    const file = join(process.env["TMPDIR"] ?? "/tmp", `federated-${randomBytes(6).toString("hex")}`);
    writeFileSync(file, "assertion-of-the-cluster\n");
    const upstream = await serve(well);
    const parts = { from: "workload-identity", tenant_id: "t", client_id: "c", token_file: file };
    await rig.responseOf(callOf(upstream, { secret: credentialText(parts) }));
    const form = new URLSearchParams(tokenRequests()[0]?.body.toString());
    expect(form.get("client_assertion")).toBe("assertion-of-the-cluster");
  });

  it("asks the machine for the token of its managed identity", async () => {
    const upstream = await serve(well);
    const parts = { from: "managed-identity", client_id: "user-assigned-1" };
    const { status } = await rig.responseOf(callOf(upstream, { secret: credentialText(parts) }));
    expect(status).toBe(200);
    const [asked] = tokenRequests();
    expect(asked?.line).toBe(
      "GET /metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fcognitiveservices.azure.com&client_id=user-assigned-1 HTTP/1.1",
    );
    expect(Object.fromEntries(asked?.headers ?? [])).toMatchObject({ metadata: "true" });
  });

  it("gets a new token where the vendor refuses one that it held, and repeats the request, of which the caller hears nothing", async () => {
    const upstream = await serve((request, tokens) => {
      const bearer = request.headers.find(([name]) => name === "authorization")?.[1];
      if (request.line.includes("/oauth2/")) return "";
      return bearer === `Bearer token-${Math.max(2, tokens)}` ? "200 OK|{}" : "401 Unauthorized|expired";
    });
    const call = callOf(upstream, { secret: credentialText(SECRET) });
    // One that came just now is not at fault.
    expect((await rig.responseOf(call)).status).toBe(401);
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    const runs = await Promise.all([rig.responseOf(call), rig.responseOf(call)]);
    expect(runs.map(({ status, heads, ended }) => ({ status, heads, ended }))).toEqual(
      Array(2).fill({ status: 200, heads: 1, ended: true }),
    );
    expect(tokenRequests()).toHaveLength(2);
  });

  it("fails an attempt in the vendor's words where it gets no token, without sending the request, and asks no more for a while", async () => {
    const upstream = await serve(({ line }) =>
      line.includes("/oauth2/")
        ? `401 Unauthorized|${JSON.stringify({ error: "invalid_client", error_description: "AADSTS7000222: The provided client secret keys are expired.\r\nTrace ID: 1" })}`
        : "200 OK|{}",
    );
    const call = callOf(upstream, { secret: credentialText(SECRET) });
    for (let round = 0; round < 2; round += 1) {
      const { failure } = await rig.responseOf(call);
      expect(failure).toMatchObject({
        kind: "connect",
        phase: "connect",
        message:
          "upstream-1 can't be asked: Entra ID gives out no access token (status 401): AADSTS7000222: The provided client secret keys are expired.",
      });
    }
    expect(rig.server.requests).toHaveLength(1);
  });

  it("sends nothing where the caller left while a token was waited for", async () => {
    let answer: (() => void) | undefined;
    const upstream = await rig.serve((request) => {
      const body = JSON.stringify({ expires_in: 60, access_token: "token" });
      answer = () => request.socket.write(`${OK}content-length: ${body.length}\r\n\r\n${body}`);
    });
    nextId += 1n;
    const place = { tokenUrl: upstream.baseUrl };
    const run = rig.open(
      callOf(
        { ...upstream, id: nextId, kind: "azure", options: { place } },
        { secret: credentialText(SECRET) },
      ),
    );
    while (answer === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    run.flight.abort();
    answer();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(rig.server.requests).toHaveLength(1);
    expect(run.heads + run.failures).toBe(0);
  });
});

function decoded(part: string): unknown {
  return JSON.parse(Buffer.from(part, "base64url").toString());
}
