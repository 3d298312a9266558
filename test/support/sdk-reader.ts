import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";

/** The response that an unmodified official SDK reads from a stream. */
export interface SdkResponse {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  /** Why it ended, in the word of the protocol; undefined or null where the SDK was not told. */
  readonly end: string | null | undefined;
}

/** Gives the stream to the protocol's official SDK, in pieces that `nextSize` draws. Rejects as the SDK does. */
export function readBySdk(
  protocol: ChatProtocol,
  stream: string,
  nextSize: () => number,
): Promise<SdkResponse> {
  const bytes = Buffer.from(stream);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      const end = at + nextSize();
      controller.enqueue(new Uint8Array(bytes.subarray(at, end)));
      at = end;
    },
  });
  return READERS[protocol](
    async () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
  );
}

const NOWHERE = { apiKey: "unused", baseURL: "http://127.0.0.1:9", maxRetries: 0 };

const READERS: Readonly<Record<ChatProtocol, (response: () => Promise<Response>) => Promise<SdkResponse>>> = {
  async "chat-completions"(response) {
    const client = new OpenAI({ ...NOWHERE, fetch: response });
    const asked = { model: "m", messages: [{ role: "user" as const, content: "q" }] };
    const { choices } = await client.chat.completions.stream(asked).finalChatCompletion();
    const message = choices[0]?.message;
    const calls = message?.tool_calls ?? [];
    return {
      text: message?.content ?? "",
      end: choices[0]?.finish_reason,
      calls: calls.flatMap((call) =>
        "function" in call ? [{ name: call.function.name, input: parsed(call.function.arguments) }] : [],
      ),
    };
  },

  async responses(response) {
    const client = new OpenAI({ ...NOWHERE, fetch: response });
    const final = await client.responses.stream({ model: "m", input: "q" }).finalResponse();
    const { output, output_text, status } = final;
    return {
      text: output_text,
      end: status,
      calls: output.flatMap((item) =>
        item.type === "function_call" ? [{ name: item.name, input: parsed(item.arguments) }] : [],
      ),
    };
  },

  async messages(response) {
    const client = new Anthropic({ ...NOWHERE, fetch: response });
    const asked = { model: "m", max_tokens: 9, messages: [{ role: "user" as const, content: "q" }] };
    const { content, stop_reason } = await client.messages.stream(asked).finalMessage();
    return {
      end: stop_reason,
      text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
      calls: content.flatMap((block) =>
        block.type === "tool_use" ? [{ name: block.name, input: block.input }] : [],
      ),
    };
  },

  async "generate-content"(response) {
    // This SDK takes no `fetch`, so that it reads the global one's place for as long as the call begins.
    const client = new GoogleGenAI({ apiKey: "unused", httpOptions: { baseUrl: NOWHERE.baseURL } });
    const real = globalThis.fetch;
    globalThis.fetch = response;
    const chunks = await client.models
      .generateContentStream({ model: "m", contents: "q" })
      .finally(() => (globalThis.fetch = real));
    let text = "";
    let end: string | undefined;
    const calls: { name: string; input: unknown }[] = [];
    for await (const { candidates } of chunks) {
      end = candidates?.[0]?.finishReason ?? end;
      for (const part of candidates?.[0]?.content?.parts ?? []) {
        if (part.thought !== true) text += part.text ?? "";
        if (part.functionCall !== undefined) {
          calls.push({ name: part.functionCall.name ?? "", input: part.functionCall.args ?? {} });
        }
      }
    }
    return { text, calls, end };
  },
};

/** Arguments of a call that the limit cut short stay as they are. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
