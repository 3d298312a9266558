import type { Recording } from "./recordings.ts";
import { PRICE } from "./world.ts";

/**
 * The usage for which a recorded response must be charged, computed from the vendors' documentation and written apart
 * from the product: every number that any usage object of the response states, by its path; the last one counts.
 */
export interface Buckets {
  readonly inputUncached: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly outputVisible: number;
  readonly outputReasoning: number;
}

/**
 * The counts of a response, as buckets, and if they are in doubt: a part was larger than its whole and left out, or
 * calls are not reported.
 */
export interface Stated {
  readonly buckets: Buckets;
  readonly doubted: boolean;
}

/** Undefined where the response states no usage at all. */
export function statedUsage(
  { protocol, body }: Recording,
  beside: readonly string[] = ["compaction"],
): Stated | undefined {
  const stated = new Map<string, number>();
  for (const message of messagesOf(body)) {
    for (const usage of usagesOf(message)) flatten(usage, "", stated);
  }
  if (stated.size === 0) return undefined;
  const first = (...paths: string[]): number => {
    const path = paths.find((each) => stated.has(each));
    return path === undefined ? 0 : (stated.get(path) ?? 0);
  };
  switch (protocol) {
    case "chat-completions": {
      const prompt = first("prompt_tokens");
      const output = stated.has("total_tokens") ? first("total_tokens") - prompt : first("completion_tokens");
      const reasoning = first("completion_tokens_details.reasoning_tokens");
      return inclusive(
        prompt,
        first(
          "prompt_tokens_details.cached_tokens",
          "prompt_cache_hit_tokens",
          "num_cached_tokens",
          "cached_tokens",
        ),
        first("prompt_tokens_details.cache_write_tokens"),
        output,
        reasoning,
      );
    }
    case "responses":
      return inclusive(
        first("input_tokens", "prompt_tokens"),
        first("input_tokens_details.cached_tokens"),
        first("input_tokens_details.cache_write_tokens"),
        first("output_tokens", "completion_tokens"),
        first("output_tokens_details.reasoning_tokens"),
      );
    case "messages": {
      const billed = (count: string): number =>
        beside.reduce((sum, type) => sum + ofIterations(stated, type, count), first(count));
      const long = billed("cache_creation.ephemeral_1h_input_tokens");
      const reasoning = first("output_tokens_details.thinking_tokens");
      return believed({
        inputUncached: billed("input_tokens"),
        cacheRead: billed("cache_read_input_tokens"),
        cacheWrite5m: billed("cache_creation_input_tokens") - long,
        cacheWrite1h: long,
        outputVisible: billed("output_tokens") - reasoning,
        outputReasoning: reasoning,
      });
    }
    case "generate-content": {
      const cached = first("cachedContentTokenCount");
      return believed({
        inputUncached: first("promptTokenCount") + first("toolUsePromptTokenCount") - cached,
        cacheRead: cached,
        cacheWrite5m: 0,
        cacheWrite1h: 0,
        outputVisible: first("candidatesTokenCount"),
        outputReasoning: first("thoughtsTokenCount"),
      });
    }
  }
}

/** The tokens of summaries of the conversation, which are billed beside the totals: `iterations` of type compaction. */
export function ofSummaries(stated: ReadonlyMap<string, number>, count: string): number {
  return ofIterations(stated, "compaction", count);
}

/** The billed usage. It includes the tokens of an advisor, which callers of other protocols are not told. */
export function billedUsage(recording: Recording): Stated | undefined {
  const stated = statedUsage(recording, ["compaction", "advisor_message"]);
  const isUntold = offersSearch(recording) && !/"(web_search_requests|server_tool_use)/.test(recording.body);
  return stated !== undefined && isUntold ? { ...stated, doubted: true } : stated;
}

/** True for a chat whose vendor may search. Where no vendor is known to report it, one search is assumed. */
function offersSearch({ protocol, request = {} }: Recording): boolean {
  const tools = Array.isArray(request["tools"]) ? (request["tools"] as { type?: string }[]) : [];
  const isOffered = tools.some(({ type }) => type !== undefined && !["function", "custom"].includes(type));
  return protocol === "chat-completions" && (isOffered || request["web_search_options"] !== undefined);
}

function ofIterations(stated: ReadonlyMap<string, number>, type: string, count: string): number {
  const path = new RegExp(`^iterations\\.\\d+\\.${type}\\.${count}$`);
  return [...stated].reduce((sum, [each, value]) => (path.test(each) ? sum + value : sum), 0);
}

/** Vendors that count cached tokens within the input and reasoning within the output; a part above its whole is no part. */
function inclusive(input: number, read: number, write: number, output: number, reasoning: number): Stated {
  const cacheRead = read > input ? 0 : read;
  const cacheWrite5m = write > input - cacheRead ? 0 : write;
  const outputReasoning = reasoning > output ? 0 : reasoning;
  const buckets = {
    inputUncached: input - cacheRead - cacheWrite5m,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    outputVisible: output - outputReasoning,
    outputReasoning,
  };
  const doubted = cacheRead !== read || cacheWrite5m !== write || outputReasoning !== reasoning;
  return { buckets, doubted };
}

function believed(buckets: Buckets): Stated {
  return { buckets, doubted: false };
}

/** The charge at the test price, in billionths of a dollar, half up. */
export function nanosOf(buckets: Buckets): bigint {
  const thousandthsOfNanos =
    BigInt(buckets.inputUncached) * rate(PRICE.input) +
    BigInt(buckets.cacheRead) * rate(PRICE.cache_read) +
    BigInt(buckets.cacheWrite5m) * rate(PRICE.cache_write) +
    BigInt(buckets.cacheWrite1h) * rate(PRICE.cache_write_1h) +
    BigInt(buckets.outputVisible) * rate(PRICE.output) +
    BigInt(buckets.outputReasoning) * rate(PRICE.reasoning);
  return (thousandthsOfNanos + 500n) / 1_000n;
}

/** USD per million tokens is thousands of nanos per token. */
function rate(usdPerMillion: number): bigint {
  return BigInt(Math.round(usdPerMillion * 1_000_000));
}

function messagesOf(body: string): unknown[] {
  const whole = parsed(body);
  if (whole !== undefined) return [whole];
  return body
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => parsed(line.slice(5)));
}

/** Usage objects of a plain response, of an event, or of the message or response inside an event. */
function usagesOf(message: unknown): unknown[] {
  const at = (value: unknown, key: string): unknown =>
    typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  const opening = at(at(message, "message"), "usage");
  return [
    at(at(message, "x_groq"), "usage"),
    // A message's statement of its output before it is written is a placeholder.
    typeof opening === "object" && opening !== null ? { ...opening, output_tokens: undefined } : undefined,
    at(at(message, "response"), "usage"),
    at(message, "usage"),
    at(message, "usageMetadata"),
  ];
}

function flatten(value: unknown, path: string, into: Map<string, number>): void {
  if (typeof value === "number") into.set(path, value);
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    // The type distinguishes the items of a list.
    const kind = Array.isArray(value) ? `.${(inner as { type?: string } | null)?.type}` : "";
    flatten(inner, path === "" ? key : `${path}.${key}${kind}`, into);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
