import { describe, expect, it } from "vitest";
import type { CallCount } from "../../usage/usage.ts";
import { chatCompletionsUsage } from "./usage.ts";

const USAGE = { prompt_tokens: 5, completion_tokens: 2 };

/**
 * Vendors' reports of the tools that they ran: fields of the message and of the whole, and the calls that are billed
 * for them.
 */
const TOLD: readonly (readonly [
  vendor: string,
  message: object,
  whole: object,
  calls: readonly CallCount[],
])[] = [
  // https://console.groq.com/docs/compound/built-in-tools
  [
    "Groq's compound systems",
    {
      executed_tools: [
        { index: 0, type: "search", arguments: '{"query":"a"}', output: "found" },
        { index: 1, type: "visit", arguments: '{"url":"https://a.example"}', output: "page" },
        { index: 2, type: "search", arguments: '{"query":"b"}', output: "found" },
        { index: 3, type: "python", arguments: '{"code":"1"}', output: "1" },
      ],
    },
    {},
    [
      { tool: "web_search", count: 2 },
      { tool: "visit_website", count: 1 },
      { tool: "code_interpreter", count: 1 },
    ],
  ],
  [
    "Groq's models of OpenAI",
    {
      executed_tools: [
        { index: 0, type: "browser_search", name: "browser.search", arguments: "{}" },
        { index: 1, type: "browser_search", name: "browser.open", arguments: "{}" },
      ],
    },
    {},
    [
      { tool: "web_search", count: 1 },
      { tool: "visit_website", count: 1 },
    ],
  ],
  // https://docs.z.ai/guides/tools/web-search
  [
    "Z.ai",
    {},
    { web_search: [{ title: "A", link: "https://a.example" }, { title: "B" }] },
    [{ tool: "web_search", count: 1 }],
  ],
  // https://platform.moonshot.ai/docs/guide/use-web-search
  [
    "Moonshot",
    {
      tool_calls: [
        { index: 0, id: "a", type: "builtin_function", function: { name: "$web_search", arguments: "{}" } },
        { index: 1, id: "b", type: "function", function: { name: "web_search", arguments: "{}" } },
      ],
    },
    {},
    [{ tool: "web_search", count: 1 }],
  ],
];

describe.each(TOLD)("tools that %s ran", (_, message, whole, calls) => {
  it("are counted off a plain response", () => {
    const choices = [
      { index: 0, message: { role: "assistant", content: "Hi", ...message }, finish_reason: "stop" },
    ];
    expect(chatCompletionsUsage.readPlain({ choices, usage: USAGE, ...whole }).calls).toEqual(calls);
  });

  it("are counted once off a stream that tells them again, amid ordinary chunks", () => {
    const meter = chatCompletionsUsage.openEvents();
    const chunk = (delta: object, more: object = {}, finish_reason: string | null = null) =>
      meter.write(
        Buffer.from(
          `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`,
        ),
      );
    chunk({ role: "assistant", content: "H" });
    chunk(message, whole);
    chunk({ content: "i" });
    chunk(message, whole);
    chunk({}, { usage: USAGE }, "stop");
    meter.write(Buffer.from("data: [DONE]\n\n"));
    meter.end();
    expect(meter.summary().calls).toEqual(calls);
  });
});
