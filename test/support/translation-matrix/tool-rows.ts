import { CHAT, LINK, NATIVE, PNG, partsOf, type RequestRow, shown } from "./row.ts";
import { DECLARED, PLACE, round, TOOL, tool } from "./spoken.ts";

export const TOOL_ROWS: readonly RequestRow[] = [
  { title: "function tools", says: TOOL, read: ({ tools: declared }) => declared },
  {
    title: "tool name over 64 characters",
    says: {
      messages: { tools: [{ name: "l".repeat(80), input_schema: PLACE }] },
      [NATIVE]: {
        tools: [{ functionDeclarations: [{ name: "l".repeat(80), parametersJsonSchema: PLACE }] }],
      },
    },
    read: ({ tools: declared }) => declared.map(({ name }) => name),
  },
  {
    title: "`strict` of functions",
    says: tool({
      [CHAT]: { function: { ...DECLARED, strict: true } },
      responses: { strict: true },
      messages: { strict: true },
    }),
    read: ({ tools: [first] }) => first?.kind === "function" && first.strict,
  },
  {
    title: "custom (free-text) tools",
    says: {
      [CHAT]: { tools: [{ type: "custom", custom: { name: "sql" } }] },
      responses: { tools: [{ type: "custom", name: "sql" }] },
    },
    read: ({ tools: declared }) => declared,
  },
  {
    title: "grammar of a custom tool",
    says: {
      [CHAT]: {
        tools: [
          {
            type: "custom",
            custom: {
              name: "sql",
              format: { type: "grammar", grammar: { syntax: "lark", definition: 'start: "a"' } },
            },
          },
        ],
      },
      responses: {
        tools: [
          {
            type: "custom",
            name: "sql",
            format: { type: "grammar", syntax: "lark", definition: 'start: "a"' },
          },
        ],
      },
    },
    read: ({ tools: declared }) => declared,
  },
  {
    title: "tool groups",
    says: {
      responses: {
        tools: [
          { type: "namespace", name: "maps", tools: [{ type: "function", ...DECLARED, strict: false }] },
        ],
      },
    },
    read: ({ tools: declared }) => declared,
  },
  {
    title: "vendor tool",
    says: {
      responses: { tools: [{ type: "web_search" }] },
      messages: { tools: [{ type: "web_search_20250305", name: "web_search" }] },
      [NATIVE]: { tools: [{ googleSearch: {} }] },
    },
    read: ({ tools: declared }) => declared,
  },
  {
    title: "MCP servers",
    says: {
      responses: { tools: [{ type: "mcp", server_label: "s", server_url: LINK }] },
      messages: { mcp_servers: [{ type: "url", url: LINK, name: "s" }] },
    },
    read: ({ tools: declared, foreign }) => [declared, foreign],
  },
  ...(["none", "required"] as const).map(
    (word): RequestRow => ({
      title: word === "none" ? "tool choice: none" : "tool choice: required",
      says: {
        [CHAT]: { ...TOOL[CHAT], tool_choice: word },
        responses: { ...TOOL.responses, tool_choice: word },
        messages: { ...TOOL.messages, tool_choice: { type: word === "none" ? "none" : "any" } },
        [NATIVE]: {
          ...TOOL[NATIVE],
          toolConfig: { functionCallingConfig: { mode: word === "none" ? "NONE" : "ANY" } },
        },
      },
      read: ({ toolChoice }) => toolChoice,
    }),
  ),
  {
    title: "forced call of one tool",
    says: {
      [CHAT]: { ...TOOL[CHAT], tool_choice: { type: "function", function: { name: "look" } } },
      responses: { ...TOOL.responses, tool_choice: { type: "function", name: "look" } },
      messages: { ...TOOL.messages, tool_choice: { type: "tool", name: "look" } },
      [NATIVE]: {
        ...TOOL[NATIVE],
        toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["look"] } },
      },
    },
    read: ({ toolChoice }) => toolChoice,
  },
  {
    title: "forced call of some tools",
    says: {
      [CHAT]: {
        ...TOOL[CHAT],
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "look" } }] },
        },
      },
      responses: {
        ...TOOL.responses,
        tool_choice: {
          type: "allowed_tools",
          mode: "required",
          tools: [{ type: "function", name: "look" }],
        },
      },
    },
    // Only the allowed ones are offered, which says the same.
    read: ({ tools: declared }) => declared.map(({ name }) => name),
  },
  {
    title: "call of a vendor tool",
    says: {
      responses: { tools: [{ type: "web_search" }], tool_choice: { type: "web_search" } },
      messages: {
        tools: [{ type: "web_search_20250305", name: "web_search" }],
        tool_choice: { type: "tool", name: "web_search" },
      },
    },
    read: ({ toolChoice }) => toolChoice,
  },
  ...[true, false].map(
    (parallel): RequestRow => ({
      title: parallel ? "parallel tool calls" : "no parallel tool calls",
      says: {
        [CHAT]: { ...TOOL[CHAT], parallel_tool_calls: parallel },
        responses: { ...TOOL.responses, parallel_tool_calls: parallel },
        messages: {
          ...TOOL.messages,
          tool_choice: { type: "auto", disable_parallel_tool_use: !parallel },
        },
      },
      // Several is what every protocol means that says nothing.
      read: ({ parallelToolCalls = true }) => parallelToolCalls,
    }),
  ),
  {
    title: "tool calls and results",
    says: round({
      [CHAT]: { content: "Here." },
      responses: { output: "Here." },
      messages: { content: "Here." },
      [NATIVE]: { response: { output: "Here." } },
    }),
    read: (request) =>
      partsOf(request).flatMap((each): unknown[] => {
        if (each.kind === "tool-call") return [each.name, each.arguments];
        return each.kind === "tool-result" ? [each.parts] : [];
      }),
  },
  {
    title: "failed tool result",
    says: round({
      responses: { output: "Lost.", status: "incomplete" },
      messages: { content: "Lost.", is_error: true },
      [NATIVE]: { response: { error: "Lost." } },
    }),
    read: (request) =>
      partsOf(request).flatMap((each) => (each.kind === "tool-result" ? [each.isError] : [])),
  },
  {
    title: "image in a tool result",
    says: round({
      responses: {
        output: [{ type: "input_image", image_url: `data:image/png;base64,${PNG}`, detail: "auto" }],
      },
      messages: {
        content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }],
      },
      [NATIVE]: {
        response: { output: "Here." },
        parts: [{ inlineData: { mimeType: "image/png", data: PNG } }],
      },
    }),
    read: shown,
  },
];
