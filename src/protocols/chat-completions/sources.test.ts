import { describe, expect, it } from "vitest";
import { plan } from "../../../test/support/conversation-arbitraries.ts";
import { collectEvents } from "../../conversation/adapt/collect.ts";
import type { ResponsePart } from "../../conversation/response.ts";
import type { Translation } from "../translation.ts";
import { chatCompletions } from "./codec.ts";

const codec = chatCompletions.translation as Translation;

function plain(message: object, beside: object = {}): readonly ResponsePart[] {
  const body = { ...beside, choices: [{ index: 0, message, finish_reason: "stop" }] };
  const outcome = codec.decodeResponse(body, plan("chat-completions"));
  if (!("response" in outcome)) throw new Error(`no answer: ${JSON.stringify(outcome)}`);
  return outcome.response.choices[0]?.parts ?? [];
}

function streamed(...chunks: readonly { readonly delta: object; readonly beside?: object }[]) {
  const run = codec.decodeStream(plan("chat-completions"));
  const frames = chunks.map(({ delta, beside }, at) => {
    const choice = { index: 0, delta, finish_reason: at === chunks.length - 1 ? "stop" : null };
    return { data: JSON.stringify({ ...beside, choices: [choice] }) };
  });
  const outcome = collectEvents([...frames.flatMap((frame) => run.step(frame)), ...run.end()]);
  if (!("response" in outcome)) throw new Error(`no answer: ${JSON.stringify(outcome)}`);
  return outcome.response.choices[0]?.parts;
}

describe("pages listed beside the choices of a chat", () => {
  const pages = [
    { title: "A", url: "https://a.example", date: "2026-01-01", snippet: "said" },
    { title: "B", url: "https://b.example" },
  ];
  const addresses = pages.map(({ url }) => url);
  const full = [
    { url: "https://a.example", title: "A", quote: "said" },
    { url: "https://b.example", title: "B" },
  ];
  const forms: readonly (readonly [string, object, readonly object[]])[] = [
    ["with titles (Perplexity)", { citations: addresses, search_results: pages }, full],
    ["as addresses (xAI)", { citations: addresses, search_results: null }, addresses.map((url) => ({ url }))],
  ];

  it.each(forms)("are cited by its text, plain and streamed: %s", (_, beside, citations) => {
    const told = [{ kind: "text", text: "Hi [1][2]", citations }];
    expect(plain({ content: "Hi [1][2]" }, beside)).toMatchObject(told);
    // In every chunk, or in the last one alone.
    expect(
      streamed({ delta: { content: "Hi " }, beside }, { delta: { content: "[1][2]" }, beside }),
    ).toMatchObject(told);
    expect(streamed({ delta: { content: "Hi [1][2]" } }, { delta: {}, beside })).toMatchObject(told);
  });

  it("are cited too where the vendor's own tools found them, told whole or tool by tool (Groq)", () => {
    const asked = { index: 0, type: "search", arguments: '{"query":"hi"}' };
    const found = {
      ...asked,
      output: "Title: A",
      search_results: { results: [{ ...pages[0], score: 0.9 }] },
    };
    const visited = { index: 1, type: "visit", arguments: "{}", browser_results: [pages[1]], output: null };
    const told = [{ kind: "text", text: "Hi there", citations: full }];
    expect(plain({ content: "Hi there", executed_tools: [found, visited] })).toMatchObject(told);
    expect(
      streamed(
        { delta: { executed_tools: [asked] } },
        { delta: { executed_tools: [found] } },
        { delta: { content: "Hi ", executed_tools: [found, visited] } },
        { delta: { content: "there" } },
      ),
    ).toMatchObject(told);
    const odd = [null, { search_results: null }, { search_results: { results: [{ title: "A" }] } }];
    expect(plain({ content: "Hi", executed_tools: odd })).toEqual([{ kind: "text", text: "Hi" }]);
  });

  it("yield to the annotations of the text itself", () => {
    const annotations = [
      { type: "url_citation", url_citation: { url: "https://own.example", title: "Own" } },
    ];
    const beside = { citations: addresses };
    const told = [{ kind: "text", text: "Hi", citations: [{ url: "https://own.example" }] }];
    expect(plain({ content: "Hi", annotations }, beside)).toMatchObject(told);
    expect(streamed({ delta: { content: "Hi", annotations }, beside }, { delta: {}, beside })).toMatchObject(
      told,
    );
  });

  it("are nothing where no address can be read", () => {
    const told = [{ kind: "text", text: "Hi" }];
    for (const citations of ["x", [""], [7, null, { title: "A" }], { url: "https://a.example" }])
      expect(plain({ content: "Hi" }, { citations })).toEqual(told);
  });
});
