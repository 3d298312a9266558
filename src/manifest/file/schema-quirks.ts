import { z } from "zod";
import type { Quirks } from "../../conversation/lower/quirks.ts";
import { EFFORTS } from "../../conversation/request.ts";
import { unique, whole } from "./schema-parts.ts";

/** `maxTokensField` is `max_tokens_field` in the file. */
type InFile<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${InFile<Rest>}`
    : `_${Lowercase<First>}${InFile<Rest>}`
  : "";

/** Every quirk that `readQuirks` knows, and those that are no matter of translation. */
type QuirkName = InFile<keyof Quirks> | "translation" | "image_tokens" | "searches";

const flag = z.boolean();

const fields = {
  system_role: z
    .enum(["system", "developer", "user"])
    .describe("Role of instructions in chat messages; user = no separate role"),
  max_tokens_field: z
    .enum(["max_tokens", "max_completion_tokens"])
    .describe("Field for the output limit in chat completions"),
  thinking: z
    .enum(["effort", "budget", "adaptive", "level", "none"])
    .describe("Parameter that configures thinking; none = not configurable"),
  max_budget: whole(1024, 1_000_000).describe("Maximum thinking budget in tokens"),
  thinking_off: flag.describe("false = thinking can't be turned off"),
  efforts: unique(z.enum(["none", ...EFFORTS]))
    .min(1)
    .describe("Supported efforts"),
  forced_tools: flag.describe("false = forced tool calls aren't supported"),
  structured_output: z
    .enum(["schema", "json", "tool"])
    .describe("Structured output through its own field, JSON mode, or a forced tool"),
  schemas: z.enum(["whole", "subset"]).describe("JSON Schema of tools: full, or generateContent's subset"),
  media_urls: unique(z.enum(["image", "audio", "video", "document"])).describe(
    "Media that the upstream fetches by URL; other media is sent inline",
  ),
  sampling: flag.describe("false = temperature, top_p and penalties aren't supported"),
  refuses: unique(z.enum(["user", "seed", "penalties", "verbosity", "prompt_cache_key"])).describe(
    "Unsupported hints, which are dropped",
  ),
  call_id_length: whole(6, 64).describe("Required length of tool call ids, in letters and digits"),
  stop: flag.describe("false = stop sequences aren't supported; the gateway cuts the response"),
  cache: z
    .enum(["auto", "off"])
    .describe("off = don't request prompt caching from a messages upstream when the caller hasn't"),
  cache_marks: flag.describe("true = cache_control is supported on parts in chat completions"),
  reasoning_replay: z
    .union([flag, z.literal("kept")])
    .describe(
      "true = reasoning of earlier turns is sent back in every turn of chat completions; kept = only where there is any",
    ),
  reasoning_field: z
    .enum(["reasoning", "reasoning_content"])
    .describe("Field for reasoning in chat completions"),
  think_tags: flag.describe("true = chat responses begin with reasoning in <think> tags"),
  many_answers: flag.describe("false = one choice per request; for n > 1 several requests are sent"),
  prefill: z
    .enum(["continue", "refuse"])
    .describe("Treatment of conversations that end with an assistant message: continued or refused"),
  input_media: unique(z.enum(["image", "audio", "video", "document"])).describe(
    "Input modalities besides text, for model lists",
  ),
  translation: flag.describe("false = only use upstreams that speak the caller's protocol"),
  image_tokens: whole(0, 1_000_000).describe("Maximum tokens per image, if the default bound is too low"),
  searches: flag.describe(
    "true = the model searches without being asked; the searches that it reports are charged",
  ),
} satisfies Readonly<Record<QuirkName, z.ZodType>>;

/** The quirks of a model. What is omitted is as the kind of upstream and the model's name there say. */
export const quirks = z.strictObject(fields).partial();
