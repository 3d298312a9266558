import { generateKeyPairSync } from "node:crypto";
import { AnthropicBedrock } from "@anthropic-ai/bedrock-sdk";
import { AnthropicVertex } from "@anthropic-ai/vertex-sdk";
import { AzureOpenAI } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedSandbox, startSandbox } from "../testing/started-sandbox.ts";
import { AZURE_CLIENT, AZURE_KEY, startAzure } from "./azure.ts";
import type { FakeCloud } from "./cloud-server.ts";
import { GOOGLE_PROJECT, startGoogle } from "./google.ts";

describe("the official openai SDK's client of Azure", () => {
  let sandbox: StartedSandbox;
  let azure: FakeCloud;
  beforeAll(async () => {
    sandbox = await startSandbox();
    azure = await startAzure({ sandbox: sandbox.url });
  });
  afterAll(async () => {
    await azure.close();
    await sandbox.close();
  });

  const messages = [{ role: "user" as const, content: "Weather in Oslo?" }];
  const options = () => ({ endpoint: azure.url, apiVersion: "2024-10-21", maxRetries: 0 });

  it("takes the fake for the vendor, by key, plain and streamed", async () => {
    const client = new AzureOpenAI({ ...options(), apiKey: AZURE_KEY });
    const plain = await client.chat.completions.create({ model: "gpt-4o", messages });
    expect(plain.choices[0]?.message.content).toBeTruthy();
    const stream = client.chat.completions.stream({ model: "gpt-4o", messages });
    expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe(
      plain.choices[0]?.message.content,
    );
    const { data } = await client.embeddings.create({ model: "text-embedding-3-small", input: "Oslo" });
    expect(data[0]?.embedding.length).toBeGreaterThan(100);
  });

  it("is let in by tokens of the application, and by nothing else", async () => {
    const token = async (): Promise<string> => {
      const { tenant_id, ...client } = AZURE_CLIENT;
      const scope = "https://cognitiveservices.azure.com/.default";
      const body = new URLSearchParams({ grant_type: "client_credentials", scope, ...client });
      const response = await fetch(`${azure.url}/${tenant_id}/oauth2/v2.0/token`, { method: "POST", body });
      return ((await response.json()) as { access_token: string }).access_token;
    };
    const client = new AzureOpenAI({ ...options(), azureADTokenProvider: token });
    const plain = await client.chat.completions.create({ model: "gpt-4o", messages });
    expect(plain.choices[0]?.message.content).toBeTruthy();
    const stranger = new AzureOpenAI({ ...options(), apiKey: "another-key" });
    await expect(stranger.chat.completions.create({ model: "gpt-4o", messages })).rejects.toMatchObject({
      status: 401,
    });
  });
});

const ASKED = { max_tokens: 200, messages: [{ role: "user" as const, content: "Weather in Oslo?" }] };

/** What a client of Claude's vendor hears, plain and streamed. */
async function heard(
  client: Pick<AnthropicBedrock, "messages">,
  model: string,
): Promise<readonly [plain: string, streamed: string]> {
  const plain = await client.messages.create({ ...ASKED, model });
  const stream = await client.messages.create({ ...ASKED, model, stream: true });
  let streamed = "";
  const types = new Set<string>();
  for await (const event of stream) {
    types.add(event.type);
    if (event.type === "content_block_delta" && event.delta.type === "text_delta")
      streamed += event.delta.text;
  }
  expect([...types].at(-1)).toBe("message_stop");
  return [plain.content.map((block) => (block.type === "text" ? block.text : "")).join(""), streamed];
}

describe("the official Anthropic SDK's client of Bedrock", () => {
  let sandbox: StartedSandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());

  const MODEL = "us.anthropic.claude-haiku-4-5-20251001-v1:0";
  const KEYS = { awsAccessKey: "AKIATEST00000001", awsSecretKey: "secret-of-AKIATEST00000001" };
  const options = () => ({ baseURL: `${sandbox.url}/aws/bedrock`, awsRegion: "us-east-1", maxRetries: 0 });

  it("takes the fake for the vendor, by signature and by key, plain and streamed", async () => {
    for (const client of [
      new AnthropicBedrock({ ...options(), apiKey: null, ...KEYS }),
      new AnthropicBedrock({ ...options(), apiKey: "bedrock-api-key-1" }),
    ]) {
      const [plain, streamed] = await heard(client, MODEL);
      expect(plain).toBeTruthy();
      expect(streamed).toBe(plain);
    }
  });

  it("is let in by the right secret alone", async () => {
    const client = new AnthropicBedrock({ ...options(), apiKey: null, ...KEYS, awsSecretKey: "another" });
    await expect(client.messages.create({ ...ASKED, model: MODEL })).rejects.toMatchObject({ status: 403 });
  });
});

describe("the official Anthropic SDK's client of Vertex AI", () => {
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  let sandbox: StartedSandbox;
  let google: FakeCloud;
  beforeAll(async () => {
    sandbox = await startSandbox();
    google = await startGoogle({ sandbox: sandbox.url, publicKey });
  });
  afterAll(async () => {
    await google.close();
    await sandbox.close();
  });

  const MODEL = "claude-sonnet-4-5@20250929";
  const options = () => ({
    baseURL: `${google.url}/v1`,
    region: "europe-west1",
    projectId: GOOGLE_PROJECT,
    maxRetries: 0,
  });

  /** As much of Google's own clients as is asked: they would get their tokens from Google. */
  const letInBy = (token: string) =>
    ({
      getRequestHeaders: () => Promise.resolve(new Headers({ authorization: `Bearer ${token}` })),
    }) as unknown as NonNullable<ConstructorParameters<typeof AnthropicVertex>[0]>["authClient"];

  it("takes the fake for the vendor, by a token of the machine, plain and streamed", async () => {
    const response = await fetch(`${google.url}/computeMetadata/v1/instance/service-accounts/default/token`, {
      headers: { "metadata-flavor": "Google" },
    });
    const { access_token: accessToken } = (await response.json()) as { access_token: string };
    const [plain, streamed] = await heard(
      new AnthropicVertex({ ...options(), authClient: letInBy(accessToken) }),
      MODEL,
    );
    expect(plain).toBeTruthy();
    expect(streamed).toBe(plain);
  });

  it("is let in by tokens that were given out, and by nothing else", async () => {
    const client = new AnthropicVertex({ ...options(), authClient: letInBy("another-token") });
    await expect(client.messages.create({ ...ASKED, model: MODEL })).rejects.toMatchObject({ status: 401 });
  });
});
