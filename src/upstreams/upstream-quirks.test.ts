import { describe, expect, it } from "vitest";
import type { Candidate } from "./call.ts";
import type { KIND_NAMES } from "./kinds.ts";
import { ANTHROPIC_MODELS, GEMINI_MODELS, OPENAI_MODELS } from "./model-quirks.ts";
import { presetQuirks, quirksOf } from "./upstream-quirks.ts";

/** The quirks of models, as far as they differ. */
const SAYS: readonly (readonly [kind: string, model: string, quirks: object])[] = [
  ["openai", "gpt-4", { thinking: "none", structuredOutput: "json" }],
  ["openai", "gpt-3.5-turbo-0125", { thinking: "none", structuredOutput: "json" }],
  ["openai", "gpt-4o-mini", { thinking: "none", refuses: ["verbosity"] }],
  ["openai", "gpt-4.1", { thinking: "none" }],
  ["openai", "gpt-5-chat-latest", { thinking: "none", maxTokensField: "max_completion_tokens" }],
  ["openai", "gpt-5", { efforts: ["minimal", "low", "medium", "high"] }],
  ["openai", "gpt-5-mini-2025-08-07", { efforts: ["minimal", "low", "medium", "high"] }],
  ["openai", "gpt-5-pro", { efforts: ["high"] }],
  ["openai", "gpt-5-codex", { efforts: ["low", "medium", "high"] }],
  ["openai", "gpt-5.1-codex-max", { efforts: ["low", "medium", "high", "xhigh"], refuses: ["verbosity"] }],
  ["openai", "gpt-5.1", { efforts: ["none", "low", "medium", "high"] }],
  ["openai", "gpt-5.2-2025-12-11", { efforts: ["none", "low", "medium", "high", "xhigh"] }],
  ["openai", "gpt-5.2-pro", { efforts: ["medium", "high", "xhigh"] }],
  [
    "openai",
    "gpt-5.6-terra",
    { efforts: ["none", "low", "medium", "high", "xhigh", "max"], sampling: false },
  ],
  ["openai", "o1-mini", { thinking: "none", systemRole: "user" }],
  ["openai", "o4-mini", { maxTokensField: "max_completion_tokens", sampling: false, stop: false }],
  ["openai-compatible", "qwen3:8b", { refuses: ["verbosity", "prompt_cache_key"], mediaUrls: [] }],
  ["openai-compatible", "openai/gpt-5.2", { maxTokensField: "max_completion_tokens", refuses: [] }],
  [
    "openai-compatible",
    "openai/gpt-oss-120b",
    { maxTokensField: "max_tokens", refuses: ["verbosity", "prompt_cache_key"] },
  ],
  ["openai-compatible", "deepseek-chat", { structuredOutput: "json", reasoningReplay: true }],
  ["openai-compatible", "kimi-k2-thinking", { reasoningReplay: true }],
  ["openai-compatible", "moonshotai/Kimi-K2.5", { reasoningReplay: true, sampling: false }],
  ["openai-compatible", "kimi-for-coding", { reasoningReplay: true, sampling: false }],
  ["openai-compatible", "mistral-small-latest", { callIdLength: 9, efforts: ["none", "high"] }],
  ["openai-compatible", "mistral-medium-3.5", { callIdLength: 9, efforts: ["none", "high"] }],
  [
    "openai-compatible",
    "devstral-2512",
    { refuses: ["user", "seed", "verbosity", "prompt_cache_key"], callIdLength: 9, thinking: "none" },
  ],
  ["openai-compatible", "grok-4.6", { stop: false, efforts: ["low", "medium", "high", "xhigh"] }],
  ["openai-compatible", "grok-4.3", { stop: false, efforts: ["low", "medium", "high"] }],
  ["openai-compatible", "grok-3-mini", { stop: false, efforts: ["low", "high"] }],
  ["openai-compatible", "x-ai/grok-4-fast", { stop: false, thinking: "none" }],
  [
    "openai-compatible",
    "grok-4.20-0309-non-reasoning",
    { refuses: ["penalties", "verbosity", "prompt_cache_key"], thinking: "none" },
  ],
  ["anthropic", "claude-3-haiku-20240307", { thinking: "none", structuredOutput: "tool" }],
  ["anthropic", "claude-3-5-sonnet-latest", { thinking: "none", structuredOutput: "tool" }],
  ["anthropic", "claude-3-7-sonnet-20250219", { thinking: "budget", structuredOutput: "tool" }],
  ["anthropic", "claude-opus-4-20250514", { thinking: "budget", structuredOutput: "tool" }],
  ["anthropic", "claude-opus-4-1-20250805", { thinking: "budget", structuredOutput: "tool" }],
  [
    "anthropic",
    "us.anthropic.claude-sonnet-4-20250514-v1:0",
    { thinking: "budget", structuredOutput: "tool" },
  ],
  ["anthropic", "claude-sonnet-4-5", { thinking: "budget" }],
  ["anthropic", "claude-haiku-4-5-20251001", { thinking: "budget" }],
  ["anthropic", "claude-sonnet-4-6", { thinking: "adaptive", efforts: ["low", "medium", "high", "max"] }],
  ["anthropic", "claude-opus-4-8", { thinking: "adaptive", sampling: false, prefill: "refuse" }],
  ["anthropic", "claude-sonnet-5", { thinking: "adaptive", sampling: false, prefill: "refuse" }],
  ["anthropic", "claude-opus-5-5", { thinkingOff: false, forcedTools: false }],
  ["anthropic", "claude-mythos-preview", { thinkingOff: false, efforts: ["low", "medium", "high", "max"] }],
  ["anthropic", "claude-fable-5", { thinkingOff: false }],
  ["anthropic", "claude-opus-7", { thinking: "adaptive" }],
  ["gemini", "gemini-2.0-flash", { thinking: "none", schemas: "subset", mediaUrls: ["video"] }],
  ["gemini", "gemini-2.5-pro", { thinking: "budget", maxBudget: 32_768, thinkingOff: false }],
  ["gemini", "gemini-2.5-flash", { thinking: "budget", maxBudget: 24_576 }],
  ["gemini", "gemini-2.5-flash-image", { thinking: "none" }],
  ["gemini", "gemini-3-pro-preview", { thinking: "level", efforts: ["low", "high"] }],
  ["gemini", "gemini-3.1-pro-preview", { thinking: "level", efforts: ["low", "medium", "high"] }],
  ["gemini", "gemini-3.8-flash", { thinking: "level", efforts: ["minimal", "low", "medium", "high"] }],
  ["gemini", "models/gemini-flash-latest", { thinking: "level" }],
];

describe("presets", () => {
  it("say of each generation of models how it wants to be asked", () => {
    for (const [kind, model, quirks] of SAYS) {
      expect(presetQuirks(kind, model), `${kind} ${model}`).toMatchObject(quirks);
    }
  });

  it("leave what is the protocol's ordinary way unsaid", () => {
    expect(presetQuirks("anthropic", "claude-sonnet-4-5-20250929")).toEqual({ thinking: "budget" });
    expect(presetQuirks("anthropic", "claude-opus-5-5")).not.toHaveProperty("structuredOutput");
  });

  it("have no row that another one hides", () => {
    const tables = [
      ["openai", OPENAI_MODELS],
      ["anthropic", ANTHROPIC_MODELS],
      ["gemini", GEMINI_MODELS],
    ] as const;
    for (const [kind, rows] of tables) {
      const models = SAYS.filter(([of]) => of === kind || of === "openai-compatible").map(
        ([, model]) => model,
      );
      const used = new Set(models.map((model) => rows.find(({ name }) => name.test(model))));
      // Every row is the first for some model above.
      expect(
        rows.filter((row) => !used.has(row)).map(({ name }) => name.source),
        kind,
      ).toEqual([]);
    }
  });

  it("know nothing of names they have not heard of, nor of kinds that need nothing", () => {
    expect(presetQuirks("anthropic", "minimax-m2")).toEqual({});
    expect(presetQuirks("openai", "my-gpt-5-clone")).toEqual({});
    for (const kind of ["gateway", "sandbox", "rerank", "ark"] satisfies (typeof KIND_NAMES)[number][]) {
      expect(presetQuirks(kind, "gpt-5"), kind).toEqual({});
    }
  });

  it("know vendors who serve models of others by where they are", () => {
    const at = (baseUrl: string, kind = "openai-compatible") =>
      presetQuirks(kind, "qwen/qwen3.6-27b", { preset: null, baseUrl });
    expect(at("https://openrouter.ai/api/v1")).toMatchObject({
      reasoningField: "reasoning",
      reasoningReplay: "kept",
    });
    expect(at("https://api.groq.com/openai/v1", "openai")).toEqual({
      reasoningField: "reasoning",
      reasoningReplay: false,
    });
    expect(at("https://api.cerebras.ai/v1")).toMatchObject({ reasoningReplay: false });
    expect(at("http://gpu-box:11434/v1")).toMatchObject({ reasoningField: "reasoning" });
    for (const other of [
      "https://openrouter.ai.example/v1",
      "http://127.0.0.1:1143/v1",
      "https://x/api.groq.com",
    ])
      expect(at(other), other).not.toHaveProperty("reasoningField");
    expect(at("https://openrouter.ai/api", "anthropic")).toEqual({});
  });

  it("give way to what the catalog says, quirk by quirk", () => {
    const candidate = { upstream: { kind: "anthropic" }, model: "claude-opus-5" } as unknown as Candidate;
    expect(quirksOf(candidate, { sampling: true, stop: false })).toEqual({
      thinking: "adaptive",
      prefill: "refuse",
      sampling: true,
      stop: false,
    });
  });
});
