import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AZURE_CLIENT, AZURE_KEY } from "../../sandbox/src/clouds/azure.ts";
import type { FakeCloud } from "../../sandbox/src/clouds/cloud-server.ts";
import type { Kinds, Upstream } from "../../src/console/upstreams/contract.ts";
import { catalogFile } from "../support/catalog-file.ts";
import { azureCloud } from "../support/clouds.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { call } from "../support/text-caller.ts";

let sandbox: TestSandbox;
let azure: FakeCloud;
let gateway: TestGateway;
let operator: SignedIn;

beforeAll(async () => {
  sandbox = await startSandbox();
  azure = await azureCloud(sandbox.url);
  gateway = await startGateway({
    catalog: catalogFile({ upstreams: [{ url: sandbox.url, name: "first", models: ["embed"] }] }),
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  operator = await signIn(gateway);
});

afterAll(async () => {
  await gateway?.clean();
  await Promise.all([azure?.close(), sandbox?.stop()]);
});

const TERMS = () => ({
  kind: "azure",
  base_url: azure.url,
  token_url: azure.url,
  models: { text: "gpt-4o" },
});

async function cloud(): Promise<Upstream> {
  const { data } = (await operator.get("/operator/upstreams")).body as { data: Upstream[] };
  const found = data.find(({ name }) => name === "cloud");
  if (found === undefined) throw new Error("not created");
  return found;
}

const credentialPath = async (): Promise<string> => {
  const { id, credentials } = await cloud();
  return `/operator/upstreams/${id}/credentials/${credentials[0]?.id}`;
};

const serves = async (): Promise<number> =>
  (await call(gateway.url, { protocol: "messages", prompt: "Hello" })).status;

describe("an upstream in a cloud, made in the console", () => {
  it("is offered with the fields of its credentials", async () => {
    const { data } = (await operator.get("/operator/kinds")).body as Kinds;
    const kind = data.find(({ name }) => name === "vertex");
    expect(kind?.places).toContainEqual({ name: "project", required: true });
    expect(kind?.credential_forms.map(({ from }) => from)).toEqual([
      null,
      null,
      "metadata-server",
      "environment",
    ]);
    expect(data.find(({ name }) => name === "openai")?.credential_forms).toEqual([]);
  });

  it("is refused by the field at fault", async () => {
    const { client_id: _, ...incomplete } = AZURE_CLIENT;
    const cases = [
      [{ ...TERMS(), credentials: [incomplete] }, "credentials[0].client_id"],
      [{ ...TERMS(), project: "p", credentials: [AZURE_CLIENT] }, "project"],
      [{ ...TERMS(), credentials: [{ ...AZURE_CLIENT, client_secret: "***" }] }, "fields.client_secret"],
      [{ ...TERMS(), api_keys: ["k"], credentials: [AZURE_CLIENT] }, "credentials"],
      [{ ...TERMS(), api_keys: ["k", "k\n2"] }, "api_keys[1]"],
      [{ ...TERMS(), api_keys: [""] }, "api_keys.0"],
      [
        { ...TERMS(), credentials: [{ ...AZURE_CLIENT, client_secret: "ключ" }] },
        "credentials[0].client_secret",
      ],
    ] as const;
    for (const [body, param] of cases) {
      const { status, body: response } = await operator.post("/operator/upstreams", {
        name: "cloud",
        ...body,
      });
      expect([status, response.error?.param]).toEqual([400, param]);
    }
  });

  it("serves by the fields of its credential, of which the secret ones are never shown", async () => {
    const response = await operator.post("/operator/upstreams", {
      name: "cloud",
      ...TERMS(),
      credentials: [AZURE_CLIENT],
    });
    expect(response.status, JSON.stringify(response.body)).toBe(201);
    expect(await serves()).toBe(200);
    const shown = await cloud();
    expect(shown).toMatchObject({ token_url: azure.url, project: null });
    expect(shown.credentials[0]).toMatchObject({
      hint: "",
      fields: { ...AZURE_CLIENT, client_secret: "***" },
    });
    expect(JSON.stringify(shown)).not.toContain(AZURE_CLIENT.client_secret);
  });

  it("keeps a secret that comes back masked, and says in the vendor's words what is wrong with another", async () => {
    const path = await credentialPath();
    const masked = { ...AZURE_CLIENT, client_secret: "***" };
    const kept = await operator.patch(path, { fields: masked });
    expect(kept.status, JSON.stringify(kept.body)).toBe(200);
    expect((await operator.post(`${path}/test`)).body).toMatchObject({ ok: true });
    await operator.patch(path, { fields: { ...masked, client_id: "another-client" } });
    const test = await operator.post(`${path}/test`);
    expect(test.body).toMatchObject({ ok: false, message: expect.stringContaining("AADSTS700016") });
    await operator.patch(path, { fields: masked });
    await operator.patch(path, { fields: { ...masked, client_id: AZURE_CLIENT.client_id } });
    expect((await operator.post(`${path}/test`)).body).toMatchObject({ ok: true });
  });

  it.each([
    [{ secret: "k\n" }, "secret"],
    [{ secret: "" }, "secret"],
    [{ fields: { ...AZURE_CLIENT, tenant_id: "a b" } }, "fields.tenant_id"],
    [{ fields: { tenant_id: "t", client_id: "c", certificate: "-----BEGIN" } }, "fields.certificate"],
    [{ fields: { tenant_id: "t", client_secret: "s" } }, "fields.client_id"],
  ])(
    "takes no credential that could let no request in, new or in place of another: %j",
    async (sent, param) => {
      const path = await credentialPath();
      for (const { status, body } of [
        await operator.patch(path, sent),
        await operator.post(path.replace(/\/\d+$/, ""), sent),
      ]) {
        expect([status, body.error?.param]).toEqual([400, param]);
        expect(body.error?.message).toContain(param);
      }
      expect(await serves()).toBe(200);
    },
  );

  it("takes a key in place of fields, and its stored credential nowhere else", async () => {
    const path = await credentialPath();
    await operator.patch(path, { secret: AZURE_KEY });
    expect((await cloud()).credentials[0]).toMatchObject({ fields: null, hint: "…6789" });
    expect((await operator.post(`${path}/test`)).body).toMatchObject({ ok: true });
    const { id } = await cloud();
    const moved = await operator.put(`/operator/upstreams/${id}`, {
      ...TERMS(),
      token_url: "https://elsewhere.example",
    });
    expect(moved).toMatchObject({ status: 400, body: { error: { param: "api_keys" } } });
  });
});
