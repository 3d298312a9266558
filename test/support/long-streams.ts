import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import type { WireFrame } from "../../src/protocols/translation.ts";

/** Streams of an upstream that are long in one way, by what there are many of. */
type LongStreams = Readonly<Record<string, (many: number) => readonly WireFrame[]>>;

const chat = (delta: object, finish?: string, index = 0): WireFrame => ({
  data: JSON.stringify({ id: "c", model: "m", choices: [{ index, delta, finish_reason: finish ?? null }] }),
});
const chatCall = (index: number, piece: string, head: object = {}, name?: string): WireFrame =>
  chat({ tool_calls: [{ index, ...head, function: { ...(name ? { name } : {}), arguments: piece } }] });
const chatEnd = (finish = "stop"): readonly WireFrame[] => [chat({}, finish), { data: "[DONE]" }];

const event = (type: string, fields: object): WireFrame => ({
  name: type,
  data: JSON.stringify({ type, ...fields }),
});
const block = (index: number, content_block: object): WireFrame =>
  event("content_block_start", { index, content_block });
const grown = (index: number, delta: object): WireFrame => event("content_block_delta", { index, delta });
const closed = (index: number): WireFrame => event("content_block_stop", { index });
const MESSAGE = event("message_start", { message: { id: "m", model: "m", usage: { input_tokens: 1 } } });
const messageEnd: readonly WireFrame[] = [
  event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } }),
  event("message_stop", {}),
];
const toolUse = (index: number): WireFrame =>
  block(index, { type: "tool_use", id: `t${index}`, name: "f", input: {} });
const json = (index: number, partial_json: string): WireFrame =>
  grown(index, { type: "input_json_delta", partial_json });

const candidate = (parts: readonly object[], more: object = {}, index = 0): WireFrame => ({
  data: JSON.stringify({ candidates: [{ content: { role: "model", parts }, index, ...more }] }),
});
const candidateEnd = candidate([], { finishReason: "STOP" });

const item = (output_index: number, fields: object): WireFrame =>
  event("response.output_item.added", { output_index, item: fields });
const called = (at: number): object => ({
  type: "function_call",
  id: `fc_${at}`,
  call_id: `c${at}`,
  name: "f",
});
const pieceOf = (type: string, output_index: number, delta: string, more: object = {}): WireFrame =>
  event(`response.${type}.delta`, { output_index, delta, ...more });
const responseEnd = event("response.completed", {
  response: { id: "r", status: "completed", output: [], usage: { input_tokens: 1, output_tokens: 1 } },
});

export const LONG_STREAMS: Readonly<Record<ChatProtocol, LongStreams>> = {
  "chat-completions": {
    "pieces of text": (many) => [...times(many, () => chat({ content: "word " })), ...chatEnd()],
    "pieces of thoughts": (many) => [...times(many, () => chat({ reasoning_content: "hm " })), ...chatEnd()],
    "details of thoughts": (many) => [
      ...times(many, (at) => chat({ reasoning_details: [{ type: "reasoning.text", text: `hm ${at} ` }] })),
      ...chatEnd(),
    ],
    citations: (many) => [
      chat({ content: "word" }),
      ...times(many, (at) => chat({ annotations: [urlCitation(at)] })),
      ...chatEnd(),
    ],
    "citations before text": (many) => [
      ...times(many, (at) => chat({ annotations: [urlCitation(at)] })),
      chat({ content: "word" }),
      ...chatEnd(),
    ],
    "whole calls": (many) => [
      ...times(many, (at) => chatCall(at, "{}", { id: `t${at}` }, "f")),
      ...chatEnd("tool_calls"),
    ],
    "calls never closed": (many) => [
      ...times(many, (at) => chatCall(at, "{", { id: `t${at}` }, "f")),
      ...chatEnd("tool_calls"),
    ],
    "pieces of a call": (many) => [
      chatCall(0, '{"a":"', { id: "t" }, "f"),
      ...times(many, () => chatCall(0, "word ")),
      chatCall(0, '"}'),
      ...chatEnd("tool_calls"),
    ],
    "pieces of a call that repeat its name and end in braces": (many) => [
      chatCall(0, '{"a":[', {}, "f"),
      ...times(many, () => chatCall(0, '{"word":1}', {}, "f")),
      ...chatEnd("tool_calls"),
    ],
    "blanks of a call": (many) => [
      chatCall(0, "", { id: "t" }, "f"),
      ...times(many, () => chatCall(0, "    ")),
      ...chatEnd("tool_calls"),
    ],
    "pieces of a call without a name": (many) => [
      ...times(many, () => chatCall(0, "word ", { id: "t" })),
      ...chatEnd("tool_calls"),
    ],
    "pieces of many choices": (many) => [
      ...times(many, (at) => chat({ content: "word " }, undefined, at % 100)),
      ...times(100, (at) => chat({}, "stop", at)),
      { data: "[DONE]" },
    ],
    images: (many) => [
      ...times(many, () => chat({ images: [{ image_url: { url: "data:image/png;base64,AAAA" } }] })),
      ...chatEnd(),
    ],
    "text and thoughts in turn": (many) => [
      ...times(many, (at) => chat(at % 2 ? { content: "word " } : { reasoning_content: "hm " })),
      ...chatEnd(),
    ],
  },
  messages: {
    "pieces of text": (many) => [
      MESSAGE,
      block(0, { type: "text", text: "" }),
      ...times(many, () => grown(0, { type: "text_delta", text: "word " })),
      closed(0),
      ...messageEnd,
    ],
    "pieces of thoughts": (many) => [
      MESSAGE,
      block(0, { type: "thinking", thinking: "" }),
      ...times(many, () => grown(0, { type: "thinking_delta", thinking: "word " })),
      grown(0, { type: "signature_delta", signature: "c2lnbmF0dXJl" }),
      closed(0),
      ...messageEnd,
    ],
    signatures: (many) => [
      MESSAGE,
      ...times(many, (at) => [
        block(at, { type: "thinking", thinking: "hm" }),
        grown(at, { type: "signature_delta", signature: "c2lnbmF0dXJl" }),
        closed(at),
      ]).flat(),
      ...messageEnd,
    ],
    texts: (many) => [
      MESSAGE,
      ...times(many, (at) => [
        block(at, { type: "text", text: "" }),
        grown(at, { type: "text_delta", text: "word " }),
        closed(at),
      ]).flat(),
      ...messageEnd,
    ],
    "texts never closed": (many) => [
      MESSAGE,
      ...times(many, (at) => [
        block(at, { type: "text", text: "" }),
        grown(at, { type: "text_delta", text: "word " }),
      ]).flat(),
      ...messageEnd,
    ],
    citations: (many) => [
      MESSAGE,
      block(0, { type: "text", text: "word" }),
      ...times(many, (at) =>
        grown(0, {
          type: "citations_delta",
          citation: { type: "web_search_result_location", url: `https://a.example/${at}`, title: "t" },
        }),
      ),
      closed(0),
      ...messageEnd,
    ],
    "whole calls": (many) => [
      MESSAGE,
      ...times(many, (at) => [toolUse(at), json(at, "{}"), closed(at)]).flat(),
      ...messageEnd,
    ],
    "calls never closed": (many) => [
      MESSAGE,
      ...times(many, (at) => [toolUse(at), json(at, "{")]).flat(),
      ...messageEnd,
    ],
    "calls in the start": (many) => [
      event("message_start", {
        message: { content: times(many, (at) => ({ type: "tool_use", id: `t${at}`, name: "f", input: {} })) },
      }),
      ...messageEnd,
    ],
    "pieces of a call": (many) => [
      MESSAGE,
      toolUse(0),
      json(0, '{"a":"'),
      ...times(many, () => json(0, "word ")),
      json(0, '"}'),
      closed(0),
      ...messageEnd,
    ],
    "blanks of a call": (many) => [
      MESSAGE,
      toolUse(0),
      ...times(many, () => json(0, "    ")),
      closed(0),
      ...messageEnd,
    ],
    "work of the vendor's own tools": (many) => [
      MESSAGE,
      ...times(many, (at) => [
        block(at, { type: "server_tool_use", id: `s${at}`, name: "web_search", input: {} }),
        json(at, '{"query":"a"}'),
        closed(at),
      ]).flat(),
      ...messageEnd,
    ],
    counts: (many) => [
      MESSAGE,
      ...times(many, (at) => event("message_delta", { delta: {}, usage: { output_tokens: at } })),
      ...messageEnd,
    ],
  },
  responses: {
    "pieces of text": (many) => [
      ...times(many, () => pieceOf("output_text", 0, "word ", { content_index: 0 })),
      responseEnd,
    ],
    "pieces of thoughts": (many) => [
      ...times(many, () => pieceOf("reasoning_summary_text", 0, "hm ", { summary_index: 0 })),
      responseEnd,
    ],
    thoughts: (many) => [
      ...times(many, (at) => pieceOf("reasoning_summary_text", at, "hm ", { summary_index: 0 })),
      responseEnd,
    ],
    "parts of thoughts": (many) => [
      ...times(many, (at) => pieceOf("reasoning_summary_text", 0, "hm ", { summary_index: at })),
      responseEnd,
    ],
    "parts of a text": (many) => [
      ...times(many, (at) => pieceOf("output_text", 0, "word ", { content_index: at })),
      responseEnd,
    ],
    texts: (many) => [
      ...times(many, (at) => pieceOf("output_text", at, "word ", { content_index: 0 })),
      responseEnd,
    ],
    citations: (many) => [
      pieceOf("output_text", 0, "word ", { content_index: 0 }),
      ...times(many, (at) =>
        event("response.output_text.annotation.added", {
          output_index: 0,
          content_index: 0,
          annotation: { type: "url_citation", url: `https://a.example/${at}`, title: "t" },
        }),
      ),
      responseEnd,
    ],
    "whole calls": (many) => [
      ...times(many, (at) => [
        item(at, { ...called(at), arguments: "" }),
        pieceOf("function_call_arguments", at, "{}"),
        event("response.output_item.done", { output_index: at, item: { ...called(at), arguments: "{}" } }),
      ]).flat(),
      responseEnd,
    ],
    "calls never closed": (many) => [
      ...times(many, (at) => [
        item(at, { ...called(at), arguments: "" }),
        pieceOf("function_call_arguments", at, "{"),
      ]).flat(),
      responseEnd,
    ],
    "pieces of a call": (many) => [
      item(0, { ...called(0), arguments: "" }),
      ...times(many, () => pieceOf("function_call_arguments", 0, "word ")),
      responseEnd,
    ],
    "items at the end alone": (many) => [
      event("response.completed", {
        response: {
          status: "completed",
          output: times(many, (at) => ({ ...called(at), arguments: "{}" })),
        },
      }),
    ],
    "a text stated whole time and again": (many) => [
      pieceOf("output_text", 0, "word ", { content_index: 0 }),
      ...times(many, () =>
        event("response.output_text.done", { output_index: 0, content_index: 0, text: "word " }),
      ),
      responseEnd,
    ],
  },
  "generate-content": {
    "pieces of text": (many) => [...times(many, () => candidate([{ text: "word " }])), candidateEnd],
    "pieces of thoughts": (many) => [
      ...times(many, () => candidate([{ text: "hm ", thought: true }])),
      candidateEnd,
    ],
    signatures: (many) => [
      ...times(many, () => candidate([{ text: "hm ", thought: true, thoughtSignature: "c2lnbmF0dXJl" }])),
      candidateEnd,
    ],
    "text and thoughts in turn": (many) => [
      ...times(many, (at) => candidate([{ text: "word ", thought: at % 2 === 0 }])),
      candidateEnd,
    ],
    "whole calls": (many) => [
      ...times(many, (at) => candidate([{ functionCall: { id: `c${at}`, name: "f", args: { at } } }])),
      candidateEnd,
    ],
    "calls in one event": (many) => [
      candidate(times(many, (at) => ({ functionCall: { name: "f", args: { at } } }))),
      candidateEnd,
    ],
    "pieces of a call's text": (many) => [
      candidate([{ functionCall: { name: "f", willContinue: true } }]),
      ...times(many, () => partial("$.a", "word ")),
      candidate([{ functionCall: {} }]),
      candidateEnd,
    ],
    "fields of a call": (many) => [
      candidate([{ functionCall: { name: "f", willContinue: true } }]),
      ...times(many, (at) => partial(`$.a${at}`, "word ")),
      candidate([{ functionCall: {} }]),
      candidateEnd,
    ],
    "items of a call's list": (many) => [
      candidate([{ functionCall: { name: "f", willContinue: true } }]),
      ...times(many, (at) => partial(`$.a[${at}]`, "word ")),
      candidate([{ functionCall: {} }]),
      candidateEnd,
    ],
    sources: (many) => [
      candidate([{ text: "word ".repeat(many) }]),
      candidate([], {
        groundingMetadata: {
          groundingChunks: times(many, (at) => ({ web: { uri: `https://a.example/${at}`, title: "t" } })),
          groundingSupports: times(many, (at) => ({
            segment: { startIndex: at * 5, endIndex: at * 5 + 4, text: "word" },
            groundingChunkIndices: [at],
          })),
        },
      }),
      candidateEnd,
    ],
    "pieces of many candidates": (many) => [
      ...times(many, (at) => candidate([{ text: "word " }], {}, at % 100)),
      ...times(100, (at) => candidate([], { finishReason: "STOP" }, at)),
    ],
    "answers in one event": (many) => [
      {
        data: JSON.stringify(
          times(many, () => ({ candidates: [{ content: { parts: [{ text: "word " }] }, index: 0 }] })),
        ),
      },
      candidateEnd,
    ],
    images: (many) => [
      ...times(many, () => candidate([{ inlineData: { mimeType: "image/png", data: "R0lGODlhAQAB" } }])),
      candidateEnd,
    ],
    "work of the vendor's own tools": (many) => [
      ...times(many, () => candidate([{ executableCode: { language: "PYTHON", code: "1" } }])),
      candidateEnd,
    ],
  },
};

function times<T>(many: number, make: (at: number) => T): readonly T[] {
  return Array.from({ length: many }, (_, at) => make(at));
}

function urlCitation(at: number): object {
  const url_citation = { url: `https://a.example/${at}`, title: "t", start_index: 0, end_index: 1 };
  return { type: "url_citation", url_citation };
}

function partial(jsonPath: string, stringValue: string): WireFrame {
  return candidate([{ functionCall: { willContinue: true, partialArgs: [{ jsonPath, stringValue }] } }]);
}
