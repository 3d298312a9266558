import { BILLED_UNITS, type TokenBucket } from "../usage/usage.ts";

/** Our buckets as exports part them: none bills reasoning apart from output. */
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

/** What the gateway knows of the names in an export. */
export interface KnownNames {
  /** A line item in words is matched to them. */
  readonly models: readonly string[];
  /** Tools that have a price. */
  readonly tools: readonly string[];
}

/** What an upstream calls a model of ours. */
export type NameAt = (upstream: string, model: string) => string;

/** What our tools and the vendors' line items are called, first match first. */
const TOOL_WORDS: readonly (readonly [RegExp, string])[] = [
  [/file.?search/, "file_search"],
  [/search|grounding/, "web_search"],
  [/code|container/, "code_execution"],
];

/** Buckets of every catalog. A tool with a price is one too. */
export const KNOWN_BUCKETS: readonly string[] = [
  ...new Set([
    ...Object.values(BUCKET_NAMES),
    ...TOOL_WORDS.map(([, name]) => name),
    ...BILLED_UNITS,
    "request",
  ]),
];

/** The bucket that an export calls by its name; `tools` are those with a price. Undefined = there is none. */
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

/** The bucket that a line item's words mean; undefined = they mean none. */
export function bucketOfWords(words: string): string | undefined {
  const text = words.toLowerCase();
  const side = SIDE_WORDS.find(([form]) => form.test(text))?.[1];
  if (side === undefined) return TOOL_WORDS.find(([form]) => form.test(text))?.[1];
  const medium = /audio|image|video/.exec(text)?.[0];
  return medium === undefined ? side : `${medium}_${side}`;
}

/** A tool of a charge as exports call it. */
export function toolBucket(name: string): string {
  return TOOL_WORDS.find(([form]) => form.test(name.toLowerCase()))?.[1] ?? name;
}

const VERSION = /[-@](?:20\d{2}-?\d{2}-?\d{2}|latest|\d{3})$/;

/** A model without its date or version: exports name the dated model that an undated request was served with. */
export function modelName(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*models\//, "")
    .replace(VERSION, "");
}

/** Words that make another model of a name: without them in the name, a text with them means another model. */
const VARIANTS = new Set(["lite", "mini", "nano", "pro", "image", "live", "tts"]);

/** Which of our models a vendor's free text means: the one of whose words all are in it, the longest first. */
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
