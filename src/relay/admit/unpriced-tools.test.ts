import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../base/json/json-scan.ts";
import type { Catalog, Model } from "../../catalog/catalog.ts";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../conversation/protocol-name.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { TextRequest } from "../text-request.ts";
import { withoutUnpriced } from "./unpriced-tools.ts";
import { watchOf } from "./watch.ts";

/** The request without what has no price, as text with the paths that are named; or the refusal's parameter. */
function dropped(name: ChatProtocol, text: string, piece = 1e9, unpriced = "drop") {
  const body: Buffer[] = [];
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += piece) body.push(bytes.subarray(at, at + piece));
  const scanner = createBodyScan(watchOf(name));
  for (const chunk of body) scanner.write(chunk);
  const request = { protocol: PROTOCOLS[name], body, scan: scanner.end(), caller: { group: "g" } };
  const catalog = {
    settings: { unpriced },
    serving: () => [{ protocols: [name], models: [] }],
    callable: () => undefined,
  } as unknown as Catalog;
  const model = { id: "m", price: { dimensions: { calls: { web_search: {}, google_search: {} } } } };
  try {
    const cut = withoutUnpriced(request as unknown as TextRequest, catalog, model as unknown as Model);
    return { text: Buffer.concat(cut.body).toString(), paths: cut.dropped?.map(({ path }) => path) ?? [] };
  } catch (error) {
    return { refused: (error as { param: string }).param };
  }
}

/** Tools as a caller may spell them, numbers and escapes included: kept ones, and ones without a price. */
const KEPT = [
  '{"type":"function","name":"f","strict":1.0}',
  '{ "name" : "\\u0066" , "type" : "custom" }',
  '{"type":"web_search_preview_2025_03_11","x":[1,{"type":"file_search"}]}',
];
const GONE = [
  '{"type":"image_generation"}',
  '{ "n": -0.0e1, "type" :"file\\u005fsearch", "ids":[ "a,]}" ] }',
];

interface Generated {
  readonly name: ChatProtocol;
  /** The body with everything, and with what is to stay. */
  readonly before: string;
  readonly after: string;
}

const spaces = fc.constantFrom("", " ", "\n  ");
const list = fc.array(fc.record({ tool: fc.constantFrom(...KEPT, ...GONE), space: spaces }), {
  maxLength: 7,
});

/** Lists of typed tools, at least one of which stays, so that nothing else goes. */
const typed = fc
  .record({
    name: fc.constantFrom(...CHAT_PROTOCOLS.filter((name) => name !== "generate-content")),
    tools: list,
    nested: list,
    last: fc.constantFrom(...KEPT),
    space: spaces,
  })
  .map(({ name, tools, nested, last, space }): Generated => {
    const write = (items: readonly string[]): string => `[${space}${items.join(`${space},`)} ]`;
    const body = (keep: (tool: string) => boolean): string => {
      const shown = [...tools, { tool: last, space }].filter(({ tool }) => keep(tool));
      const items = [...nested, { tool: last, space }].filter(({ tool }) => keep(tool));
      const words = name === "responses" ? "input" : "messages";
      const item = `{"type":"additional_tools","tools":${write(items.map(({ tool }) => tool))},"n":1e2}`;
      const content = name === "responses" ? item : '{"role":"user","content":"tools"}';
      return `{"x":1.50,"tools":${write(shown.map(({ tool }) => tool))},"tool_choice":"auto","${words}":[${content}]}`;
    };
    return { name, before: body(() => true), after: body((tool) => !GONE.includes(tool)) };
  });

/** JSON without the blanks between its tokens, with all else as it is spelt. */
function bare(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
}

describe("tools without a price", () => {
  it("are cut out, wherever the body is cut, and every other token stays as it was written", () => {
    fc.assert(
      fc.property(typed, fc.integer({ min: 1, max: 90 }), ({ name, before, after }, piece) => {
        expect(bare(dropped(name, before, piece).text ?? "")).toBe(bare(after));
      }),
    );
  });

  it("stay where the operator wants requests refused, or all have a price", () => {
    const body = '{"tools":[{"type":"file_search"}], "input":"x"}';
    expect(dropped("responses", body, 9, "refuse")).toEqual({ text: body, paths: [] });
    const priced = '{"tools":[ {"type":"web_search"} ], "input":"x"}';
    expect(dropped("responses", priced)).toEqual({ text: priced, paths: [] });
  });

  it.each<[ChatProtocol, string, string, readonly string[]]>([
    [
      "responses",
      '{"model":"m","tools":[{"type":"file_search"}],"tool_choice":"auto","parallel_tool_calls":true,"input":"x"}',
      '{"model":"m","input":"x"}',
      ["tools[].file_search", "tool_choice", "parallel_tool_calls"],
    ],
    [
      "chat-completions",
      '{"messages":[],"plugins":[{"id":"web"}],"enable_search":true}',
      '{"messages":[],"plugins":[{"id":"web"}],"enable_search":true}',
      [],
    ],
    [
      "chat-completions",
      '{"messages":[],"search_parameters":{"mode":"on"},"n":1}',
      '{"messages":[],"n":1}',
      ["search_parameters"],
    ],
    [
      "messages",
      '{"tools":[{"type":"code_execution_20250825","name":"code_execution"}],"tool_choice":{"type":"auto"},"max_tokens":1}',
      '{"max_tokens":1}',
      ["tools[].code_execution_20250825", "tool_choice"],
    ],
    [
      "messages",
      '{"messages":[{"role":"user","content":"x"},{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"type":"code_execution_20250825"}}}]}]}',
      '{"messages":[{"role":"user","content":"x"}]}',
      ["messages[].content[].tool.definition.code_execution_20250825"],
    ],
    [
      "responses",
      '{"tools":[{"type":"file_search"}],"tool_choice":"required","input":[{"type":"additional_tools","tools":[{"type":"function"}]}]}',
      '{"tool_choice":"required","input":[{"type":"additional_tools","tools":[{"type":"function"}]}]}',
      ["tools[].file_search"],
    ],
    [
      "responses",
      '{"input":[{"type":"additional_tools","tools":[{"type":"namespace","tools":[{"type":"file_search"}]}]},{"role":"user","content":"x"}]}',
      '{"input":[{"role":"user","content":"x"}]}',
      ["input[].tools[].tools[].file_search"],
    ],
    [
      "generate-content",
      '{"tools":[{"functionDeclarations":[],"google_maps":{} , "googleSearch":{}},{"googleMaps":{}}],"contents":[]}',
      '{"tools":[{"functionDeclarations":[] , "googleSearch":{}}],"contents":[]}',
      ["tools[].google_maps", "tools[].googleMaps"],
    ],
    [
      "generate-content",
      '{"contents":[],"tools":[{"googleMaps":{}}],"toolConfig":{}}',
      '{"contents":[],"toolConfig":{}}',
      ["tools[].googleMaps"],
    ],
  ])("of %s take with them what means nothing without them: %s", (name, before, after, paths) => {
    expect(dropped(name, before)).toEqual({ text: after, paths });
  });

  it.each<[ChatProtocol, string, string]>([
    [
      "responses",
      '{"tools":[{"type":"file_search"},{"type":"custom"}],"tool_choice":{"type":"file_search"}}',
      "tool_choice",
    ],
    ["responses", '{"tools":[{"type":"file_search"}],"tool_choice":"required"}', "tool_choice"],
    [
      "responses",
      '{"tools":[{"type":"file_search"}],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"file_search"}]}}',
      "tool_choice",
    ],
    [
      "responses",
      '{"tools":[{"type":"file_search"}],"input":[{"type":"file_search_call","id":"fs_1"}]}',
      "input",
    ],
    ["responses", '{"input":[{"type":"additional_tools","tools":[{"type":"file_search"}]}]}', "input"],
    [
      "messages",
      '{"tools":[{"type":"code_execution_20250825","name":"code_execution"}],"tool_choice":{"type":"any"}}',
      "tool_choice",
    ],
    [
      "messages",
      '{"tools":[{"type":"code_execution_20250825"}],"messages":[{"content":[{"type":"bash_code_execution_tool_result"}]}]}',
      "messages",
    ],
    [
      "chat-completions",
      '{"tools":[{"type":"file_search"}],"tool_choice":"required","messages":[]}',
      "tool_choice",
    ],
  ])("of %s are refused where the request needs them: %s", (name, body, param) => {
    for (const piece of [3, 1e9]) expect(dropped(name, body, piece)).toEqual({ refused: param });
  });

  it("that a vendor's state lists are left there, to be refused", () => {
    const body =
      '{"messages":[{"content":[{"type":"compaction","tool_changes":[{"tool":{"definition":{"type":"code_execution_20250825"}}}]}]}]}';
    expect(dropped("messages", body)).toEqual({ text: body, paths: [] });
  });
});
