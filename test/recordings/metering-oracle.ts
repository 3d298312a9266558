import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { ofSummaries } from "../support/recorded-usage.ts";

/**
 * What a recording should meter, computed from the vendors' documentation and written apart from the
 * product: statements are flattened to `path -> last value`, and output is taken from the vendor's total.
 */
export interface Expected {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

/** Undefined where the response states no usage. */
export function expectedUsage(protocol: ChatProtocol, body: string): Expected | undefined {
  const stated = new Map<string, number>();
  for (const message of messagesOf(body)) {
    for (const root of USAGE_ROOTS[protocol]) flatten(at(message, root), "", stated);
  }
  return stated.size === 0 ? undefined : READERS[protocol](stated);
}

const USAGE_ROOTS: Readonly<Record<ChatProtocol, readonly string[]>> = {
  "chat-completions": ["x_groq.usage", "usage"],
  responses: ["usage", "response.usage"],
  messages: ["message.usage", "usage"],
  "generate-content": ["usageMetadata"],
};

type Stated = ReadonlyMap<string, number>;

const READERS: Readonly<Record<ChatProtocol, (stated: Stated) => Expected>> = {
  "chat-completions": (stated) => {
    const input = stated.get("prompt_tokens") ?? 0;
    const output = (stated.get("total_tokens") ?? 0) - input;
    const read =
      stated.get("prompt_tokens_details.cached_tokens") ??
      stated.get("prompt_cache_hit_tokens") ??
      stated.get("num_cached_tokens") ??
      stated.get("cached_tokens") ??
      0;
    const reasoning = stated.get("completion_tokens_details.reasoning_tokens") ?? 0;
    const written = stated.get("prompt_tokens_details.cache_write_tokens") ?? 0;
    const cacheRead = read > input ? 0 : read;
    return {
      input,
      cacheRead,
      cacheWrite: written > input - cacheRead ? 0 : written,
      output,
      reasoning: reasoning > output ? 0 : reasoning,
    };
  },
  responses: (stated) => {
    const input = stated.get("input_tokens") ?? stated.get("prompt_tokens") ?? 0;
    return {
      input,
      cacheRead: stated.get("input_tokens_details.cached_tokens") ?? 0,
      cacheWrite: stated.get("input_tokens_details.cache_write_tokens") ?? 0,
      output: (stated.get("total_tokens") ?? 0) - input,
      reasoning: stated.get("output_tokens_details.reasoning_tokens") ?? 0,
    };
  },
  messages: (stated) => {
    const billed = (count: string): number => (stated.get(count) ?? 0) + ofSummaries(stated, count);
    const cacheRead = billed("cache_read_input_tokens");
    const cacheWrite = billed("cache_creation_input_tokens");
    return {
      input: billed("input_tokens") + cacheRead + cacheWrite,
      cacheRead,
      cacheWrite,
      output: billed("output_tokens"),
      reasoning: stated.get("output_tokens_details.thinking_tokens") ?? 0,
    };
  },
  "generate-content": (stated) => ({
    input: (stated.get("promptTokenCount") ?? 0) + (stated.get("toolUsePromptTokenCount") ?? 0),
    cacheRead: stated.get("cachedContentTokenCount") ?? 0,
    cacheWrite: 0,
    output: (stated.get("candidatesTokenCount") ?? 0) + (stated.get("thoughtsTokenCount") ?? 0),
    reasoning: stated.get("thoughtsTokenCount") ?? 0,
  }),
};

function messagesOf(body: string): unknown[] {
  try {
    return [JSON.parse(body)];
  } catch {
    const lines = body.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:"));
    return lines.filter((line) => line.slice(5).trim() !== "[DONE]").map((line) => JSON.parse(line.slice(5)));
  }
}

function at(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | null | undefined)?.[key], value);
}

function flatten(value: unknown, path: string, into: Map<string, number>): void {
  if (typeof value === "number") into.set(path, value);
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    // What a list holds is told apart by its type.
    const kind = Array.isArray(value) ? `.${(inner as { type?: string } | null)?.type}` : "";
    flatten(inner, path === "" ? key : `${path}.${key}${kind}`, into);
  }
}
