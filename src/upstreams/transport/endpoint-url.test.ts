import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kindOf, type UpstreamKind } from "../kinds.ts";
import { endpointPath, splitBaseUrl } from "./endpoint-url.ts";

const gemini = kindNamed("gemini");
const plain = {
  protocol: "generate-content",
  model: "m-1",
  streamed: false,
  arrayStream: false,
  query: {},
} as const;

describe("the path of an endpoint", () => {
  it("of generateContent names model, action and form of the stream", () => {
    expect(endpointPath("", gemini, plain)).toBe("/v1beta/models/m-1:generateContent");
    expect(endpointPath("/p", gemini, { ...plain, streamed: true })).toBe(
      "/p/v1beta/models/m-1:streamGenerateContent?alt=sse",
    );
    expect(endpointPath("", gemini, { ...plain, streamed: true, arrayStream: true })).toBe(
      "/v1beta/models/m-1:streamGenerateContent",
    );
  });

  it("keeps any model name within one segment below the fixed prefix", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), hostile), (model) => {
        let path: string;
        try {
          path = endpointPath("/base", gemini, { ...plain, model });
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          return;
        }
        const url = new URL(path, "http://upstream.example");
        expect(url.host).toBe("upstream.example");
        expect(url.search + url.hash).toBe("");
        const match = /^\/base\/v1beta\/models\/([^/]+):generateContent$/.exec(url.pathname);
        expect(decodeURIComponent(match?.[1] ?? "")).toBe(model);
      }),
      { numRuns: 2_000 },
    );
  });

  it("carries beta=true to kinds that take it, on messages only", () => {
    const order = { ...plain, protocol: "messages", query: { beta: "true" } } as const;
    expect(endpointPath("", kindNamed("anthropic"), order)).toBe("/v1/messages?beta=true");
    expect(endpointPath("", kindNamed("anthropic"), { ...order, query: { beta: "1&x=y" } })).toBe(
      "/v1/messages",
    );
    expect(endpointPath("/v1", kindNamed("openai"), { ...order, protocol: "chat-completions" })).toBe(
      "/v1/chat/completions",
    );
    expect(endpointPath("/v1", kindNamed("openai"), order)).toBe("/v1/messages");
  });

  it("is refused where the kind does not serve the protocol", () => {
    expect(() => endpointPath("", gemini, { ...plain, protocol: "rerank" })).toThrow(RangeError);
  });
});

describe("a base URL", () => {
  it("is split into origin and prefix, whatever its slashes", () => {
    expect(splitBaseUrl("https://api.example/v1/")).toEqual({ origin: "https://api.example", prefix: "/v1" });
    expect(splitBaseUrl("http://127.0.0.1:9090")).toEqual({ origin: "http://127.0.0.1:9090", prefix: "" });
  });

  it("is refused without http, or with a password in it", () => {
    for (const text of ["", "api.example", "ftp://a", "http://user:pass@a/"]) {
      expect(() => splitBaseUrl(text)).toThrow(RangeError);
    }
  });
});

const hostile = fc.constantFrom(
  ...[
    "..",
    ".",
    "",
    "../../etc",
    "a/../../b",
    "%2e%2e",
    "%2f",
    "a%00b",
    "a\u0000b",
    "a?key=1",
    "a#b",
    "a\\b",
  ],
  ...[
    "{action}",
    "$&",
    "$`",
    "//evil.example/",
    "a b",
    "é",
    "\ud800",
    "a:generateContent",
    "x".repeat(10_000),
  ],
);

function kindNamed(name: string): UpstreamKind {
  const kind = kindOf(name);
  if (kind === undefined) throw new Error(name);
  return kind;
}
