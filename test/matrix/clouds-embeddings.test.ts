import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Clouds, cloudRows, serviceAccount, startClouds } from "../support/clouds.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { ask, type Reply } from "../support/world.ts";

/** Each model at a cloud with the name it has there, and whether it takes several texts at once. */
const MODELS = {
  "azure-key": ["text-embedding-3-small", true],
  "azure-entra": ["text-embedding-3-small", true],
  "azure-older": ["text-embedding-3-small", true],
  "vertex-text": ["text-embedding-005", true],
  "vertex-multilingual": ["text-multilingual-embedding-002", true],
  "vertex-first": ["gemini-embedding-001", false],
  "vertex-later": ["gemini-embedding-2-preview", false],
  "bedrock-titan": ["amazon.titan-embed-text-v2:0", false],
  "bedrock-cohere": ["us.cohere.embed-v4:0", true],
} as const;
type Name = keyof typeof MODELS;
const NAMES = Object.keys(MODELS) as Name[];

/** Models that know no dimensions. */
const PLAIN_MODELS = {
  "bedrock-titan-first": ["amazon.titan-embed-text-v1", false],
  "bedrock-cohere-earlier": ["cohere.embed-english-v3", true],
} as const;

const AWS = [
  "location: us-east-1",
  "credentials: [{ access_key_id: AKIATEST00000001, secret_access_key: secret-of-AKIATEST00000001 }]",
];

let clouds: Clouds;
let gateway: TestGateway;

beforeAll(async () => {
  clouds = await startClouds();
  const { url, azure, google, azureFields } = clouds;
  const ways: Readonly<Record<string, readonly string[]>> = {
    "azure-key": azureFields.key,
    "azure-entra": azureFields.entra,
    "azure-older": azureFields.older,
  };
  const vertex = clouds.vertexFields("us-central1");
  const rows = Object.entries({ ...MODELS, ...PLAIN_MODELS }).flatMap(([name, [theirs]]) => {
    const more = ways[name];
    const cloud = name.startsWith("bedrock")
      ? { name, kind: "bedrock", url: `${url}/aws/bedrock`, models: { [name]: theirs }, more: AWS }
      : more === undefined
        ? { name, kind: "vertex", url: google.url, models: { [name]: theirs }, more: vertex }
        : { name, kind: "azure", url: azure.url, models: { [name]: theirs }, more };
    return [cloud, clouds.directRow(name, "openai", theirs)];
  });
  const models = rows.flatMap((row) => Object.keys(row.models));
  gateway = await startGateway({
    catalog: `version: 1
models:
${models.map((id) => `  - { id: ${id}, endpoints: [embeddings], price: { input: 0.15 } }`).join("\n")}
upstreams:
${cloudRows(rows)}
accounts:
  - { name: acme, balance: 1000, keys: [{ name: test, key: ${TEST_KEY} }] }
`,
    env: { SERVICE_ACCOUNT: serviceAccount() },
  });
});

afterAll(async () => {
  await gateway?.clean();
  await clouds?.stop();
});

const embed = (model: string, more: object): Promise<Reply> =>
  ask(gateway.url, "/v1/embeddings", { model, ...more }, { key: TEST_KEY });

const chargeOf = async (reply: Reply): Promise<string> => {
  const id = reply.headers.get("x-request-id");
  return (await ask(gateway.url, `/v1/receipts/${id}`, undefined, { key: TEST_KEY })).json.charge_nanos;
};

describe("embeddings at a cloud", () => {
  it.each(NAMES)(
    "%s gives the vectors of its vendor, at its charge, as floats and as base64",
    async (name) => {
      const [, isList] = MODELS[name];
      const inputs = ["A river runs past the old mill.", ...(isList ? [["river", "stone"]] : [])];
      for (const input of inputs)
        for (const encoding_format of ["float", "base64"]) {
          const asked = { input, encoding_format, dimensions: 256 };
          const [at, direct] = [await embed(name, asked), await embed(`direct-${name}`, asked)];
          expect(at.status, at.text).toBe(200);
          expect(at.json.data).toEqual(direct.json.data);
          expect(at.json.usage.prompt_tokens).toBe(direct.json.usage.prompt_tokens);
          expect(await chargeOf(at)).toBe(await chargeOf(direct));
          expect(Number(await chargeOf(at))).toBeGreaterThan(0);
        }
    },
  );

  it.each(["vertex-text", "azure-key"])("%s counts a response of megabytes to the token", async (name) => {
    const input = Array.from({ length: 150 }, (_, index) => `river ${"bank ".repeat(index % 7)}`);
    const asked = { input, dimensions: 768, encoding_format: "float" };
    const [at, direct] = [await embed(name, asked), await embed(`direct-${name}`, asked)];
    expect(at.text.length).toBeGreaterThan(1_100_000);
    expect(await chargeOf(at)).toBe(await chargeOf(direct));
    expect(await chargeOf(at)).toBe(String(150 * at.json.usage.prompt_tokens));
  });

  it("answer a caller of Google's own interface", async () => {
    for (const name of ["vertex-text", "vertex-later", "bedrock-titan", "bedrock-cohere"]) {
      const content = { parts: [{ text: "A river" }] };
      const path = `/v1beta/models/${name}:embedContent`;
      const { status, json, text } = await ask(
        gateway.url,
        path,
        { content, taskType: "CLUSTERING" },
        { key: TEST_KEY },
      );
      expect(status, text).toBe(200);
      expect(json.embedding.values.length).toBeGreaterThan(100);
    }
  });

  it("of models without dimensions are given without, counted by the header or by the body", async () => {
    for (const name of ["bedrock-titan-first", "bedrock-cohere-earlier"] as const) {
      const input = "A river runs past the old mill.";
      const [at, direct] = [await embed(name, { input }), await embed(`direct-${name}`, { input })];
      expect(at.status, at.text).toBe(200);
      expect(at.json.data).toEqual(direct.json.data);
      expect(await chargeOf(at)).toBe(await chargeOf(direct));
    }
    const refused = await embed("bedrock-titan-first", { input: "river", dimensions: 256 });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("dimensions")]);
  });

  it("say which field is at fault where a model takes one text, or no tokens", async () => {
    const several = await embed("vertex-later", { input: ["river", "stone"] });
    expect(several).toMatchObject({ status: 400, json: { error: { param: "input" } } });
    const many = await embed("bedrock-cohere", { input: Array.from({ length: 97 }, () => "river") });
    expect(many).toMatchObject({ status: 400, json: { error: { param: "input" } } });
    const tokens = await embed("vertex-text", { input: [1, 2, 3] });
    expect(tokens).toMatchObject({ status: 400, json: { error: { param: "input" } } });
  });
});
