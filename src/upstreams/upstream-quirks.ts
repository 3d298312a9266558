import type { Upstream } from "../catalog/catalog.ts";
import { type Quirks, readQuirks } from "../conversation/lower/quirks.ts";
import { CONVERSE_MODELS } from "./bedrock/converse-models.ts";
import type { Candidate } from "./call.ts";
import {
  ANTHROPIC_MODELS,
  DEEPSEEK_MODELS,
  GEMINI_MODELS,
  GROK_MODELS,
  INTERLEAVED_MODELS,
  KIMI_MODELS,
  MISTRAL_MODELS,
  type NamedQuirks,
  OPENAI_HINTS,
  OPENAI_MODELS,
} from "./model-quirks.ts";
import { vendorPresetOf } from "./vendor-presets.ts";

/** Quirks of a kind of upstream that the catalog need not repeat. */
interface Presets {
  /** Quirks of all of its models. */
  readonly quirks: Quirks;
  /** Additional quirks of models by the vendor's name; the first matching row applies. */
  readonly models: readonly NamedQuirks[];
}

/**
 * The quirks for translating a request to this candidate. Quirks of the kind come first, then those of the vendor's
 * model, then those of the vendor; the catalog's statements for the model override all of them.
 */
export function quirksOf(candidate: Candidate, stated: Readonly<Record<string, unknown>>): Quirks {
  // Cached, because every request asks: a candidate object lives as long as a state of the catalog.
  let quirks = known.get(candidate);
  if (quirks === undefined) {
    const { upstream, model } = candidate;
    quirks = { ...presetQuirks(upstream.kind, model, upstream), ...readQuirks(stated) };
    known.set(candidate, quirks);
  }
  return quirks;
}

const known = new WeakMap<Candidate, Quirks>();

/** Quirks of a vendor's model at a kind of upstream. `at` identifies vendors that serve models of other vendors. */
export function presetQuirks(
  kind: string,
  model: string,
  at: Pick<Upstream, "preset" | "baseUrl"> = { preset: null, baseUrl: "" },
): Quirks {
  const presets = PRESETS.get(kind);
  if (presets === undefined) return {};
  const vendor = kind.startsWith("openai") ? vendorPresetOf(at) : undefined;
  const known = presets.models.find(({ name }) => name.test(model));
  return { ...presets.quirks, ...known?.quirks, ...vendor?.quirks };
}

/** The parameters of models that Bedrock's Converse serves: `bedrock/converse-models.ts`. */
const CONVERSE_QUIRKS: readonly NamedQuirks[] = [
  {
    name: /amazon\.nova-2/,
    quirks: { thinking: "adaptive", efforts: ["low", "medium"], structuredOutput: "tool" },
  },
  { name: CONVERSE_MODELS, quirks: { thinking: "none", structuredOutput: "tool" } },
];

const BEDROCK_MODELS: readonly NamedQuirks[] = [
  ...CONVERSE_QUIRKS,
  ...ANTHROPIC_MODELS,
  ...OPENAI_MODELS,
  ...DEEPSEEK_MODELS,
  ...KIMI_MODELS,
  ...MISTRAL_MODELS,
];

/** Kinds without a row have no quirks: `gateway` translates by itself, and `sandbox` accepts everything. */
const PRESETS: ReadonlyMap<string, Presets> = new Map<string, Presets>([
  ["openai", { quirks: {}, models: OPENAI_MODELS }],
  [
    "openai-compatible",
    {
      // Most self-hosted servers can't or may not fetch from the Internet.
      quirks: { maxTokensField: "max_tokens", mediaUrls: [], refuses: OPENAI_HINTS },
      models: [
        ...OPENAI_MODELS,
        ...DEEPSEEK_MODELS,
        ...KIMI_MODELS,
        ...INTERLEAVED_MODELS,
        ...MISTRAL_MODELS,
        ...GROK_MODELS,
      ],
    },
  ],
  ["anthropic", { quirks: {}, models: ANTHROPIC_MODELS }],
  // Deployments are mostly called as their models are.
  ["azure", { quirks: {}, models: [...OPENAI_MODELS, ...ANTHROPIC_MODELS] }],
  // https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html: media as base64 alone.
  ["bedrock", { quirks: { mediaUrls: [], refuses: OPENAI_HINTS }, models: BEDROCK_MODELS }],
  ["bedrock-mantle", { quirks: { mediaUrls: [], refuses: OPENAI_HINTS }, models: BEDROCK_MODELS }],
  ["vertex", { quirks: { mediaUrls: ["video"] }, models: [...GEMINI_MODELS, ...ANTHROPIC_MODELS] }],
  [
    "gemini",
    {
      // https://ai.google.dev/gemini-api/docs/file-input-methods: links are taken since January 2026 for some
      // types by some models. Videos stay links: they are too large to inline, and may belong to a video site.
      quirks: { mediaUrls: ["video"] },
      models: GEMINI_MODELS,
    },
  ],
]);
