import type { Quirks } from "../conversation/lower/quirks.ts";

export interface NamedQuirks {
  readonly name: RegExp;
  readonly quirks: Quirks;
}

// Resellers put a path or a region in front of a name: `openai/gpt-5.2`, `us.anthropic.claude-...`.

/**
 * OpenAI's hints that other vendors reject with 400, like any field that they do not know (Groq, Cerebras, NVIDIA:
 * https://github.com/zed-industries/zed/issues/36215, https://github.com/CherryHQ/cherry-studio/issues/11435).
 */
export const OPENAI_HINTS: NonNullable<Quirks["refuses"]> = ["verbosity", "prompt_cache_key"];

/** Rejects any verbosity except medium. */
const WORDED: Quirks = { refuses: ["verbosity"] };

/** Reject max_tokens, sampling parameters and stop sequences, whatever the effort. */
const REASONS: Quirks = {
  ...WORDED,
  thinking: "effort",
  maxTokensField: "max_completion_tokens",
  sampling: false,
  stop: false,
};

/** Accepts every verbosity. */
const VERBOSE: Quirks = { ...REASONS, refuses: [] };

/**
 * https://developers.openai.com/api/docs/guides/reasoning; efforts by model as measured in
 * https://community.openai.com/t/1371738, `max` since gpt-5.6.
 */
export const OPENAI_MODELS: readonly NamedQuirks[] = [
  row("gpt-oss", { thinking: "effort", efforts: ["low", "medium", "high"] }),
  row("gpt-(3\\.5|4(-turbo|-32k|-\\d{4}|$))", { ...WORDED, thinking: "none", structuredOutput: "json" }),
  row("(chat)?gpt-4", { ...WORDED, thinking: "none" }),
  row("gpt-5[.\\d]*-(chat|search)", { ...WORDED, thinking: "none", maxTokensField: "max_completion_tokens" }),
  row("gpt-5-pro", { ...REASONS, efforts: ["high"] }),
  row("gpt-5\\.\\d+-pro", { ...REASONS, efforts: ["medium", "high", "xhigh"] }),
  row("gpt-5(\\.1)?-codex(-mini|$)", { ...REASONS, efforts: ["low", "medium", "high"] }),
  row("gpt-5\\.\\d+-codex", { ...REASONS, efforts: ["low", "medium", "high", "xhigh"] }),
  row("gpt-5(-|$)", { ...VERBOSE, efforts: ["minimal", "low", "medium", "high"] }),
  row("gpt-5\\.1(-|$)", { ...VERBOSE, efforts: ["none", "low", "medium", "high"] }),
  row("gpt-5\\.[2-5](-|$)", { ...VERBOSE, efforts: ["none", "low", "medium", "high", "xhigh"] }),
  row("gpt-[5-9]", { ...VERBOSE, efforts: ["none", "low", "medium", "high", "xhigh", "max"] }),
  row("o1-(mini|preview)", { ...REASONS, thinking: "none", systemRole: "user" }),
  row("o\\d", { ...REASONS, efforts: ["low", "medium", "high"] }),
];

/** https://api-docs.deepseek.com/guides/thinking_mode: reasoning must be sent back (otherwise 400); JSON output takes no schema. */
export const DEEPSEEK_MODELS: readonly NamedQuirks[] = [
  row("deepseek", { structuredOutput: "json", reasoningReplay: true }),
];

/**
 * https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model: reasoning must be sent back with
 * calls (otherwise 400). Since 2.5 so it does for any sampling but its own, and for `n`.
 */
export const KIMI_MODELS: readonly NamedQuirks[] = [
  row("[Kk]imi-([Kk]2(-|$)|latest)", { reasoningReplay: true }),
  row("[Kk]imi-", { reasoningReplay: true, sampling: false, manyAnswers: false }),
];

/**
 * Think between calls, and think worse without what they thought before; MiMo answers 400.
 * MiMo: https://platform.xiaomimimo.com/docs/en-US/usage-guide/passing-back-reasoning_content
 * GLM: https://docs.z.ai/guides/capabilities/thinking-mode
 * MiniMax: https://platform.minimax.io/docs/guides/text-m2-function-call
 * Qwen: https://huggingface.co/blog/qwen-3-chat-template-deep-dive, and the cards of 3.5 and 3.6
 * Step: https://openrouter.ai/stepfun/step-3.5-flash/api
 */
export const INTERLEAVED_MODELS: readonly NamedQuirks[] = [
  row("[Mm]i[Mm]o-[Vv]\\d", { reasoningReplay: true }),
  row("[Gg][Ll][Mm]-(4\\.[6-9]|[5-9])", { reasoningReplay: "kept" }),
  row("[Mm]ini[Mm]ax-[Mm][2-9]", { reasoningReplay: "kept" }),
  row("[Qq]wen3(\\.[5-9]|(\\.\\d)?-.*[Tt]hinking)", { reasoningReplay: "kept" }),
  row("[Ss]tep-3\\.[5-9]", { reasoningReplay: "kept" }),
];

/** Refuses fields that it does not know, and ids of calls but those of its own form. */
const MISTRAL: Quirks = { refuses: ["user", "seed", ...OPENAI_HINTS], callIdLength: 9 };

/** https://docs.mistral.ai/api/endpoint/chat; efforts by model as measured in https://github.com/anomalyco/models.dev/pull/1986. */
export const MISTRAL_MODELS: readonly NamedQuirks[] = [
  row("(mistral-small-(latest|26)|mistral-medium-(26|3[.-]5)|magistral)", {
    ...MISTRAL,
    thinking: "effort",
    efforts: ["none", "high"],
  }),
  row("((open-)?mi[sx]tral|ministral|codestral|devstral|pixtral|voxtral)-", { ...MISTRAL, thinking: "none" }),
];

/** Refuse penalties, even of 0; those that think refuse stop sequences too. */
const GROK: Quirks = { refuses: ["penalties", ...OPENAI_HINTS], stop: false };

/** https://docs.x.ai/developers/model-capabilities/text/reasoning: any effort is a 400 where a model knows none. */
export const GROK_MODELS: readonly NamedQuirks[] = [
  row("grok-(2|.*non-reasoning)", { thinking: "none", refuses: ["penalties", ...OPENAI_HINTS] }),
  row("grok-3-mini", { ...GROK, thinking: "effort", efforts: ["low", "high"] }),
  row("grok-4\\.[35]", { ...GROK, thinking: "effort", efforts: ["low", "medium", "high"] }),
  row("grok-(4\\.[6-9]|[5-9])", { ...GROK, thinking: "effort", efforts: ["low", "medium", "high", "xhigh"] }),
  row("grok-", { ...GROK, thinking: "none" }),
];

/** Models that take only an effort; they refuse sampling and a trailing assistant turn. */
const ADAPTIVE: Quirks = { thinking: "adaptive", sampling: false, prefill: "refuse" };

/**
 * https://platform.claude.com/docs/en/build-with-claude/effort, .../structured-outputs and the migration
 * guide of each model. The last row is for those to come: each generation has kept what 4.7 began.
 */
export const ANTHROPIC_MODELS: readonly NamedQuirks[] = [
  row("claude-(instant|v?2|3-(opus|sonnet|haiku|5))", { thinking: "none", structuredOutput: "tool" }),
  row("claude-(3-7|(opus|sonnet)-4(-[01])?(-\\d{8}|-latest|@|:|$))", {
    thinking: "budget",
    structuredOutput: "tool",
  }),
  row("claude-[a-z]+-4-5", { thinking: "budget" }),
  row("claude-[a-z]+-4-6", {
    thinking: "adaptive",
    efforts: ["low", "medium", "high", "max"],
    prefill: "refuse",
  }),
  row("claude-mythos-preview", {
    ...ADAPTIVE,
    efforts: ["low", "medium", "high", "max"],
    thinkingOff: false,
  }),
  row("claude-((opus|sonnet)-5-5|(fable|mythos)-5-1)", {
    ...ADAPTIVE,
    thinkingOff: false,
    forcedTools: false,
  }),
  row("claude-(fable|mythos)", { ...ADAPTIVE, thinkingOff: false }),
  row("claude-", ADAPTIVE),
];

/**
 * https://ai.google.dev/gemini-api/docs/thinking: budgets with 2.5, levels since 3, where calls also need
 * a thought's signature (rule 37).
 */
export const GEMINI_MODELS: readonly NamedQuirks[] = [
  row("gemini-(1|2\\.0)", { thinking: "none", schemas: "subset" }),
  row("gemini-2\\.5-.*(image|tts|audio)", { thinking: "none" }),
  row("gemini-2\\.5-pro", { thinking: "budget", maxBudget: 32_768, thinkingOff: false }),
  row("gemini-2\\.5", { thinking: "budget", maxBudget: 24_576 }),
  row("gemini-3-pro", { thinking: "level", efforts: ["low", "high"] }),
  row("gemini-[\\d.]+-pro", { thinking: "level", efforts: ["low", "medium", "high"] }),
  row("gemini-(pro|flash|flash-lite)-latest", { thinking: "level", efforts: ["low", "high"] }),
  row("gemini-[3-9]", { thinking: "level", efforts: ["minimal", "low", "medium", "high"] }),
];

function row(name: string, quirks: Quirks): NamedQuirks {
  return { name: new RegExp(`(^|[/.])${name}`), quirks };
}
