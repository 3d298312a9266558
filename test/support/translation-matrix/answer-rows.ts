import type { ChatProtocol } from "../../../src/conversation/protocol-name.ts";
import type { Citation, ForeignPart, ReasoningPart } from "../../../src/conversation/request.ts";
import type { ChatResponse, Finish, ResponsePart } from "../../../src/conversation/response.ts";
import type { TokenUsage } from "../../../src/usage/usage.ts";
import { origin } from "../conversation-arbitraries.ts";
import type { Section } from "./row.ts";

/** One thing that answers can hold. */
export interface ResponseRow {
  readonly title: string;
  /** The upstreams whose protocols can say it. */
  readonly from: readonly ChatProtocol[];
  /** The response as it is read from such an upstream. */
  response(upstream: ChatProtocol): ChatResponse;
  /** The response's statement of it; compared before and after. */
  read(response: ChatResponse): unknown;
  /** Callers who are told it in another way, and in which. */
  readonly told?: Partial<Readonly<Record<ChatProtocol, string>>>;
}

const CHAT = "chat-completions";
const NATIVE = "generate-content";
const ALL = [CHAT, "responses", "messages", NATIVE] as const;
const PNG = "iVBORw0KGgo=";
const CALL = { kind: "tool-call", id: "call_1", name: "look", arguments: '{"at":"map"}' } as const;
const SAID = { kind: "text", text: "They bend." } as const;

const content: readonly ResponseRow[] = [
  row("text", ALL, () => [SAID], words),
  {
    ...row(
      "refusal",
      [CHAT, "responses"],
      () => [{ ...SAID, refusal: true }],
      (response) => partsOf(response).flatMap((part) => (part.kind === "text" ? [part.refusal] : [])),
    ),
    told: { messages: "finish reason", [NATIVE]: "text" },
  },
  row(
    "tool calls with ids",
    ALL,
    () => [CALL, { ...CALL, id: "call_2" }],
    (response) =>
      partsOf(response).flatMap((part) =>
        part.kind === "tool-call" ? [[part.id, part.name, part.arguments]] : [],
      ),
  ),
  row(
    "images",
    [CHAT, "responses", NATIVE],
    () => [{ kind: "media", media: "image", mimeType: "image/png", source: { from: "base64", data: PNG } }],
    (response) => partsOf(response).flatMap((part) => (part.kind === "media" ? [part.source] : [])),
  ),
  row(
    "audio",
    [NATIVE],
    () => [{ kind: "media", media: "audio", mimeType: "audio/wav", source: { from: "base64", data: PNG } }],
    (response) => partsOf(response).flatMap((part) => (part.kind === "media" ? [part.source] : [])),
  ),
  row(
    "web citations",
    ALL,
    (upstream) => [cited(upstream, { url: "https://example.com/", title: "Rivers", start: 0, end: 4 })],
    (response) => citationsOf(response).map(({ url, title }) => [url, title]),
  ),
  {
    ...row(
      "cited passage",
      [CHAT, "responses", NATIVE],
      (upstream) => [cited(upstream, { url: "https://example.com/", title: "Rivers", start: 0, end: 4 })],
      (response) => citationsOf(response).map(({ start, end }) => [start, end]),
    ),
    told: { messages: "whole text" },
  },
  row(
    "citations of the caller's documents",
    ["responses", "messages", NATIVE],
    (upstream) => [cited(upstream, { title: "Rivers", quote: "They bend." })],
    (response) => citationsOf(response).map(({ title }) => title),
  ),
  row(
    "activity of vendor tools",
    ["responses", "messages", NATIVE],
    (upstream) => [foreign(upstream), SAID],
    (response) => partsOf(response).filter(({ kind }) => kind === "foreign").length,
  ),
];

const thoughts: readonly ResponseRow[] = [
  row(
    "reasoning",
    ALL,
    () => [{ kind: "reasoning", text: "Hm." }, SAID],
    (response) => thoughtsOf(response).map(({ text }) => text),
  ),
  row(
    "reasoning state, before a call",
    ALL,
    (upstream) => [{ kind: "reasoning", text: "Hm.", opaque: issued(upstream) }, CALL],
    states,
  ),
  row(
    "reasoning state, before text only",
    ALL,
    (upstream) => [{ kind: "reasoning", text: "Hm.", opaque: issued(upstream) }, SAID],
    states,
  ),
  row(
    "redacted reasoning, before a call",
    ["messages"],
    (upstream) => [{ kind: "reasoning", text: "", redacted: true, opaque: issued(upstream) }, CALL],
    states,
  ),
  row("state of a call", [CHAT, NATIVE], (upstream) => [{ ...CALL, opaque: issued(upstream) }], states),
  row(
    "state of text, before a call",
    [NATIVE],
    (upstream) => [{ ...SAID, opaque: issued(upstream) }, CALL],
    states,
  ),
  row("state of the last text", [NATIVE], (upstream) => [{ ...SAID, opaque: issued(upstream) }], states),
  row(
    "state of an image",
    [NATIVE],
    (upstream) => [
      {
        kind: "media",
        media: "image",
        mimeType: "image/png",
        source: { from: "base64", data: PNG },
        opaque: issued(upstream),
      },
    ],
    states,
  ),
];

const ends: readonly ResponseRow[] = [
  finish("stop", ALL, { unified: "stop" }),
  finish("output limit", ALL, { unified: "length" }),
  finish("content filter", ALL, { unified: "content-filter" }),
  {
    ...finish("pause of vendor tools", ["messages"], { unified: "pause" }),
    told: { [CHAT]: "stop", responses: "stop", [NATIVE]: "stop" },
  },
  {
    ...finish("matched stop sequence", ["messages"], { unified: "stop", stopSequence: "END" }),
    told: { [CHAT]: "stop", responses: "stop", [NATIVE]: "stop" },
    read: ({ choices }) => choices[0]?.finish.stopSequence,
  },
  {
    ...finish("filter details", ["messages", NATIVE], { unified: "content-filter", message: "Unsafe." }),
    told: { [CHAT]: "content filter", responses: "content filter" },
    read: ({ choices }) => choices[0]?.finish.message,
  },
  counted("input and output", ALL, { inputUncached: 7, outputVisible: 9 }),
  counted("reasoning", ALL, { inputUncached: 7, outputVisible: 9, outputReasoning: 5 }),
  counted("cached input", ALL, { inputUncached: 7, cacheRead: 20, outputVisible: 9 }),
  {
    ...counted("cache write", [CHAT, "responses", "messages"], {
      inputUncached: 7,
      cacheWrite5m: 20,
      outputVisible: 9,
    }),
    told: { [NATIVE]: "input" },
  },
  {
    ...counted("1-hour cache write", ["messages"], {
      inputUncached: 7,
      cacheWrite5m: 0,
      cacheWrite1h: 20,
      outputVisible: 9,
    }),
    told: { responses: "cache write", [NATIVE]: "input" },
  },
];

export const RESPONSE_SECTIONS: readonly Section<ResponseRow>[] = [
  { title: "Content", rows: content },
  { title: "Reasoning and state", rows: thoughts },
  { title: "Finish and usage", rows: ends },
];

function row(
  title: string,
  from: readonly ChatProtocol[],
  parts: (upstream: ChatProtocol) => readonly ResponsePart[],
  read: ResponseRow["read"],
): ResponseRow {
  return {
    title,
    from,
    response(upstream) {
      const all = parts(upstream);
      const calls = all.some(({ kind }) => kind === "tool-call");
      return whole(all, { unified: calls ? "tool-calls" : "stop", protocol: upstream });
    },
    read,
  };
}

function finish(title: string, from: readonly ChatProtocol[], end: Omit<Finish, "protocol">): ResponseRow {
  return {
    title,
    from,
    response: (upstream) => whole([SAID], { ...end, protocol: upstream }),
    read: ({ choices }) => choices[0]?.finish.unified,
  };
}

function counted(title: string, from: readonly ChatProtocol[], tokens: TokenUsage): ResponseRow {
  return {
    title: `${title} tokens`,
    from,
    response: (upstream) => ({
      ...whole([SAID], { unified: "stop", protocol: upstream }),
      usage: { tokens, hostile: [] },
    }),
    // A bucket that is not told of is as good as an empty one.
    read: ({ usage }) =>
      Object.entries(usage?.tokens ?? {})
        .filter(([, count]) => count > 0)
        .sort(),
  };
}

function whole(parts: readonly ResponsePart[], end: Finish): ChatResponse {
  const usage = { tokens: { inputUncached: 7, outputVisible: 9 }, hostile: [] };
  return { model: "model-1", choices: [{ parts, finish: end }], usage };
}

function cited(upstream: ChatProtocol, citation: Omit<Citation, "source">): ResponsePart {
  return { ...SAID, citations: [{ ...citation, source: { protocol: upstream, value: VENDORS[upstream] } }] };
}

/** A citation as each vendor writes it, for callers of its own protocol. */
const VENDORS: Readonly<Record<ChatProtocol, Citation["source"]["value"]>> = {
  [CHAT]: {
    type: "url_citation",
    url_citation: { url: "https://example.com/", title: "Rivers", start_index: 0, end_index: 4 },
  },
  responses: {
    type: "url_citation",
    url: "https://example.com/",
    title: "Rivers",
    start_index: 0,
    end_index: 4,
  },
  messages: { type: "web_search_result_location", url: "https://example.com/", title: "Rivers" },
  [NATIVE]: { chunk: { web: { uri: "https://example.com/", title: "Rivers" } } },
};

function foreign(upstream: ChatProtocol): ForeignPart {
  const values: Readonly<Record<ChatProtocol, ForeignPart["value"]>> = {
    [CHAT]: {},
    responses: { type: "web_search_call", id: "ws_1", status: "completed" },
    messages: { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} },
    [NATIVE]: { executableCode: { language: "PYTHON", code: "1" } },
  };
  return {
    kind: "foreign",
    protocol: upstream,
    value: values[upstream],
    ifUnsupported: "drop",
    path: "output[0]",
  };
}

function issued(upstream: ChatProtocol) {
  const own = upstream === "responses" ? JSON.stringify({ id: "rs_1", encrypted_content: "m" }) : "bWludGVk";
  const value = upstream === CHAT ? JSON.stringify({ google: { thought_signature: "m" } }) : own;
  return { origin: origin(upstream), value };
}

function partsOf({ choices }: ChatResponse): readonly ResponsePart[] {
  return choices.flatMap(({ parts }) => parts);
}

function thoughtsOf(response: ChatResponse): readonly ReasoningPart[] {
  return partsOf(response).filter((part) => part.kind === "reasoning");
}

function words(response: ChatResponse): unknown {
  return partsOf(response).flatMap((part) => (part.kind === "text" ? [part.text] : []));
}

function citationsOf(response: ChatResponse): readonly Citation[] {
  return partsOf(response).flatMap((part) => (part.kind === "text" ? (part.citations ?? []) : []));
}

/** True if there is state at all: that it comes back to its issuer is a law of its own. */
function states(response: ChatResponse): unknown {
  return partsOf(response).some((part) => part.kind !== "foreign" && part.opaque !== undefined);
}
