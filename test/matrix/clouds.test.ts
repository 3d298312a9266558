// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the file holds.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CloudRow, type Clouds, cloudRows, serviceAccount, startClouds } from "../support/clouds.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { postedReceipt } from "../support/posted-receipt.ts";
import { said } from "../support/said.ts";
import { pictured } from "../support/sample-wishes.ts";
import { call, TEXT_PROTOCOLS, type TextProtocol, type Wish, wireForm } from "../support/text-caller.ts";
import { ask } from "../support/world.ts";

/** Each model at a cloud, and the same one at its vendor. */
const MODELS = {
  "azure-key": ["gpt-4o", "openai"],
  "azure-entra": ["gpt-4o", "openai"],
  "azure-older": ["gpt-4o", "openai"],
  "azure-claude": ["claude-sonnet-4-5", "anthropic"],
  "vertex-gemini": ["gemini-2.5-flash", "gemini"],
  "vertex-claude": ["claude-sonnet-4-5", "anthropic"],
  "vertex-other": ["meta/llama-4-maverick", "openai-compatible"],
} as const;
const NAMES = Object.keys(MODELS) as (keyof typeof MODELS)[];

let clouds: Clouds;
let gateway: TestGateway;

beforeAll(async () => {
  clouds = await startClouds();
  const { azure, google, azureFields } = clouds;
  const at = (name: keyof typeof MODELS, kind: string, url: string, ...more: string[]): CloudRow => ({
    name,
    kind,
    url,
    models: { [name]: MODELS[name][0] },
    more,
  });
  const vertex = clouds.vertexFields("europe-west1");
  const direct = NAMES.map((name) => clouds.directRow(name, MODELS[name][1], MODELS[name][0]));
  const rows = [
    at("azure-key", "azure", azure.url, ...azureFields.key),
    at("azure-entra", "azure", azure.url, ...azureFields.entra),
    at("azure-older", "azure", azure.url, ...azureFields.older),
    at("azure-claude", "azure", azure.url, ...azureFields.entra),
    at("vertex-gemini", "vertex", google.url, ...vertex),
    at("vertex-claude", "vertex", google.url, ...vertex),
    at("vertex-other", "vertex", google.url, ...vertex),
    {
      name: "wrong-secret",
      kind: "azure",
      url: azure.url,
      models: { "wrong-secret": "gpt-4o" },
      more: [
        `token_url: "${azure.url}"`,
        "credentials: [{ tenant_id: tenant-0123, client_id: client-0123, client_secret: wrong-secret-0123456789 }]",
      ],
    },
    {
      name: "echoing",
      kind: "azure",
      url: azure.url,
      models: { echoing: "echoing" },
      more: azureFields.entra,
    },
    {
      name: "quoting",
      kind: "azure",
      url: azure.url,
      models: { quoting: "quoting" },
      more: azureFields.entra,
    },
    {
      name: "missing",
      kind: "azure",
      url: azure.url,
      models: { missing: "missing" },
      more: azureFields.key,
    },
    ...direct,
  ];
  const models = rows
    .flatMap((row) => Object.keys(row.models))
    .map(
      (id) =>
        `  - { id: ${id}, context_tokens: 200000, max_output_tokens: 8000, price: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 } }`,
    );
  gateway = await startGateway({
    catalog: `version: 1
models:
${models.join("\n")}
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

const SAMPLES = [
  {
    name: "a picture",
    prompt: "",
    thinking: false,
    more: (protocol: TextProtocol) => pictured(protocol, "What is in it?"),
  },
  { name: "what it thinks about", prompt: "Why do rivers bend?", thinking: true, more: () => ({}) },
];

const CASES = NAMES.flatMap((model) => TEXT_PROTOCOLS.map((protocol) => [model, protocol] as const));

describe("a model at a cloud", () => {
  it.each(CASES)("%s answers callers of %s, plain and streamed", async (model, protocol) => {
    for (const streamed of [false, true]) {
      const heard = await call(gateway.url, {
        protocol,
        model,
        prompt: "Hello [[sandbox: tokens=20]]",
        streamed,
      });
      expect(heard, heard.text).toMatchObject({ status: 200, complete: true });
    }
  });

  it.each(CASES)("%s costs callers of %s what it costs at its vendor", async (model, protocol) => {
    for (const streamed of [false, true]) {
      const [at, direct] = await Promise.all([
        chargeOf(model, protocol, streamed),
        chargeOf(`direct-${model}`, protocol, streamed),
      ]);
      expect(at).toEqual(direct);
    }
  });

  it.each(NAMES.flatMap((model) => SAMPLES.map((sample) => ({ model, ...sample }))))(
    "$model says of $name what its vendor says, at the same charge, in every protocol",
    async ({ model, prompt, thinking, more }) => {
      for (const protocol of TEXT_PROTOCOLS)
        for (const streamed of [false, true]) {
          const wish = { protocol, streamed, prompt, maxTokens: 4_000, thinking };
          const [at, direct] = await Promise.all([
            outcomeOf({ ...wish, model }, more(protocol)),
            outcomeOf({ ...wish, model: `direct-${model}` }, more(protocol)),
          ]);
          expect(at, `${protocol} ${streamed}`).toEqual(direct);
        }
    },
  );

  it.each(NAMES)("%s calls tools and reads their results", async (model) => {
    const tools = [
      { type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } },
    ];
    const asked = { role: "user", content: "Look [[sandbox: tools=1]]" };
    const first = await chat(model, { messages: [asked], tools });
    expect(first.status, first.text).toBe(200);
    const [choice] = (JSON.parse(first.text) as { choices: { message: { tool_calls: { id: string }[] } }[] })
      .choices;
    const id = choice?.message.tool_calls[0]?.id;
    const result = { role: "tool", tool_call_id: id, content: "seen" };
    const second = await chat(model, { messages: [asked, choice?.message, result], tools });
    expect(second.status, second.text).toBe(200);
  });

  it("at Google takes the ids of calls that callers of its developers' interface send", async () => {
    const contents = [
      { role: "user", parts: [{ text: "Look" }] },
      { role: "model", parts: [{ functionCall: { id: "call-1", name: "look", args: { id: 7 } } }] },
      {
        role: "user",
        parts: [{ functionResponse: { id: "call-1", name: "look", response: { id: "kept" } } }],
      },
    ];
    const response = await post("/v1beta/models/vertex-gemini:generateContent", { contents });
    expect(response.status, await response.text()).toBe(200);
  });

  it("is told in its caller's form where its deployment does not exist", async () => {
    const response = await post("/v1/messages", {
      model: "missing",
      max_tokens: 10,
      messages: [{ role: "user", content: "Hi" }],
    });
    const body = await response.json();
    expect(body).toMatchObject({ type: "error", error: { type: expect.any(String) } });
    expect(response.status).toBeGreaterThanOrEqual(400);
  });

  it("counts the tokens of a request where its cloud does", async () => {
    for (const model of ["azure-claude", "vertex-claude"]) {
      const body = { model, messages: [{ role: "user", content: "Hello" }] };
      const response = await post("/v1/messages/count_tokens", body);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ input_tokens: 42 });
    }
  });
});

describe("access tokens", () => {
  it("are asked for once by each credential, for all requests", () => {
    expect(clouds.google.tokens.asked).toBe(3);
    // The rest of the catalog has not been asked yet.
    expect(clouds.azure.tokens.issued).toBe(2);
  });

  it("that are not to be had fail the request, and the operator reads why", async () => {
    const heard = await call(gateway.url, { protocol: "messages", model: "wrong-secret", prompt: "Hello" });
    expect(heard.status).toBe(502);
    expect(heard.text).not.toMatch(/AADSTS|client-0123|wrong-secret-/);
    expect(gateway.output()).toContain("AADSTS7000215: Invalid client secret provided");
    const { stdout } = await gateway.run("doctor");
    expect(stdout).toMatch(/wrong-secret.*AADSTS7000215/);
    expect(stdout).toMatch(/upstream azure-entra \(credential 1\).*accepted/);
    expect(stdout).toMatch(/upstream vertex-claude \(credential 1\).*accepted/);
    expect(stdout).not.toContain("wrong-secret-0123456789");
  });

  it("are told to nobody where the vendor repeats them", async () => {
    for (const protocol of TEXT_PROTOCOLS) {
      const heard = await call(gateway.url, { protocol, model: "echoing", prompt: "Hello" });
      expect(heard.status).toBe(400);
      expect(heard.text).not.toContain("entra-token-");
    }
    expect(gateway.output()).not.toContain("entra-token-");
  });

  it("are told to nobody where the vendor repeats a part of them", async () => {
    for (const protocol of TEXT_PROTOCOLS) {
      const heard = await call(gateway.url, { protocol, model: "quoting", prompt: "Hello" });
      expect(heard.status).toBe(400);
      expect(heard.text).toContain("Bad token: [redacted].");
    }
    expect(gateway.output()).not.toMatch(/Y29nbml0aXZlIn0/);
  });

  it("and the credentials behind them are exported as references, and come back unchanged", async () => {
    const { stdout } = await gateway.run("export");
    expect(stdout).toContain("service_account: ${SERVICE_ACCOUNT}");
    expect(stdout).toMatch(/client_secret: \$\{UPSTREAM_AZURE_ENTRA_CLIENT_SECRET\}/);
    expect(stdout).not.toMatch(/PRIVATE KEY|azure~client~secret/);
  });
});

it("leaves the books in order", async () => {
  await cleanLedger(gateway);
});

/** Words, thoughts, calls and charge of a response. */
async function outcomeOf(wish: Wish, more: object): Promise<object> {
  const { path, body } = wireForm(wish);
  const response = await post(path, { ...body, ...more });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const { json } = await ask(gateway.url, `/v1/receipts/${response.headers.get("x-request-id")}`);
  return { ...said(wish.protocol, text, wish.streamed === true), charge: json.charge_nanos };
}

async function chargeOf(model: string, protocol: TextProtocol, streamed: boolean): Promise<unknown> {
  const prompt = "A request of its own [[sandbox: tokens=30]]";
  const { path, body } = wireForm({ protocol, model, prompt, streamed });
  const receipt = await postedReceipt(gateway.url, path.slice(1), body);
  return receipt["charge_usd"];
}

function post(path: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };
  return fetch(gateway.url + path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function chat(model: string, more: object): Promise<{ status: number; text: string }> {
  const response = await post("/v1/chat/completions", { model, max_completion_tokens: 500, ...more });
  return { status: response.status, text: await response.text() };
}
