/**
 * Scenarios: what a test or a developer asks the sandbox to do differently, written as
 * `[[sandbox: error=529 at=3]]` anywhere in the last user text, or set by the control endpoint.
 * The README has the table; every key is read here and nowhere else.
 */

export type UsageFault =
  | "omit"
  | "zero"
  | "negative"
  | "nan"
  | "infinite"
  | "huge"
  | "cached_over"
  | "fraction"
  | "string";

export interface Scenario {
  /** Answer with this HTTP status; with `at` > 0 in a stream, the protocol's own mid-stream error. */
  error?: number;
  at?: number;
  delayMs?: number;
  /** Stop sending after this many chunks and keep the socket open; 0 = before the headers. */
  stall?: number;
  /** Destroy the socket after this many chunks; 0 = before the headers. */
  cut?: number;
  cutBytes?: number;
  /** Cut with RST instead of FIN; alone: before the headers. */
  reset?: boolean;
  lost?: boolean;
  html?: boolean;
  flap?: number;
  times?: number;
  retryAfterSeconds?: number;
  usage?: UsageFault;
  empty?: boolean;
  text?: string;
  tokens?: number;
  floodMegabytes?: number;
  tools?: number;
  paceMs?: number;
  chunks?: number;
  /** Images, videos, assets: from the submit to the end. */
  takesMs?: number;
  /** Never comes to an end. */
  never?: boolean;
  /** Ends in failure for this reason. */
  fail?: string;
  /** Becomes a success this long after it has failed. */
  recoversMs?: number;
  /** Moderation refuses the submit, or what was made. */
  moderation?: "submit" | "result";
  /** The responses to the polls in turn, before the truth: see media/turns.ts. */
  polls?: string;
  /** The responses to the fetches of the result in turn, before the file. */
  files?: string;
  /** The seconds of a video whose duration is -1. */
  seconds?: number;
  /** The lifetime of the result's links, once it is there. */
  expiresSeconds?: number;
  /** `ark`: a finished videoa task in that vendor's own layout. */
  layout?: "ark";
  format?: "png" | "jpeg" | "webp";
  /** Copied into the journal, so that a test finds its own requests. */
  tag?: string;
}

const DIRECTIVE = /\[\[sandbox:((?:"(?:\\.|[^"\\])*"|[^"\]]|\](?!\]))*)\]\]/g;
const SETTING = /([a-z_]+)=("(?:\\.|[^"\\])*"|\S+)/g;

const USAGE_FAULTS: ReadonlySet<string> = new Set<UsageFault>([
  "omit",
  "zero",
  "negative",
  "nan",
  "infinite",
  "huge",
  "cached_over",
  "fraction",
  "string",
]);

/** Upper bounds keep a typing error in a test from taking the machine down. */
const MAX_TOKENS = 1_000_000;
const MAX_CHUNKS = 100_000;
const MAX_FLOOD_MEGABYTES = 4_096;
const MAX_WAIT_MS = 3_600_000;
const MAX_TOOLS = 32;
const MAX_VIDEO_SECONDS = 60;
/** A year. */
const MAX_EXPIRY_SECONDS = 31_536_000;

type Reader = (scenario: Scenario, value: string) => void;

function count(set: (scenario: Scenario, value: number) => void, max: number): Reader {
  return (scenario, text) => {
    const value = Number(text);
    if (Number.isFinite(value) && value >= 0) set(scenario, Math.min(Math.floor(value), max));
  };
}

function flag(set: (scenario: Scenario) => void): Reader {
  return (scenario, text) => {
    if (text !== "0" && text !== "false") set(scenario);
  };
}

function oneOf<T extends string>(words: readonly T[], set: (scenario: Scenario, word: T) => void): Reader {
  return (scenario, text) => {
    const word = words.find((known) => known === text);
    if (word !== undefined) set(scenario, word);
  };
}

const READERS: Readonly<Record<string, Reader>> = {
  error: count((s, v) => {
    if (v >= 400) s.error = v;
  }, 599),
  at: count((s, v) => {
    s.at = v;
  }, MAX_CHUNKS),
  delay: count((s, v) => {
    s.delayMs = v;
  }, MAX_WAIT_MS),
  stall: count((s, v) => {
    s.stall = v;
  }, MAX_CHUNKS),
  cut: count((s, v) => {
    s.cut = v;
  }, MAX_CHUNKS),
  cut_bytes: count((s, v) => {
    s.cutBytes = v;
  }, Number.MAX_SAFE_INTEGER),
  reset: flag((s) => {
    s.reset = true;
  }),
  lost: flag((s) => {
    s.lost = true;
  }),
  html: flag((s) => {
    s.html = true;
  }),
  flap: count((s, v) => {
    if (v > 0) s.flap = v;
  }, Number.MAX_SAFE_INTEGER),
  times: count((s, v) => {
    s.times = v;
  }, Number.MAX_SAFE_INTEGER),
  retry_after: count((s, v) => {
    s.retryAfterSeconds = v;
  }, MAX_WAIT_MS),
  usage: (s, v) => {
    if (USAGE_FAULTS.has(v)) s.usage = v as UsageFault;
  },
  empty: flag((s) => {
    s.empty = true;
  }),
  text: (s, v) => {
    s.text = v;
  },
  tokens: count((s, v) => {
    s.tokens = v;
  }, MAX_TOKENS),
  flood: count((s, v) => {
    if (v > 0) s.floodMegabytes = v;
  }, MAX_FLOOD_MEGABYTES),
  tools: count((s, v) => {
    s.tools = v;
  }, MAX_TOOLS),
  pace: count((s, v) => {
    s.paceMs = v;
  }, MAX_WAIT_MS),
  chunks: count((s, v) => {
    if (v > 0) s.chunks = v;
  }, MAX_CHUNKS),
  takes: count((s, v) => {
    s.takesMs = v;
  }, MAX_WAIT_MS),
  // Also "no", so that a task that was stuck can be told to go on.
  never: (s, v) => {
    s.never = v !== "0" && v !== "false";
  },
  fail: (s, v) => {
    s.fail = v;
  },
  recovers: count((s, v) => {
    s.recoversMs = v;
  }, MAX_WAIT_MS),
  moderation: oneOf(["submit", "result"], (s, v) => {
    s.moderation = v;
  }),
  polls: (s, v) => {
    s.polls = v;
  },
  files: (s, v) => {
    s.files = v;
  },
  seconds: count((s, v) => {
    if (v > 0) s.seconds = v;
  }, MAX_VIDEO_SECONDS),
  expires: count((s, v) => {
    s.expiresSeconds = v;
  }, MAX_EXPIRY_SECONDS),
  layout: oneOf(["ark"], (s, v) => {
    s.layout = v;
  }),
  format: oneOf(["png", "jpeg", "webp"], (s, v) => {
    s.format = v;
  }),
  tag: (s, v) => {
    s.tag = v;
  },
};

function unquote(value: string): string {
  if (!value.startsWith('"')) return value;
  return value
    .slice(1, -1)
    .replace(/\\(.)/gs, (_, escaped: string) => (escaped === "n" ? "\n" : escaped === "t" ? "\t" : escaped));
}

/** Reads settings written as `error=529 at=3 text="two words"`; unknown keys are ignored. */
export function parseSettings(text: string): Scenario {
  const scenario: Scenario = {};
  for (const [, key = "", value = ""] of text.matchAll(SETTING)) {
    if (Object.hasOwn(READERS, key)) READERS[key]?.(scenario, unquote(value));
  }
  return scenario;
}

/** Reads every directive of a text; later ones win key by key. */
export function parseDirectives(text: string): Scenario {
  // Nearly every request has none: one substring search, no pattern.
  if (!text.includes("[[sandbox:")) return {};
  const scenario: Scenario = {};
  for (const [, settings = ""] of text.matchAll(DIRECTIVE)) Object.assign(scenario, parseSettings(settings));
  return scenario;
}

/** The text without its directives. */
export function withoutDirectives(text: string): string {
  return text.includes("[[sandbox:") ? text.replaceAll(DIRECTIVE, " ").trim() : text;
}

/** The scenario without its faults: what remains once `times` is used up. */
export function withoutFaults(scenario: Scenario): Scenario {
  const { error, at, delayMs, stall, cut, cutBytes, reset, lost, html, flap, usage, empty, ...later } =
    scenario;
  const { never, fail, recoversMs, moderation, polls, files, ...rest } = later;
  return rest;
}
