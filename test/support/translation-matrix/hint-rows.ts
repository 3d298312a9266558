import type { ChatRequest } from "../../../src/conversation/request.ts";
import { CHAT, NATIVE, partsOf, type RequestRow } from "./row.ts";
import { alike, config, part, type Spoken, TOOL, tool } from "./spoken.ts";

export const HINT_ROWS: readonly RequestRow[] = [
  {
    title: "5-minute cache mark",
    says: marked({ type: "ephemeral" }),
    read: marks,
  },
  {
    title: "1-hour cache mark",
    says: marked({ type: "ephemeral", ttl: "1h" }),
    read: marks,
  },
  {
    title: "cache mark on a tool",
    says: tool({
      [CHAT]: { cache_control: { type: "ephemeral", ttl: "1h" } },
      messages: { cache_control: { type: "ephemeral", ttl: "1h" } },
    }),
    read: ({ tools: [first] }) => first?.kind === "function" && first.cache,
  },
  {
    title: "end user",
    says: {
      ...alike({ user: "u-1" }, CHAT, "responses"),
      messages: { metadata: { user_id: "u-1" } },
    },
    read: ({ user }) => user,
  },
  {
    title: "end user, over 64 characters",
    says: {
      ...alike({ user: "u".repeat(65) }, CHAT, "responses"),
      messages: { metadata: { user_id: "u".repeat(65) } },
    },
    read: ({ user }) => user,
  },
  unknown("log probabilities", {
    [CHAT]: { logprobs: true, top_logprobs: 2 },
    responses: { top_logprobs: 2 },
    [NATIVE]: config({ responseLogprobs: true }),
  }),
  unknown("`logit_bias`", { [CHAT]: { logit_bias: { "1": 1 } } }),
  {
    title: "verbosity",
    says: { [CHAT]: { verbosity: "low" }, responses: { text: { verbosity: "low" } } },
    read: ({ verbosity }) => verbosity,
  },
  unknown("service tier", {
    [CHAT]: { service_tier: "flex" },
    responses: { service_tier: "flex" },
    messages: { service_tier: "standard_only" },
  }),
  unknown("metadata", alike({ metadata: { a: "b" } }, CHAT, "responses")),
  {
    title: "cache key",
    says: {
      [CHAT]: { ...TOOL[CHAT], prompt_cache_key: "k" },
      responses: { ...TOOL.responses, prompt_cache_key: "k" },
    },
    read: ({ cacheKey, cacheAll }) => (cacheKey ?? cacheAll) !== undefined,
  },
  {
    title: "cache retention",
    says: alike({ prompt_cache_retention: "in_memory" }, CHAT, "responses"),
    read: ({ cacheRetention }) => cacheRetention,
  },
  unknown("safety settings", {
    [NATIVE]: { safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }] },
  }),
  unknown("search option", { [CHAT]: { web_search_options: {} } }),
  unknown("audio output", {
    [CHAT]: { modalities: ["text", "audio"], audio: { voice: "a", format: "wav" } },
    [NATIVE]: config({ responseModalities: ["AUDIO"] }),
  }),
  unknown("stored conversation", {
    responses: { previous_response_id: "resp_1" },
    messages: { thread: { type: "continue", previous_message_id: "msg_1" } },
    [NATIVE]: { cachedContent: "cachedContents/1" },
  }),
  unknown("automatic truncation", {
    responses: { context_management: [{ type: "compaction", compact_threshold: 50_000 }] },
    messages: { context_management: { edits: [{ type: "compact_20260112" }] } },
  }),
  unknown("background responses", { responses: { background: true } }),
  unknown("unknown field", {
    ...alike({ brand_new: 1 }, CHAT, "responses", "messages"),
    [NATIVE]: { brandNew: 1 },
  }),
];

/** A field that the neutral form has no place for. */
function unknown(title: string, says: Spoken): RequestRow {
  return { title, says, read: ({ foreign }) => foreign.map(({ value }) => value) };
}

function marked(mark: object): Spoken {
  return part({
    [CHAT]: { type: "text", text: "Long.", cache_control: mark },
    ...("ttl" in mark
      ? {}
      : {
          responses: { type: "input_text", text: "Long.", prompt_cache_breakpoint: { mode: "explicit" } },
        }),
    messages: { type: "text", text: "Long.", cache_control: mark },
  });
}

function marks(request: ChatRequest): unknown {
  return partsOf(request).flatMap((each) => (each.kind === "text" ? [each.cache] : []));
}
