import { describe, expect, it } from "vitest";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import type { CacheMark, ChatRequest, FunctionTool, Part } from "../../src/conversation/request.ts";
import { codecOf } from "../support/codec-of.ts";
import { target } from "../support/conversation-arbitraries.ts";

/** The protocols whose cache marks state a lifetime. */
const MARKING = ["chat-completions", "messages"] as const;
const TTLS = ["5m", "1h"] as const;

describe("cache marks", () => {
  const pairs = MARKING.flatMap((client) =>
    MARKING.flatMap((upstream) => TTLS.map((ttl) => ({ client, upstream, ttl }))),
  );

  it.each(pairs)("keep their place and lifetime: $client to $upstream, $ttl", ({ client, upstream, ttl }) => {
    const { body, losses } = encoded(marked(client, ttl), upstream);
    const read = codecOf(upstream).decodeRequest(body);
    if (!("value" in read)) throw read.refused;
    expect(losses).toEqual([]);
    expect(marksOf(read.value)).toEqual(marksOf(marked(client, ttl)));
    expect(JSON.stringify(marksOf(read.value)).match(new RegExp(`"${ttl}"`, "g"))).toHaveLength(4);
  });

  it.each(MARKING)("of an hour say that responses has no lifetimes: %s", (client) => {
    const { body, losses } = encoded({ ...marked(client, "1h"), tools: [] }, "responses");
    expect(JSON.stringify(body)).toContain("prompt_cache_breakpoint");
    expect(losses).toEqual([{ path: "cache_control", reason: "weakened" }]);
    expect(encoded({ ...marked(client, "5m"), tools: [] }, "responses").losses).toEqual([]);
  });
});

/** A conversation with marks wherever both protocols take them. */
function marked(protocol: ChatProtocol, ttl: (typeof TTLS)[number]): ChatRequest {
  const cache = { ttl };
  const tool: FunctionTool = { kind: "function", name: "f", parameters: {}, strict: false, cache };
  return {
    protocol,
    model: "m",
    stream: false,
    includeUsage: false,
    system: [{ kind: "text", text: "Long.", cache }],
    messages: [
      { role: "user", parts: [{ kind: "text", text: "Longer.", cache }] },
      { role: "assistant", parts: [{ kind: "tool-call", id: "c", name: "f", arguments: "{}" }] },
      {
        role: "user",
        parts: [{ kind: "tool-result", callId: "c", name: "f", parts: [{ kind: "text", text: "r" }], cache }],
      },
    ],
    tools: [tool],
    sampling: {},
    limits: {},
    foreign: [],
    echo: {},
    fieldNames: { cache: "cache_control" },
  };
}

function encoded(request: ChatRequest, upstream: ChatProtocol) {
  const outcome = codecOf(upstream).encodeRequest(
    request,
    target(upstream, { quirks: { cacheMarks: true } }),
  );
  if (!("value" in outcome)) throw outcome.refused;
  return outcome.value;
}

function marksOf({ system, messages, tools }: ChatRequest): unknown {
  return [
    system.map(({ cache }) => cache),
    messages.flatMap(({ parts }) => parts.map((part) => [part.kind, markOf(part)])),
    tools.map((tool) => tool.kind === "function" && tool.cache),
  ];
}

/** A mark at the end of a result's last part is one at the end of the result. */
function markOf(part: Part): CacheMark | undefined {
  if (part.kind === "reasoning" || part.kind === "foreign") return undefined;
  if (part.kind !== "tool-result") return part.cache;
  const last = part.parts.at(-1);
  return part.cache ?? (last?.kind === "foreign" ? undefined : last?.cache);
}
