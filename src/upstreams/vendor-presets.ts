import type { Quirks } from "../conversation/lower/quirks.ts";
import type { ProtocolName } from "../conversation/protocol-name.ts";

/** A vendor or server with OpenAI's interface: what an upstream of kind openai-compatible need not configure. */
export interface VendorPreset {
  /** For a self-hosted server, its default address. */
  readonly baseUrl: string;
  /** The vendor's other hosts, or a default port (":11434") that no other server uses. */
  readonly alsoAt?: readonly string[];
  /**
   * The endpoints that its documentation describes. The responses endpoint is left out if the vendor can't store or continue
   * responses: a forwarded request that asks for it would fail, and a translated one works.
   */
  readonly protocols: readonly ProtocolName[];
  readonly needsKey: boolean;
  /** Quirks of all of its models; `model-quirks.ts` has those of single models. */
  readonly quirks?: Quirks;
  /** Its name in the bundled price list; absent = the list does not have it. */
  readonly listedAs?: string;
  /** The page where customers create API keys. */
  readonly keysUrl?: string;
  /** The documentation of its address and endpoints. */
  readonly source: string;
}

const CHAT = ["chat-completions"] as const;
const EMBEDS = ["chat-completions", "embeddings"] as const;

/** Sends reasoning as `reasoning`, and rejects or ignores `reasoning_content` in requests. */
const REASONING: Quirks = { reasoningField: "reasoning" };

// A vendor of which only some models take reasoning back has no quirk for that here.
const PRESETS = {
  baseten: {
    baseUrl: "https://inference.baseten.co/v1",
    protocols: CHAT,
    needsKey: true,
    keysUrl: "https://app.baseten.co/settings/api_keys",
    source: "https://docs.baseten.co/quickstart",
  },
  cerebras: {
    baseUrl: "https://api.cerebras.ai/v1",
    protocols: CHAT,
    needsKey: true,
    // https://github.com/NousResearch/hermes-agent/issues/45655
    quirks: { ...REASONING, reasoningReplay: false },
    listedAs: "cerebras",
    keysUrl: "https://cloud.cerebras.ai",
    source: "https://inference-docs.cerebras.ai/resources/openai",
  },
  cohere: {
    baseUrl: "https://api.cohere.ai/compatibility/v1",
    alsoAt: ["api.cohere.com"],
    protocols: EMBEDS,
    needsKey: true,
    listedAs: "cohere",
    keysUrl: "https://dashboard.cohere.com/api-keys",
    source: "https://docs.cohere.com/docs/compatibility-api",
  },
  deepinfra: {
    baseUrl: "https://api.deepinfra.com/v1/openai",
    protocols: EMBEDS,
    needsKey: true,
    keysUrl: "https://deepinfra.com/dash/api_keys",
    source: "https://deepinfra.com/docs/advanced/openai_api",
  },
  deepseek: {
    baseUrl: "https://api.deepseek.com",
    protocols: CHAT,
    needsKey: true,
    listedAs: "deepseek",
    keysUrl: "https://platform.deepseek.com/api_keys",
    source: "https://api-docs.deepseek.com/",
  },
  fireworks: {
    baseUrl: "https://api.fireworks.ai/inference/v1",
    protocols: ["chat-completions", "responses", "embeddings"],
    needsKey: true,
    listedAs: "fireworks",
    keysUrl: "https://app.fireworks.ai/settings/users/api-keys",
    source: "https://docs.fireworks.ai/tools-sdks/openai-compatibility",
  },
  "github-models": {
    baseUrl: "https://models.github.ai/inference",
    protocols: EMBEDS,
    needsKey: true,
    source: "https://docs.github.com/en/rest/models/inference",
  },
  glm: {
    baseUrl: "https://api.z.ai/api/paas/v4",
    alsoAt: ["open.bigmodel.cn"],
    protocols: CHAT,
    needsKey: true,
    listedAs: "zai",
    keysUrl: "https://z.ai/manage-apikey/apikey-list",
    source: "https://docs.z.ai/guides/overview/quick-start",
  },
  groq: {
    baseUrl: "https://api.groq.com/openai/v1",
    protocols: CHAT,
    needsKey: true,
    // https://github.com/janhq/jan/issues/8136, https://github.com/vercel/ai/pull/8057
    quirks: { ...REASONING, reasoningReplay: false },
    listedAs: "groq",
    keysUrl: "https://console.groq.com/keys",
    source: "https://console.groq.com/docs/openai",
  },
  huggingface: {
    baseUrl: "https://router.huggingface.co/v1",
    protocols: CHAT,
    needsKey: true,
    keysUrl: "https://huggingface.co/settings/tokens",
    source: "https://huggingface.co/docs/inference-providers/index",
  },
  hunyuan: {
    baseUrl: "https://api.hunyuan.cloud.tencent.com/v1",
    protocols: CHAT,
    needsKey: true,
    source: "https://cloud.tencent.com/document/product/1729/111007",
  },
  hyperbolic: {
    baseUrl: "https://api.hyperbolic.xyz/v1",
    protocols: CHAT,
    needsKey: true,
    keysUrl: "https://app.hyperbolic.ai",
    source: "https://docs.hyperbolic.xyz",
  },
  kimi: {
    baseUrl: "https://api.moonshot.ai/v1",
    alsoAt: ["api.moonshot.cn"],
    protocols: CHAT,
    needsKey: true,
    listedAs: "moonshotai",
    keysUrl: "https://platform.moonshot.ai/console/api-keys",
    source: "https://platform.moonshot.ai/docs/api/chat",
  },
  "llama-cpp": {
    baseUrl: "http://localhost:8080/v1",
    protocols: EMBEDS,
    needsKey: false,
    source: "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
  },
  "lm-studio": {
    baseUrl: "http://localhost:1234/v1",
    protocols: ["chat-completions", "responses", "embeddings"],
    needsKey: false,
    source: "https://lmstudio.ai/docs/developer/openai-compat",
  },
  minimax: {
    baseUrl: "https://api.minimax.io/v1",
    alsoAt: ["api.minimaxi.com"],
    protocols: CHAT,
    needsKey: true,
    listedAs: "minimax",
    keysUrl: "https://platform.minimax.io/user-center/basic-information/interface-key",
    source: "https://platform.minimax.io/docs/api-reference/text-openai-api",
  },
  mistral: {
    baseUrl: "https://api.mistral.ai/v1",
    protocols: EMBEDS,
    needsKey: true,
    listedAs: "mistral",
    keysUrl: "https://console.mistral.ai/api-keys",
    source: "https://docs.mistral.ai/api/endpoint/chat",
  },
  nebius: {
    baseUrl: "https://api.tokenfactory.nebius.com/v1",
    protocols: EMBEDS,
    needsKey: true,
    source: "https://docs.tokenfactory.nebius.com/api-reference/introduction",
  },
  novita: {
    baseUrl: "https://api.novita.ai/openai/v1",
    protocols: EMBEDS,
    needsKey: true,
    listedAs: "novita",
    keysUrl: "https://novita.ai/settings/key-management",
    source: "https://novita.ai/docs/guides/llm-api",
  },
  nvidia: {
    baseUrl: "https://integrate.api.nvidia.com/v1",
    protocols: EMBEDS,
    needsKey: true,
    keysUrl: "https://build.nvidia.com/settings",
    source: "https://docs.api.nvidia.com/nim/reference/llm-apis",
  },
  ollama: {
    baseUrl: "http://localhost:11434/v1",
    alsoAt: ["ollama.com", ":11434"],
    protocols: EMBEDS,
    needsKey: false,
    // https://github.com/ollama/ollama/blob/main/openai/openai.go
    quirks: REASONING,
    source: "https://docs.ollama.com/api/openai-compatibility",
  },
  openrouter: {
    baseUrl: "https://openrouter.ai/api/v1",
    protocols: EMBEDS,
    needsKey: true,
    // https://openrouter.ai/docs/use-cases/reasoning-tokens
    quirks: REASONING,
    listedAs: "openrouter",
    keysUrl: "https://openrouter.ai/settings/keys",
    source: "https://openrouter.ai/docs/quickstart",
  },
  perplexity: {
    baseUrl: "https://api.perplexity.ai",
    protocols: CHAT,
    needsKey: true,
    listedAs: "perplexity",
    keysUrl: "https://www.perplexity.ai/settings/api",
    source: "https://docs.perplexity.ai/api-reference",
  },
  qwen: {
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    alsoAt: ["dashscope.aliyuncs.com"],
    protocols: EMBEDS,
    needsKey: true,
    keysUrl: "https://www.alibabacloud.com/help/en/model-studio/get-api-key",
    source: "https://www.alibabacloud.com/help/en/model-studio/embedding-interfaces-compatible-with-openai",
  },
  sambanova: {
    baseUrl: "https://api.sambanova.ai/v1",
    protocols: EMBEDS,
    needsKey: true,
    keysUrl: "https://cloud.sambanova.ai",
    source: "https://docs.sambanova.ai/docs/en/features/openai-compatibility",
  },
  sglang: {
    baseUrl: "http://localhost:30000/v1",
    protocols: EMBEDS,
    needsKey: false,
    source: "https://docs.sglang.io/docs/basic_usage/openai_api_embeddings",
  },
  siliconflow: {
    baseUrl: "https://api.siliconflow.com/v1",
    alsoAt: ["api.siliconflow.cn"],
    protocols: EMBEDS,
    needsKey: true,
    keysUrl: "https://cloud.siliconflow.com/account/ak",
    source: "https://docs.siliconflow.cn/docs/userguide/quickstart",
  },
  stepfun: {
    baseUrl: "https://api.stepfun.ai/v1",
    alsoAt: ["api.stepfun.com"],
    protocols: CHAT,
    needsKey: true,
    source: "https://platform.stepfun.ai/docs/en/overview/quickstart",
  },
  together: {
    baseUrl: "https://api.together.ai/v1",
    alsoAt: ["api.together.xyz"],
    protocols: EMBEDS,
    needsKey: true,
    listedAs: "together",
    keysUrl: "https://api.together.ai/settings/api-keys",
    source: "https://docs.together.ai/docs/inference/openai-compatibility",
  },
  vllm: {
    baseUrl: "http://localhost:8000/v1",
    protocols: EMBEDS,
    needsKey: false,
    // Since January 2026: https://github.com/vllm-project/vllm/issues/27755, https://github.com/vllm-project/vllm/issues/38488
    quirks: REASONING,
    source: "https://docs.vllm.ai/en/stable/serving/openai_compatible_server/",
  },
  volcengine: {
    baseUrl: "https://ark.cn-beijing.volces.com/api/v3",
    protocols: EMBEDS,
    needsKey: true,
    keysUrl: "https://console.volcengine.com/ark/region:ark+cn-beijing/apiKey",
    source: "https://www.volcengine.com/docs/82379/1355331",
  },
  xai: {
    baseUrl: "https://api.x.ai/v1",
    protocols: ["chat-completions", "responses"],
    needsKey: true,
    listedAs: "x-ai",
    keysUrl: "https://console.x.ai",
    source: "https://docs.x.ai/developers/model-capabilities/text/comparison",
  },
} as const satisfies Record<string, VendorPreset>;

type PresetName = keyof typeof PRESETS;

/** Every preset's name, for the catalog file's schema. */
export const PRESET_NAMES = Object.keys(PRESETS) as [PresetName, ...PresetName[]];

/** The preset of this name; undefined = there is none, or no name is given. */
export function presetOf(name: string | null | undefined): VendorPreset | undefined {
  return name != null && Object.hasOwn(PRESETS, name) ? PRESETS[name as PresetName] : undefined;
}

/** The preset that an upstream names, otherwise the one with its address. */
export function vendorPresetOf({
  preset,
  baseUrl,
}: {
  readonly preset: string | null;
  readonly baseUrl: string;
}): VendorPreset | undefined {
  if (preset !== null) return presetOf(preset);
  if (!URL.canParse(baseUrl)) return undefined;
  const { hostname, port } = new URL(baseUrl);
  return BY_ADDRESS.get(hostname) ?? BY_ADDRESS.get(`:${port}`);
}

/** The name of an upstream's vendor in the bundled price list; undefined = no preset has one. */
export function listedVendorOf(upstream: {
  readonly preset: string | null;
  readonly baseUrl: string;
}): string | undefined {
  return vendorPresetOf(upstream)?.listedAs;
}

/** Presets by host or port. `localhost` is left out, because any server may listen there. */
const BY_ADDRESS: ReadonlyMap<string, VendorPreset> = new Map(
  Object.values<VendorPreset>(PRESETS).flatMap((preset) =>
    [new URL(preset.baseUrl).hostname, ...(preset.alsoAt ?? [])]
      .filter((address) => address !== "localhost")
      .map((address) => [address, preset] as const),
  ),
);
