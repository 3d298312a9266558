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
type QuirkName = InFile<keyof Quirks> | "translation" | "image_tokens";

const flag = z.boolean();

const fields = {
  system_role: z
    .enum(["system", "developer", "user"])
    .describe("Role of instructions in chat messages; user = the model takes none"),
  max_tokens_field: z
    .enum(["max_tokens", "max_completion_tokens"])
    .describe("Field of chat completions that limits the answer"),
  thinking: z
    .enum(["effort", "budget", "adaptive", "level", "none"])
    .describe("How the model is told to think; none = it cannot be told"),
  max_budget: whole(1024, 1_000_000).describe("Most tokens to think with, where it is told a budget"),
  thinking_off: flag.describe("false = the model always thinks"),
  efforts: unique(z.enum(["none", ...EFFORTS]))
    .min(1)
    .describe("Efforts that the model knows"),
  forced_tools: flag.describe("false = the model refuses to be made to call a tool"),
  structured_output: z
    .enum(["schema", "json", "tool"])
    .describe("How an answer's form is told: by its schema, only that it is JSON, or by a forced tool"),
  schemas: z.enum(["whole", "subset"]).describe("JSON Schema of tools: whole, or generateContent's subset"),
  media_urls: unique(z.enum(["image", "audio", "video", "document"])).describe(
    "Media that the upstream fetches itself; what is not listed is fetched here and sent inline",
  ),
  sampling: flag.describe("false = the model refuses temperature, top_p and penalties"),
  refuses: unique(z.enum(["user", "seed", "penalties", "verbosity", "prompt_cache_key"])).describe(
    "Hints that the model refuses; they are dropped",
  ),
  call_id_length: whole(6, 64).describe("Ids of calls are of exactly so many letters and digits"),
  stop: flag.describe("false = the model takes no stop sequences; the answer is cut here"),
  cache: z
    .enum(["auto", "off"])
    .describe("Whether messages upstreams cache the conversations of callers who mark nothing themselves"),
  cache_marks: flag.describe("true = chat completions takes cache_control on parts"),
  reasoning_replay: z
    .union([flag, z.literal("kept")])
    .describe(
      "true = chat completions takes back reasoning_content of earlier turns, and wants it in each; kept = where there is any",
    ),
  reasoning_field: z
    .enum(["reasoning", "reasoning_content"])
    .describe("Field of chat completions in which the upstream tells thoughts and takes them back"),
  think_tags: flag.describe("true = answers of chat completions begin with thoughts in <think> tags"),
  many_answers: flag.describe("false = one answer a request; for n > 1 several requests are sent"),
  prefill: z
    .enum(["continue", "refuse"])
    .describe("A conversation that ends with the assistant's words: continued, or refused"),
  input_media: unique(z.enum(["image", "audio", "video", "document"])).describe(
    "What the model reads beside text, as the model lists tell it",
  ),
  translation: flag.describe("false = only upstreams that speak the caller's own protocol"),
  image_tokens: whole(0, 1_000_000).describe(
    "Most tokens of one picture, where the default bound is too low",
  ),
} satisfies Readonly<Record<QuirkName, z.ZodType>>;

/** The quirks of a model. What is omitted is as the kind of upstream and the model's name there say. */
export const quirks = z.strictObject(fields).partial();
