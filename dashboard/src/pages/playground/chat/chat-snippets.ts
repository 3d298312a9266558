import { curlSnippet, type SdkCall, type Snippet, sdkSnippets } from "../snippets.ts";
import type { ChatRequest, ProtocolName } from "./conversation.ts";
import { PROTOCOLS } from "./protocols.ts";

/** The request that the playground would send next, for a terminal and for the SDKs of its protocol. */
export function chatSnippets(origin: string, name: ProtocolName, request: ChatRequest): readonly Snippet[] {
  const { path, body } = PROTOCOLS[name];
  const written = body(request);
  const sent = name === "generate-content" ? configured(request.model, written) : written;
  return [
    curlSnippet(`${origin}${path(request.model)}`, written, true),
    ...sdkSnippets(sent, SDK_CALLS[name](origin)),
  ];
}

/** The SDK of this protocol takes everything but model and contents as `config`. */
function configured(model: string, body: Readonly<Record<string, unknown>>) {
  const { contents, generationConfig, ...rest } = body;
  return { model, contents, config: { ...(generationConfig as object), ...rest } };
}

type Calls = Readonly<Record<ProtocolName, (origin: string) => SdkCall>>;

const openai = (origin: string) => ({
  python: `import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=os.environ["FAREGATE_API_KEY"])`,
  typescript: `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${origin}/v1", apiKey: process.env.FAREGATE_API_KEY });`,
});

const SDK_CALLS: Calls = {
  "chat-completions": (origin) => ({
    python: {
      setup: openai(origin).python,
      call: "client.chat.completions.create",
      print: `    if event.choices:
        print(event.choices[0].delta.content or "", end="", flush=True)`,
    },
    typescript: {
      setup: openai(origin).typescript,
      call: "client.chat.completions.create",
      print: `  process.stdout.write(event.choices[0]?.delta.content ?? "");`,
    },
  }),
  responses: (origin) => ({
    python: {
      setup: openai(origin).python,
      call: "client.responses.create",
      print: `    if event.type == "response.output_text.delta":
        print(event.delta, end="", flush=True)`,
    },
    typescript: {
      setup: openai(origin).typescript,
      call: "client.responses.create",
      print: `  if (event.type === "response.output_text.delta") process.stdout.write(event.delta);`,
    },
  }),
  messages: (origin) => ({
    python: {
      setup: `import os
from anthropic import Anthropic

client = Anthropic(base_url="${origin}", api_key=os.environ["FAREGATE_API_KEY"])`,
      call: "client.messages.create",
      print: `    if event.type == "content_block_delta" and event.delta.type == "text_delta":
        print(event.delta.text, end="", flush=True)`,
    },
    typescript: {
      setup: `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${origin}", apiKey: process.env.FAREGATE_API_KEY });`,
      call: "client.messages.create",
      print: `  if (event.type === "content_block_delta" && event.delta.type === "text_delta")
    process.stdout.write(event.delta.text);`,
    },
  }),
  "generate-content": (origin) => ({
    python: {
      setup: `import os
from google import genai

client = genai.Client(api_key=os.environ["FAREGATE_API_KEY"], http_options={"base_url": "${origin}"})`,
      call: "client.models.generate_content_stream",
      print: `    print(event.text or "", end="", flush=True)`,
    },
    typescript: {
      setup: `import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({
  apiKey: process.env.FAREGATE_API_KEY,
  httpOptions: { baseUrl: "${origin}" },
});`,
      call: "client.models.generateContentStream",
      print: `  process.stdout.write(event.text ?? "");`,
    },
  }),
};
