import { AzureOpenAI } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedSandbox, startSandbox } from "../testing/started-sandbox.ts";
import { AZURE_CLIENT, AZURE_KEY, startAzure } from "./azure.ts";
import type { FakeCloud } from "./cloud-server.ts";

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
