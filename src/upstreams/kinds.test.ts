import { describe, expect, it } from "vitest";
import { KIND_NAMES, kindOf } from "./kinds.ts";
import { endpointPath } from "./transport/endpoint-url.ts";

describe("the kinds of upstreams", () => {
  it("are those of the operator's contract, and no others", () => {
    expect([...KIND_NAMES].sort().join(" ")).toBe(
      "anthropic apimart ark azure bedrock bedrock-mantle dashscope gateway gemini minimax openai openai-compatible rerank sandbox seedance-relay vertex",
    );
    for (const word of ["", "OpenAI", "toString", "__proto__"]) expect(kindOf(word)).toBeUndefined();
  });

  it("each know a path for every protocol they speak", () => {
    for (const name of KIND_NAMES) {
      const kind = kindOf(name);
      for (const protocol of kind?.protocols ?? [])
        expect(kind?.paths[protocol], `${name} ${protocol}`).toMatch(/^\//);
    }
  });

  // https://platform.openai.com/docs/models names the endpoints of each.
  it.each([
    ["gpt-4o-search-preview", ["chat-completions"]],
    ["gpt-4o-mini-search-preview-2025-03-11", ["chat-completions"]],
    ["gpt-5-search-api", ["chat-completions"]],
    ["gpt-4o-audio-preview", ["chat-completions"]],
    ["o1-pro", ["responses"]],
    ["o3-pro-2025-06-10", ["responses"]],
    ["gpt-5-pro", ["responses"]],
    ["gpt-5.2-pro", ["responses"]],
    ["gpt-5.1-codex-max", ["responses"]],
    ["codex-mini-latest", ["responses"]],
    ["o4-mini-deep-research", ["responses"]],
    ["computer-use-preview", ["responses"]],
    ["gpt-5", undefined],
    ["gpt-4o-mini", undefined],
    ["o3", undefined],
    ["text-embedding-3-large", undefined],
  ])("of OpenAI asks %s in the protocols that it has", (model, protocols) => {
    const own = kindOf("openai")?.modelProtocols?.find(({ names }) => names.test(model));
    expect(own?.protocols).toEqual(protocols);
  });

  it.each([
    ["openai", "chat-completions", "/v1/chat/completions"],
    ["openai-compatible", "embeddings", "/v1/embeddings"],
    ["rerank", "rerank", "/v1/rerank"],
  ] as const)("whose base URL ends in a version add the rest: %s", (name, protocol, path) => {
    expect(pathOf("/v1", name, protocol)).toBe(path);
  });

  it.each([
    ["anthropic", "messages", "/v1/messages"],
    ["gemini", "generate-content", "/v1beta/models/m:generateContent"],
    ["gateway", "chat-completions", "/v1/chat/completions"],
    ["sandbox", "rerank", "/v1/rerank"],
  ] as const)("whose base URL is the root add the whole path: %s", (name, protocol, path) => {
    expect(pathOf("", name, protocol)).toBe(path);
  });
});

function pathOf(
  prefix: string,
  name: string,
  protocol: Parameters<typeof endpointPath>[2]["protocol"],
): string {
  const kind = kindOf(name);
  if (!kind) throw new Error(`no kind ${name}`);
  return endpointPath(prefix, kind, { protocol, model: "m", streamed: false, arrayStream: false, query: {} });
}
