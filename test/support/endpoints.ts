/** One endpoint with a small request that the sandbox answers. */
export interface Endpoint {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

const PROMPT = "Say something about rivers.";
const SAID = [{ role: "user", content: PROMPT }];
const CONTENTS = [{ role: "user", parts: [{ text: PROMPT }] }];

export const CHAT = post("chat completions", "/v1/chat/completions", { model: "text", messages: SAID });
export const RESPONSES = post("responses", "/v1/responses", { model: "text", input: PROMPT });
export const MESSAGES = post("messages", "/v1/messages", { model: "text", max_tokens: 256, messages: SAID });
export const NATIVE = post("generateContent", "/v1beta/models/text:generateContent", { contents: CONTENTS });
export const NATIVE_STREAM = post(
  "streamGenerateContent",
  "/v1beta/models/text:streamGenerateContent?alt=sse",
  { contents: CONTENTS },
);
export const EMBEDDINGS = post("embeddings", "/v1/embeddings", { model: "embed", input: "river" });
export const RERANK = post("rerank", "/v1/rerank", {
  model: "rerank",
  query: "river",
  documents: ["a river", "a stone"],
});

/** Endpoints whose body names the model. */
export const BODY_ENDPOINTS: readonly Endpoint[] = [CHAT, RESPONSES, MESSAGES, EMBEDDINGS, RERANK];

export const TEXT_ENDPOINTS: readonly Endpoint[] = [
  CHAT,
  RESPONSES,
  MESSAGES,
  NATIVE,
  NATIVE_STREAM,
  EMBEDDINGS,
  RERANK,
];

/** Everything that needs a key. */
export const KEYED_ENDPOINTS: readonly Endpoint[] = [
  ...TEXT_ENDPOINTS,
  get("models", "/v1/models"),
  get("one model", "/v1/models/text"),
  get("native models", "/v1beta/models"),
  get("one native model", "/v1beta/models/text"),
];

function post(name: string, path: string, body: Record<string, unknown>): Endpoint {
  return { name, method: "POST", path, body };
}

function get(name: string, path: string): Endpoint {
  return { name, method: "GET", path };
}

/** The same path with a query parameter more. */
export function withQuery(path: string, parameter: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${parameter}`;
}
