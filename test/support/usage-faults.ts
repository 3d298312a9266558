import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import type { JsonObject } from "../../src/protocols/json.ts";
import { type TokenUsage, totalInput, totalOutput } from "../../src/usage/usage.ts";
import { statedUsage } from "./recorded-usage.ts";
import type { Recording } from "./recordings.ts";

/** The deviations from the vendor's counts, by the arithmetic of the caller's protocol (rules 1 to 7). */
export function usageFaults(
  recording: Recording,
  to: ChatProtocol,
  ...told: readonly JsonObject[]
): readonly string[] {
  const stated = statedUsage(recording);
  // Some recordings are of several exchanges, of which the first is the one that is read.
  const several = (recording.body.match(/"type": ?"(message_stop|response\.completed)"/g)?.length ?? 0) > 1;
  if (stated === undefined || stated.doubted || several) return [];
  const tokens: TokenUsage = stated.buckets;
  const counts = COUNTS[to](told);
  const faults: string[] = [];
  if (counts.input !== totalInput(tokens)) faults.push(`input ${counts.input}, not ${totalInput(tokens)}`);
  if (counts.output !== totalOutput(tokens))
    faults.push(`output ${counts.output}, not ${totalOutput(tokens)}`);
  if (counts.read !== (tokens.cacheRead ?? 0)) faults.push(`read ${counts.read}, not ${tokens.cacheRead}`);
  if (counts.reasoning !== (tokens.outputReasoning ?? 0))
    faults.push(`thoughts ${counts.reasoning}, not ${tokens.outputReasoning}`);
  const written = (tokens.cacheWrite5m ?? 0) + (tokens.cacheWrite1h ?? 0);
  if (counts.written !== undefined && counts.written !== written)
    faults.push(`written ${counts.written}, not ${written}`);
  if (counts.total !== undefined && counts.total !== counts.input + counts.output)
    faults.push(`total ${counts.total} is no sum`);
  return faults;
}

interface Counts {
  readonly input: number;
  readonly output: number;
  readonly read: number;
  readonly reasoning: number;
  /** Undefined where the protocol has no such count. */
  readonly written: number | undefined;
  readonly total: number | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: counts sit deep in wire forms
type Wire = any;

const COUNTS: Readonly<Record<ChatProtocol, (told: readonly Wire[]) => Counts>> = {
  "chat-completions"(told) {
    const usage = told.findLast((each) => each.usage)?.usage;
    return {
      input: usage?.prompt_tokens,
      output: usage?.completion_tokens,
      read: usage?.prompt_tokens_details.cached_tokens,
      reasoning: usage?.completion_tokens_details.reasoning_tokens,
      written: usage?.prompt_tokens_details.cache_write_tokens ?? 0,
      total: usage?.total_tokens,
    };
  },
  responses(told) {
    const last = told.at(-1);
    const usage = last?.usage ?? last?.response?.usage;
    return {
      input: usage?.input_tokens,
      output: usage?.output_tokens,
      read: usage?.input_tokens_details.cached_tokens,
      reasoning: usage?.output_tokens_details.reasoning_tokens,
      written: usage?.input_tokens_details.cache_write_tokens,
      total: usage?.total_tokens,
    };
  },
  messages(told) {
    const usage = told.findLast((each) => each.usage)?.usage;
    const read = usage?.cache_read_input_tokens ?? 0;
    const written = usage?.cache_creation_input_tokens ?? 0;
    const split = usage?.cache_creation;
    const parts = split ? split.ephemeral_5m_input_tokens + split.ephemeral_1h_input_tokens : 0;
    return {
      // Neither read nor written input is part of it here.
      input: usage?.input_tokens + read + written,
      output: usage?.output_tokens,
      read,
      reasoning: usage?.output_tokens_details?.thinking_tokens ?? 0,
      written: parts === written ? written : Number.NaN,
      total: undefined,
    };
  },
  "generate-content"(told) {
    const usage = told.findLast((each) => each.usageMetadata)?.usageMetadata;
    const reasoning = usage?.thoughtsTokenCount ?? 0;
    return {
      input: usage?.promptTokenCount,
      output: usage?.candidatesTokenCount + reasoning,
      read: usage?.cachedContentTokenCount ?? 0,
      reasoning,
      written: undefined,
      total: usage?.totalTokenCount,
    };
  },
};
