import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOOTSTRAP_PASSWORD, signIn } from "../support/console.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";

const LARGE_ONLY = "large-only-key-0123456789";
const ALIAS_ONLY = "alias-only-key-0123456789";
const OTHERS_ONLY = "others-only-key-0123456789";
const LIMITS = "context_tokens: 200000, max_output_tokens: 32000";

let sandbox: TestSandbox;
let gateway: TestGateway;

beforeAll(async () => {
  sandbox = await startSandbox();
  gateway = await startGateway({
    catalog: `version: 1
models:
  - { id: large, ${LIMITS}, price: { input: 3, output: 15 } }
  - { id: standard, alias_of: large, created: 1700000000 }
  - { id: other, ${LIMITS}, price: { input: 1, output: 1 } }
  - { id: embed, endpoints: [embeddings], price: { input: 0.02 } }
  - { id: standard-embed, alias_of: embed }
  - { id: imagegen-1, family: imagegen, price: { per_image: { 1k: 0.04, 2k: 0.06, 4k: 0.1 } } }
  - { id: standard-image, alias_of: imagegen-1 }
upstreams:
  - { name: vendor, kind: sandbox, base_url: "${sandbox.url}", api_key: good-key, models: { large: vendor-large, other: other, embed: embed, imagegen-1: imagegen-1 } }
accounts:
  - name: acme
    balance: 1000
    keys:
      - { name: test, key: ${TEST_KEY} }
      - { name: large, key: ${LARGE_ONLY}, models: [large] }
      - { name: alias, key: ${ALIAS_ONLY}, models: [standard] }
      - { name: others, key: ${OTHERS_ONLY}, models: [other] }
`,
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
});

afterAll(async () => {
  await gateway?.clean();
  await sandbox?.stop();
});

const messages = [{ role: "user", content: "Hello" }];

describe("a request by an alias", () => {
  it.each([
    ["chat/completions", "standard", { max_tokens: 50, messages }],
    ["messages", "standard", { max_tokens: 50, messages }],
    ["responses", "standard", { input: "Hello" }],
    ["embeddings", "standard-embed", { input: "Hello" }],
  ])("at /v1/%s is answered, charged and recorded as the model's", async (path, alias, body) => {
    const real = alias === "standard" ? "large" : "embed";
    const [named, asked] = [
      await answered(`/v1/${path}`, { ...body, model: real }),
      await answered(`/v1/${path}`, { ...body, model: alias }),
    ];
    expect(asked.receipt).toMatchObject({ model: real, asked_model: alias });
    expect(named.receipt).not.toHaveProperty("asked_model");
    expect(asked.receipt["charge_nanos"]).toBe(named.receipt["charge_nanos"]);
    expect(asked.body["model"]).toBe(named.body["model"]);
  });

  it("in the path, and streamed, is answered too", async () => {
    const contents = [{ parts: [{ text: "Hello" }] }];
    const whole = await answered("/v1beta/models/standard:generateContent", { contents });
    expect(whole.receipt).toMatchObject({ model: "large", asked_model: "standard" });
    const streamed = await ask("/v1/messages", { model: "standard", max_tokens: 50, messages, stream: true });
    expect(await streamed.text()).toContain("message_stop");
    const counted = await ask("/v1/messages/count_tokens", { model: "standard", messages });
    expect(counted.status).toBe(200);
  });

  it("for an image makes a task of the model", async () => {
    const order = { model: "standard-image", prompt: "A tree", size: "1024x1024" };
    const response = await ask("/v1/images/generations?wait=20", order);
    expect(response.status, await response.clone().text()).toBe(200);
    const { data } = (await read("/v1/models")) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toContain("standard-image");
  });
});

describe("the model lists", () => {
  it("have an alias as an entry of its own that names its model", async () => {
    const { data } = (await read("/v1/models")) as { data: Record<string, unknown>[] };
    const [large, standard] = ["large", "standard"].map((name) => data.find(({ id }) => id === name));
    expect(standard).toEqual({ ...large, id: "standard", alias_of: "large", created: 1_700_000_000 });
    expect(large).not.toHaveProperty("alias_of");
    expect(await read("/v1/models/standard")).toEqual(standard);
    const native = (await read("/v1beta/models/standard")) as Record<string, unknown>;
    expect(native).toMatchObject({ name: "models/standard", baseModelId: "large" });
  });
});

describe("a key's allowed models", () => {
  const status = async (model: string, key: string) =>
    (await ask("/v1/chat/completions", { model, max_tokens: 5, messages }, key)).status;
  const listed = async (key: string) =>
    ((await read("/v1/models", key)) as { data: { id: string }[] }).data.map(({ id }) => id);

  it("allow the aliases of a model, of an alias that name alone, and no alias of another", async () => {
    expect([await status("large", LARGE_ONLY), await status("standard", LARGE_ONLY)]).toEqual([200, 200]);
    expect(await listed(LARGE_ONLY)).toEqual(["large", "standard"]);
    expect([await status("large", ALIAS_ONLY), await status("standard", ALIAS_ONLY)]).toEqual([404, 200]);
    expect(await listed(ALIAS_ONLY)).toEqual(["standard"]);
    expect(await status("standard", OTHERS_ONLY)).toBe(404);
    expect(await listed(OTHERS_ONLY)).toEqual(["other"]);
  });
});

it("is added by hand, refused where it is none, and exported", async () => {
  const operator = await signIn(gateway);
  const post = (body: object) => operator.post("/operator/models", body);
  expect((await post({ id: "a1", alias_of: "large" })).body).toMatchObject({
    id: "a1",
    alias_of: "large",
    callable_in: ["default"],
  });
  const refused = [
    [{ id: "a2", alias_of: "standard" }, "alias_of"],
    [{ id: "a2", alias_of: "a2" }, "alias_of"],
    [{ id: "a2", alias_of: "nothing" }, "alias_of"],
    [{ id: "a2", alias_of: "large", price: { input: "1", output: "1" } }, "price"],
    [{ id: "a2", alias_of: "large", groups: ["default"] }, "groups"],
  ] as const;
  for (const [body, param] of refused) expect((await post(body)).body.error).toMatchObject({ param });
  // What was read can be written back.
  const { body: shown } = await operator.get("/operator/models/a1");
  const { id: _, price_since, upstreams, callable_in, revision, ...terms } = shown;
  expect((await operator.put("/operator/models/a1", terms)).body).toMatchObject({ alias_of: "large" });
  // A model that has aliases becomes none.
  expect((await operator.put("/operator/models/large", { alias_of: "other" })).body.error.param).toBe(
    "alias_of",
  );
  const { data } = (await operator.get("/operator/upstreams")).body as { data: { id: string }[] };
  const upstream = { kind: "sandbox", base_url: sandbox.url, models: { standard: "x" } };
  const put = await operator.put(`/operator/upstreams/${data[0]?.id}`, upstream);
  expect(put.body.error.message).toContain("is an alias; use large");
  const { stdout } = await gateway.run("export");
  expect(stdout).toContain("- id: standard\n    alias_of: large\n    created: 1700000000\n");
});

it("leaves books that agree", async () => {
  await cleanLedger(gateway);
});

function ask(path: string, body: object, key = TEST_KEY): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return fetch(`${gateway.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

async function read(path: string, key = TEST_KEY): Promise<unknown> {
  const response = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return response.json();
}

async function answered(path: string, body: object) {
  const response = await ask(path, body);
  expect(response.status, await response.clone().text()).toBe(200);
  const id = response.headers.get("x-request-id");
  return {
    body: (await response.json()) as Record<string, unknown>,
    receipt: (await read(`/v1/receipts/${id}`)) as Record<string, unknown>,
  };
}
