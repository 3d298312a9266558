import { BILLED_UNITS, type TokenBucket } from "../usage/usage.ts";

/** Our buckets under the names that exports distinguish; no export bills reasoning apart from output. */
export const BUCKET_NAMES = {
  inputUncached: "input",
  cacheRead: "cache_read",
  cacheReadExplicit: "cache_read",
  cacheWrite5m: "cache_write",
  cacheWrite30m: "cache_write_30m",
  cacheWrite1h: "cache_write_1h",
  cacheWrite12h: "cache_write_12h",
  outputVisible: "output",
  outputReasoning: "output",
  audioInput: "audio_input",
  audioCacheRead: "audio_cache_read",
  audioOutput: "audio_output",
  imageInput: "image_input",
  imageCacheRead: "image_cache_read",
  imageOutput: "image_output",
  videoInput: "video_input",
  videoCacheRead: "video_cache_read",
  videoOutput: "video_output",
} as const satisfies Readonly<Record<TokenBucket, string>>;

/** Names known to the gateway, to which those in an export are matched. */
export interface KnownNames {
  /** Models to which line items in words are matched. */
  readonly models: readonly string[];
  /** Tools that have a price. */
  readonly tools: readonly string[];
}

/** Returns the upstream's name of one of our models. */
export type NameAt = (upstream: string, model: string) => string;

/** Our tools, by the words of the vendors' line items; the first match counts. */
const TOOL_WORDS: readonly (readonly [RegExp, string])[] = [
  [/file.?search/, "file_search"],
  [/search|grounding/, "web_search"],
  [/code|container/, "code_execution"],
];

/** Buckets of every catalog. Each tool with a price is one as well. */
export const KNOWN_BUCKETS: readonly string[] = [
  ...new Set([
    ...Object.values(BUCKET_NAMES),
    ...TOOL_WORDS.map(([, name]) => name),
    ...BILLED_UNITS,
    "request",
  ]),
];

/** Returns the bucket that an export calls by this name; `tools` are those with a price. Undefined = there is none. */
export function bucketNamed(text: string, tools: readonly string[]): string | undefined {
  const name = text.toLowerCase();
  if (KNOWN_BUCKETS.includes(name)) return name;
  return tools.some((tool) => tool.toLowerCase() === name) ? toolBucket(text) : undefined;
}

const SIDE_WORDS: readonly (readonly [RegExp, string])[] = [
  [/(?:cach\w*.*(?:writ|creat|storage)|writ\w*.*cach).*1.?h/, "cache_write_1h"],
  [/cach\w*.*(?:writ|creat)|writ\w*.*cach/, "cache_write"],
  [/cach/, "cache_read"],
  [/output|completion|candidate|response|thinking|reasoning/, "output"],
  [/input|prompt/, "input"],
];

/** Returns the bucket that a line item's words describe; undefined = none. */
export function bucketOfWords(words: string): string | undefined {
  const text = words.toLowerCase();
  const side = SIDE_WORDS.find(([form]) => form.test(text))?.[1];
  if (side === undefined) return TOOL_WORDS.find(([form]) => form.test(text))?.[1];
  const medium = /audio|image|video/.exec(text)?.[0];
  return medium === undefined ? side : `${medium}_${side}`;
}

/** Returns the name that exports use for a tool of a charge. */
export function toolBucket(name: string): string {
  return TOOL_WORDS.find(([form]) => form.test(name.toLowerCase()))?.[1] ?? name;
}

const VERSION = /[-@](?:20\d{2}-?\d{2}-?\d{2}|latest|\d{3})$/;

/** Removes date or version from a model's name: exports name the dated model that served an undated request. */
export function modelName(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*models\//, "")
    .replace(VERSION, "");
}

/** Words that distinguish models: a text with one of them does not mean a model without it. */
const VARIANTS = new Set(["lite", "mini", "nano", "pro", "image", "live", "tts"]);

/** Returns the model that a vendor's free text means: the longest of our names whose words are all in the text. */
export function modelInText(text: string, models: readonly string[]): string | undefined {
  const words = new Set(wordsOf(text));
  const fitting = models.filter((model) => {
    const own = wordsOf(model);
    return (
      own.every((word) => words.has(word)) &&
      [...VARIANTS].every((each) => !words.has(each) || own.includes(each))
    );
  });
  return fitting.sort((one, other) => wordsOf(other).length - wordsOf(one).length)[0];
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z]+|\d+(?:\.\d+)*/g) ?? [];
}
