import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { TEST_KEY } from "./gateway.ts";
import type { TextProtocol } from "./text-caller.ts";

export interface SdkAsk {
  readonly protocol: TextProtocol;
  readonly streamed: boolean;
  readonly model: string;
}

/**
 * Asks through the vendor's own SDK, without its retries, and reads the response to its end. Rejects with
 * the SDK's error. The responses SDK raises none inside a stream: there the failure is the last event,
 * which is thrown for it.
 */
export async function askBySdk(url: string, { protocol, streamed, model }: SdkAsk): Promise<void> {
  const messages = [{ role: "user" as const, content: "Hello" }];
  switch (protocol) {
    case "chat-completions": {
      const client = openai(url);
      if (!streamed) return checkNotString(await client.chat.completions.create({ model, messages }));
      return readAll(await client.chat.completions.create({ model, messages, stream: true }));
    }
    case "responses": {
      const client = openai(url);
      if (!streamed) return checkNotString(await client.responses.create({ model, input: "Hello" }));
      let last = "";
      for await (const event of await client.responses.create({ model, input: "Hello", stream: true })) {
        last = event.type;
      }
      if (last === "response.failed" || last === "error") throw new Error(last);
      return;
    }
    case "messages": {
      const client = new Anthropic({ apiKey: TEST_KEY, baseURL: url, maxRetries: 0 });
      const ask = { model, max_tokens: 100, messages };
      if (!streamed) return checkNotString(await client.messages.create(ask));
      return readAll(await client.messages.create({ ...ask, stream: true }));
    }
    case "generate-content": {
      const client = new GoogleGenAI({ apiKey: TEST_KEY, httpOptions: { baseUrl: url } });
      const ask = { model, contents: "Hello" };
      if (!streamed) return checkNotString(await client.models.generateContent(ask));
      return readAll(await client.models.generateContentStream(ask));
    }
  }
}

function openai(url: string): OpenAI {
  return new OpenAI({ apiKey: TEST_KEY, baseURL: `${url}/v1`, maxRetries: 0 });
}

async function readAll(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

/** These SDKs give a body that is no JSON back as a string, as if it were a response. */
function checkNotString(response: unknown): void {
  if (typeof response !== "object") throw new TypeError("the answer is no object");
}

/**
 * Asks for a stream through the vendor's own SDK, which waits so long for a response to begin, and gives its text. Rejects
 * with the SDK's error. `onHead` is called when the response has begun, where the SDK lets itself be watched.
 */
export async function impatientSdk(
  url: string,
  {
    protocol,
    model,
    timeoutMs,
    onHead = () => undefined,
  }: { protocol: TextProtocol; model: string; timeoutMs: number; onHead?: () => void },
): Promise<string> {
  const messages = [{ role: "user" as const, content: "Hello" }];
  const watched: typeof fetch = async (...asked) => {
    const response = await fetch(...asked);
    onHead();
    return response;
  };
  const settings = { apiKey: TEST_KEY, maxRetries: 0, timeout: timeoutMs, fetch: watched };
  let text = "";
  switch (protocol) {
    case "chat-completions": {
      const client = new OpenAI({ ...settings, baseURL: `${url}/v1` });
      for await (const chunk of await client.chat.completions.create({ model, messages, stream: true }))
        text += chunk.choices[0]?.delta.content ?? "";
      return text;
    }
    case "responses": {
      const client = new OpenAI({ ...settings, baseURL: `${url}/v1` });
      for await (const event of await client.responses.create({ model, input: "Hello", stream: true }))
        if (event.type === "response.output_text.delta") text += event.delta;
      return text;
    }
    case "messages": {
      const client = new Anthropic({ ...settings, baseURL: url });
      const stream = await client.messages.create({ model, max_tokens: 100, messages, stream: true });
      for await (const event of stream)
        if (event.type === "content_block_delta" && event.delta.type === "text_delta")
          text += event.delta.text;
      return text;
    }
    case "generate-content": {
      // Its limit counts to the end of the response, so that it would end any long one.
      const client = new GoogleGenAI({ apiKey: TEST_KEY, httpOptions: { baseUrl: url } });
      for await (const chunk of await client.models.generateContentStream({ model, contents: "Hello" }))
        text += chunk.text ?? "";
      return text;
    }
  }
}
