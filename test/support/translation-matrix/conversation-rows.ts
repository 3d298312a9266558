import type { ChatRequest } from "../../../src/conversation/request.ts";
import { CHAT, LINK, NATIVE, partsOf, type RequestRow } from "./row.ts";
import { ASKED, ASKED_NATIVELY, chatText, saidBefore, stateOf } from "./spoken.ts";

export const CONVERSATION_ROWS: readonly RequestRow[] = [
  {
    title: "instructions",
    says: {
      [CHAT]: { messages: [{ role: "system", content: "Be terse." }, ASKED] },
      responses: { instructions: "Be terse." },
      messages: { system: "Be terse." },
      [NATIVE]: { systemInstruction: { parts: [{ text: "Be terse." }] } },
    },
    read: ({ system }) => system.map(({ text }) => text),
  },
  {
    title: "instructions mid-conversation",
    says: {
      [CHAT]: { messages: [ASKED, { role: "system", content: "Be terse." }, ASKED] },
      responses: { input: [ASKED, { role: "system", content: "Be terse." }, ASKED] },
      messages: { messages: [ASKED, { role: "system", content: "Be terse." }, ASKED] },
    },
    read: words,
  },
  {
    title: "participant name",
    says: { [CHAT]: { messages: [{ ...ASKED, name: "ann" }] } },
    read: ({ messages }) => messages.map(({ name }) => name),
  },
  {
    title: "assistant prefill",
    says: {
      [CHAT]: { messages: [ASKED, { role: "assistant", content: "They" }] },
      responses: { input: [ASKED, { role: "assistant", content: "They" }] },
      messages: { messages: [ASKED, { role: "assistant", content: "They" }] },
      [NATIVE]: { contents: [ASKED_NATIVELY, { role: "model", parts: [{ text: "They" }] }] },
    },
    read: ({ messages }) => messages.at(-1),
  },
  {
    title: "citations of earlier responses",
    says: saidBefore({
      [CHAT]: { annotations: [{ type: "url_citation", url_citation: { url: LINK, title: "t" } }] },
      responses: {
        role: "assistant",
        content: [
          {
            type: "output_text",
            text: "Cited.",
            annotations: [{ type: "url_citation", url: LINK, title: "t", start_index: 0, end_index: 5 }],
          },
        ],
      },
      messages: {
        ...chatText("Cited."),
        citations: [{ type: "web_search_result_location", url: LINK, encrypted_index: "x" }],
      },
    }),
    read: (request) => partsOf(request).flatMap((each) => (each.kind === "text" ? each.citations : [])),
  },
];

export const THOUGHT_ROWS: readonly RequestRow[] = [
  {
    title: "reasoning with state of this upstream",
    says: (upstream) =>
      saidBefore({
        responses: {
          type: "reasoning",
          id: "rs_gw1",
          summary: [{ type: "summary_text", text: "Hm." }],
          encrypted_content: stateOf(upstream),
        },
        messages: { type: "thinking", thinking: "Hm.", signature: stateOf(upstream) },
        [NATIVE]: { text: "Hm.", thought: true, thoughtSignature: native(stateOf(upstream)) },
      }),
    read: state,
  },
  {
    title: "reasoning with state of another upstream",
    says: (upstream) => {
      const other = upstream === "messages" ? "responses" : "messages";
      return saidBefore({
        responses: { type: "reasoning", id: "rs_gw1", summary: [], encrypted_content: stateOf(other) },
        messages: { type: "thinking", thinking: "Hm.", signature: stateOf(other) },
        [NATIVE]: { text: "Hm.", thought: true, thoughtSignature: native(stateOf(other)) },
      });
    },
    read: state,
  },
  {
    title: "reasoning without state",
    says: saidBefore({
      [CHAT]: { reasoning_content: "Hm." },
      responses: { type: "reasoning", id: "", summary: [{ type: "summary_text", text: "Hm." }] },
      messages: { type: "thinking", thinking: "Hm.", signature: "" },
      [NATIVE]: { text: "Hm.", thought: true },
    }),
    read: (request) => partsOf(request).flatMap((each) => (each.kind === "reasoning" ? [each.text] : [])),
  },
];

function native(word: string): string {
  return Buffer.from(word).toString("base64");
}

function words(request: ChatRequest): unknown {
  return partsOf(request).flatMap((each) => (each.kind === "text" ? [each.text] : []));
}

function state(request: ChatRequest): unknown {
  return partsOf(request).flatMap((each) =>
    each.kind === "reasoning" ? [each.text, each.opaque?.value] : [],
  );
}
