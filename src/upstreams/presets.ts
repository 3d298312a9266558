import type { Upstream } from "../catalog/catalog.ts";
import { type Quirks, readQuirks } from "../conversation/lower/quirks.ts";
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
} from "./preset-models.ts";
import { vendorPresetOf } from "./vendor-presets.ts";

/** What the catalog need not say of a kind of upstream. */
interface Presets {
  /** Of every model there. */
  readonly quirks: Quirks;
  /** Of models by the vendor's name, beside that: the first row that matches counts. */
  readonly models: readonly NamedQuirks[];
}

/**
 * How a request must be translated for this candidate: what is known of its kind, then of the vendor's
 * model and of the vendor, then what the catalog says of ours, which always has the last word.
 */
export function quirksOf(candidate: Candidate, stated: Readonly<Record<string, unknown>>): Quirks {
  // Candidates are made once for a model and a state of the catalog, and every request asks.
  let quirks = known.get(candidate);
  if (quirks === undefined) {
    const { upstream, model } = candidate;
    quirks = { ...presetQuirks(upstream.kind, model, upstream), ...readQuirks(stated) };
    known.set(candidate, quirks);
  }
  return quirks;
}

const known = new WeakMap<Candidate, Quirks>();

/** Of a vendor's model at a kind of upstream, where nobody says more. `at` tells vendors who serve models of others. */
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

/** Kinds without a row have none: `gateway` translates for itself, `sandbox` takes everything. */
const PRESETS: ReadonlyMap<string, Presets> = new Map<string, Presets>([
  ["openai", { quirks: {}, models: OPENAI_MODELS }],
  [
    "openai-compatible",
    {
      // Servers of one's own mostly cannot, or may not, fetch from the Internet.
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
  [
    "gemini",
    {
      // https://ai.google.dev/gemini-api/docs/file-input-methods: links are taken since January 2026, of some
      // types, by some models. Videos stay links: they are too large to inline, and may be a video site's.
      quirks: { mediaUrls: ["video"] },
      models: GEMINI_MODELS,
    },
  ],
]);
