import type { ModelEndpoint } from "../../../src/console/models/contract.ts";

/** The SDKs and tools of snippets. */
export const SDKS = {
  curl: "curl",
  "openai-python": "OpenAI · Python",
  "openai-node": "OpenAI · TypeScript",
  anthropic: "Anthropic · Python",
  "google-genai": "Google GenAI · TypeScript",
  "ai-sdk": "AI SDK · TypeScript",
} as const;
export type Sdk = keyof typeof SDKS;

export interface SnippetOf {
  readonly sdk: Sdk;
  readonly endpoint: ModelEndpoint;
  readonly model: string;
  /** The family of images and videos; null = text. */
  readonly family: string | null;
  /** The gateway's address, without a slash at its end. */
  readonly url: string;
}

/** A first request that works as it stands, with the key in FAREGATE_API_KEY; undefined: the SDK does not speak that. */
export function snippetOf({ sdk, endpoint, model, family, url }: SnippetOf): string | undefined {
  return WRITERS[sdk][endpoint]?.(model, url, family);
}

/** The SDKs that can call one of these endpoints, and on which of them. */
export function sdksFor(
  endpoints: readonly ModelEndpoint[],
): readonly (readonly [Sdk, readonly ModelEndpoint[]])[] {
  return (Object.keys(SDKS) as Sdk[]).flatMap((sdk) => {
    const spoken = endpoints.filter((endpoint) => WRITERS[sdk][endpoint] !== undefined);
    return spoken.length === 0 ? [] : [[sdk, spoken] as const];
  });
}

type Write = (model: string, url: string, family: string | null) => string;

function curl(
  path: (model: string) => string,
  body: (model: string, family: string | null) => object,
): Write {
  return (model, url, family) => `curl ${url}${path(model)} \\
  -H "Authorization: Bearer $FAREGATE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(body(model, family))}'`;
}

/** The least that each family of videos must be given. */
const VIDEO_ORDERS: Readonly<Record<string, object>> = {
  videoa: { content: [{ type: "text", text: "Waves at a lighthouse" }] },
  videob: { prompt: "Waves at a lighthouse", duration: 5 },
  videoc: { prompt: "Waves rise", duration: 5, image_urls: ["https://example.com/lighthouse.jpg"] },
};

const chat = (model: string) => ({ model, messages: [{ role: "user", content: "Hello" }] });

function openaiPython(call: Write): Write {
  return (model, url) => `import os
from openai import OpenAI

client = OpenAI(base_url="${url}/v1", api_key=os.environ["FAREGATE_API_KEY"])
${call(model, url, null)}`;
}

function openaiNode(call: Write): Write {
  return (model, url) => `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${url}/v1", apiKey: process.env.FAREGATE_API_KEY });
${call(model, url, null)}`;
}

function aiSdk(vendor: "openai" | "anthropic" | "google", call: string, base = "/v1"): Write {
  const create = { openai: "createOpenAI", anthropic: "createAnthropic", google: "createGoogleGenerativeAI" }[
    vendor
  ];
  return (model, url) => `import { ${create} } from "@ai-sdk/${vendor}";
import { generateText } from "ai";

const faregate = ${create}({ baseURL: "${url}${base}", apiKey: process.env.FAREGATE_API_KEY });
const { text } = await generateText({ model: faregate${call}("${model}"), prompt: "Hello" });
console.log(text);`;
}

const WRITERS: Readonly<Record<Sdk, Partial<Record<ModelEndpoint, Write>>>> = {
  curl: {
    "chat-completions": curl(() => "/v1/chat/completions", chat),
    responses: curl(
      () => "/v1/responses",
      (model) => ({ model, input: "Hello" }),
    ),
    messages: curl(
      () => "/v1/messages",
      (model) => ({ ...chat(model), max_tokens: 1024 }),
    ),
    "generate-content": curl(
      (model) => `/v1beta/models/${model}:generateContent`,
      () => ({ contents: [{ role: "user", parts: [{ text: "Hello" }] }] }),
    ),
    embeddings: curl(
      () => "/v1/embeddings",
      (model) => ({ model, input: "Hello" }),
    ),
    rerank: curl(
      () => "/v1/rerank",
      (model) => ({ model, query: "A city in France", documents: ["Paris", "Berlin"] }),
    ),
    images: curl(
      () => "/v1/images/generations",
      (model) => ({ model, prompt: "A lighthouse at dusk" }),
    ),
    videos: curl(
      () => "/v2/videos/generations",
      (model, family) => ({ model, ...VIDEO_ORDERS[family ?? ""] }),
    ),
  },
  "openai-python": {
    "chat-completions": openaiPython(
      (model) => `answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
    ),
    responses: openaiPython(
      (model) => `answer = client.responses.create(model="${model}", input="Hello")
print(answer.output_text)`,
    ),
    embeddings: openaiPython(
      (model) => `answer = client.embeddings.create(model="${model}", input="Hello")
print(answer.data[0].embedding)`,
    ),
  },
  "openai-node": {
    "chat-completions": openaiNode(
      (model) => `const answer = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "Hello" }],
});
console.log(answer.choices[0].message.content);`,
    ),
    responses: openaiNode(
      (model) => `const answer = await client.responses.create({ model: "${model}", input: "Hello" });
console.log(answer.output_text);`,
    ),
    embeddings: openaiNode(
      (model) => `const answer = await client.embeddings.create({ model: "${model}", input: "Hello" });
console.log(answer.data[0].embedding);`,
    ),
  },
  anthropic: {
    messages: (model, url) => `import os
from anthropic import Anthropic

client = Anthropic(base_url="${url}", api_key=os.environ["FAREGATE_API_KEY"])
answer = client.messages.create(
    model="${model}",
    max_tokens=1024,
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.content[0].text)`,
  },
  "google-genai": {
    "generate-content": (model, url) => `import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({
  apiKey: process.env.FAREGATE_API_KEY,
  httpOptions: { baseUrl: "${url}" },
});
const answer = await client.models.generateContent({ model: "${model}", contents: "Hello" });
console.log(answer.text);`,
  },
  "ai-sdk": {
    "chat-completions": aiSdk("openai", ".chat"),
    responses: aiSdk("openai", ".responses"),
    messages: aiSdk("anthropic", ""),
    "generate-content": aiSdk("google", "", "/v1beta"),
  },
};
