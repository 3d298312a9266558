import { describe, expect, it } from "vitest";
import type { Quirks } from "../../src/conversation/lower/quirks.ts";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import type { JsonObject } from "../../src/protocols/json.ts";
import { presetQuirks } from "../../src/upstreams/upstream-quirks.ts";
import { codecOf } from "../support/codec-of.ts";
import { frame, plan, target } from "../support/conversation-arbitraries.ts";
import { config, LEAST } from "../support/translation-matrix/spoken.ts";

const CHAT = "chat-completions";
const NATIVE = "generate-content";

/** A wish to think, what an upstream is told, and whether the caller is told that it is not the same. */
const WISHES: readonly {
  readonly from: ChatProtocol;
  readonly asked: JsonObject;
  readonly to: ChatProtocol;
  readonly told: JsonObject;
  readonly quirks?: Quirks;
  readonly lost?: string;
}[] = [
  // The model's own choice becomes an effort where models do not think without one.
  ...(["messages", NATIVE] as const).flatMap((from) => {
    const asked = from === NATIVE ? config({ thinkingConfig: { thinkingBudget: -1 } }) : adaptive({});
    const lost = from === NATIVE ? "generationConfig.thinkingConfig" : "thinking";
    return [
      { from, asked, to: CHAT, told: { reasoning_effort: "medium" }, lost },
      { from, asked, to: "responses", told: { reasoning: { effort: "medium" } }, lost },
    ] as const;
  }),
  {
    from: "messages",
    asked: adaptive({ output_config: { effort: "high" } }),
    to: CHAT,
    told: { reasoning_effort: "high" },
  },
  {
    from: "messages",
    asked: { thinking: { type: "between_tools" } },
    to: CHAT,
    told: { reasoning_effort: "low" },
    lost: "thinking",
  },
  {
    from: "messages",
    asked: { thinking: { type: "between_tools" } },
    to: "messages",
    told: { thinking: { type: "between_tools" } },
  },
  // Other vendors' words for it, of chats.
  {
    from: CHAT,
    asked: { thinking: { type: "enabled", budget_tokens: 4000 } },
    to: "messages",
    told: { thinking: { type: "enabled", budget_tokens: 4000 } },
  },
  {
    from: CHAT,
    asked: { thinking: { type: "disabled" } },
    to: "messages",
    told: { thinking: { type: "disabled" } },
  },
  {
    from: CHAT,
    asked: { thinking: { type: "enabled" }, reasoning_effort: "high" },
    to: "responses",
    told: { reasoning: { effort: "high" } },
  },
  {
    from: CHAT,
    asked: { reasoning: { effort: "high" } },
    to: "responses",
    told: { reasoning: { effort: "high" } },
  },
  {
    from: CHAT,
    asked: { reasoning: { max_tokens: 4000 } },
    to: NATIVE,
    told: {
      generationConfig: {
        maxOutputTokens: 30_000,
        thinkingConfig: { thinkingBudget: 4000, includeThoughts: true },
      },
    },
  },
  {
    from: CHAT,
    asked: { reasoning: { enabled: true } },
    to: "responses",
    told: { reasoning: { effort: "medium" } },
    lost: "reasoning",
  },
  {
    from: CHAT,
    asked: { reasoning_effort: "default" },
    to: "messages",
    told: { thinking: { type: "adaptive" } },
    quirks: { thinking: "adaptive" },
  },
  // To hide thoughts makes no model think: whether it does, only an effort, a budget or `enabled` says.
  ...(["messages", "responses"] as const).flatMap((to) =>
    [{ exclude: true }, { exclude: false }].map(
      (reasoning) => ({ from: CHAT, asked: { reasoning }, to, told: {} }) as const,
    ),
  ),
  {
    from: CHAT,
    asked: { reasoning: { exclude: true } },
    to: NATIVE,
    told: { generationConfig: { maxOutputTokens: 30_000 } },
  },
  ...[
    { reasoning: { effort: "high", exclude: true } },
    { reasoning_effort: "high", reasoning: { exclude: true } },
  ].map(
    (asked) =>
      ({
        from: CHAT,
        asked,
        to: "messages",
        told: { thinking: { type: "adaptive", display: "omitted" }, output_config: { effort: "high" } },
        quirks: { thinking: "adaptive" },
      }) as const,
  ),
  ...[
    { enabled: false },
    { enabled: false, effort: "high" },
    { effort: "none" },
    { effort: "none", exclude: true },
    { max_tokens: 0 },
  ].map(
    (reasoning) =>
      ({
        from: CHAT,
        asked: { reasoning },
        to: "messages",
        told: { thinking: { type: "disabled" } },
      }) as const,
  ),
  {
    from: CHAT,
    asked: { include_reasoning: false },
    to: "messages",
    told: {},
    lost: "include_reasoning",
  },
  // Chats get their own words back as they came.
  ...[
    { thinking: { type: "enabled", keep: "all" } },
    { reasoning: { effort: "high", exclude: true } },
    { reasoning: { exclude: true } },
    { reasoning_effort: "default" },
  ].map((asked) => ({ from: CHAT, asked, to: CHAT, told: asked }) as const),
  // What cannot be read is a hint like any other.
  { from: CHAT, asked: { reasoning: { effort: "colossal" } }, to: "messages", told: {}, lost: "reasoning" },
  {
    from: CHAT,
    asked: { thinking: { type: "enabled", budget_tokens: 4000, keep: "all" } },
    to: "messages",
    told: { thinking: { type: "enabled", budget_tokens: 4000 } },
    lost: "thinking.keep",
  },
];

describe("a wish to think, in whichever words", () => {
  it.each(WISHES)("$from to $to: $asked", ({ from, asked, to, told, quirks = {}, lost }) => {
    const { body, losses } = sent(from, asked, to, quirks);
    const fields = Object.fromEntries(
      THINKING_FIELDS.flatMap((key) => (key in body ? [[key, body[key]]] : [])),
    );
    expect(fields).toEqual(told);
    expect(losses).toEqual(lost === undefined ? [] : [lost]);
  });
});

const THINKING_FIELDS = ["thinking", "output_config", "reasoning", "reasoning_effort", "generationConfig"];

describe("the line of Claude Code's instructions that is for its vendor's books", () => {
  const line = "x-anthropic-billing-header: cc_version=2.1.0; cc_entrypoint=cli; cch=a1b2c;";
  const system = [
    { type: "text", text: line },
    { type: "text", text: "You write code." },
  ];

  it.each([CHAT, "responses", NATIVE] as const)("reaches no other vendor, and is named: %s", (to) => {
    for (const said of [system, `${line}\nYou write code.`]) {
      const { body, losses } = sent("messages", { system: said }, to);
      expect(JSON.stringify(body)).not.toContain("billing-header");
      expect(JSON.stringify(body)).toContain("You write code.");
      expect(losses).toEqual(["system[]"]);
    }
  });

  it("stays where its vendor's protocol is spoken", () => {
    expect(sent("messages", { system }, "messages")).toMatchObject({ body: { system }, losses: [] });
  });
});

describe("models that think between calls", () => {
  const said = { role: "assistant", reasoning_content: "Hm.", content: "So." };
  const asked = { messages: [{ role: "user", content: "x" }, said, { role: "user", content: "y" }] };
  const unthought = {
    messages: [
      { role: "user", content: "x" },
      { role: "assistant", content: "So." },
    ],
  };

  it.each([
    ["XiaomiMiMo/MiMo-V2-Flash", " "],
    ["mimo-v2.5-pro", " "],
    ["glm-4.6", undefined],
    ["z-ai/glm-5.1", undefined],
    ["MiniMax-M2.1", undefined],
    ["minimax/minimax-m2", undefined],
    ["qwen3-235b-a22b-thinking-2507", undefined],
    ["Qwen/Qwen3.6-35B-A3B", undefined],
    ["stepfun/step-3.5-flash", undefined],
    ["deepseek-reasoner", " "],
  ])("get their thoughts back: %s", (model, blank) => {
    const quirks = presetQuirks("openai-compatible", model);
    const turns = (request: JsonObject) => sent(CHAT, request, CHAT, quirks).body["messages"] as JsonObject[];
    expect(turns(asked)[1]).toMatchObject({ reasoning_content: "Hm." });
    expect(turns(unthought)[1]?.["reasoning_content"]).toBe(blank);
  });

  it("also from clients of responses who send back only what is encrypted, without summaries", () => {
    const finish = { unified: "stop", protocol: CHAT } as const;
    const parts = [
      { kind: "reasoning", text: "Hm." },
      { kind: "text", text: "So." },
    ] as const;
    const { body } = codecOf("responses").encodeResponse({ choices: [{ parts, finish }] }, frame);
    const items = (body["output"] as readonly JsonObject[])
      .filter((item) => item["type"] !== "reasoning" || item["encrypted_content"] !== undefined)
      .map((item) => (item["type"] === "reasoning" ? { ...item, summary: [] } : item));
    const asked = { role: "user", content: "x" };
    const quirks = presetQuirks("openai-compatible", "deepseek-reasoner");
    const told = sent("responses", { input: [asked, ...items, asked] }, CHAT, quirks).body["messages"];
    expect((told as readonly JsonObject[])[1]).toMatchObject({ reasoning_content: "Hm.", content: "So." });
  });

  it.each(["glm-4.5", "qwen3-32b", "gpt-4o"])("and no others do: %s", (model) => {
    expect(presetQuirks("openai-compatible", model).reasoningReplay).toBeUndefined();
  });
});

describe("thoughts in tags, where the catalog says that a server leaves them", () => {
  const response = {
    choices: [{ message: { content: "<think>\nHm.\n</think>\n\nYes." }, finish_reason: "stop" }],
  };
  const read = (quirks: Quirks): unknown => {
    const asked = codecOf("messages").decodeRequest(LEAST.messages);
    if ("refused" in asked) throw asked.refused;
    const encoded = codecOf(CHAT).encodeRequest(asked.value, target(CHAT, { quirks }));
    if ("refused" in encoded) throw encoded.refused;
    const decoded = codecOf(CHAT).decodeResponse(response, { ...plan(CHAT), ...encoded.value.plan });
    if ("error" in decoded) throw new Error(decoded.error.message);
    return codecOf("messages").encodeResponse(decoded.response, frame).body["content"];
  };

  it("are thoughts to callers, and else the words that they came as", () => {
    expect(read({ thinkTags: true })).toMatchObject([
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "Yes." },
    ]);
    expect(read({})).toMatchObject([{ type: "text", text: "<think>\nHm.\n</think>\n\nYes." }]);
  });
});

function adaptive(more: JsonObject): JsonObject {
  return { thinking: { type: "adaptive" }, ...more };
}

function sent(from: ChatProtocol, more: JsonObject, to: ChatProtocol, quirks: Quirks = {}) {
  const asked = codecOf(from).decodeRequest({ ...LEAST[from], max_tokens: 30_000, ...more });
  if ("refused" in asked) throw asked.refused;
  const encoded = codecOf(to).encodeRequest(asked.value, target(to, { quirks, maxOutputTokens: 100_000 }));
  if ("refused" in encoded) throw encoded.refused;
  const { body, losses } = encoded.value;
  return { body, losses: losses.map(({ path }) => path).filter((path) => path !== "max_tokens") };
}
