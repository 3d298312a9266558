import { describe, expect, it } from "vitest";
import { PROTOCOLS } from "./table.ts";

type Name = "chat-completions" | "responses" | "messages" | "generate-content";

/**
 * The beginning of a stream before its response has content, and the event that says that the vendor's own tools are at
 * work.
 */
const STREAMS: Readonly<
  Record<Name, { readonly opening: readonly object[]; readonly work: readonly object[] }>
> = {
  "chat-completions": {
    opening: [delta({ role: "assistant", content: "" }), delta({ role: "assistant", content: null })],
    work: [
      // Groq's compound models.
      delta({
        executed_tools: [{ index: 0, type: "search", arguments: '{"query":"rivers"}', output: null }],
      }),
      delta({ tool_calls: [{ index: 0, id: "a", function: { name: "web_search", arguments: "" } }] }),
    ],
  },
  responses: {
    opening: [
      { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
      { type: "response.in_progress", response: { id: "resp_1", status: "in_progress", output: [] } },
      item("added", { type: "reasoning", summary: [] }),
      item("added", { type: "message", role: "assistant", content: [] }),
    ],
    work: [
      item("added", { type: "web_search_call", status: "in_progress" }),
      { type: "response.web_search_call.searching", output_index: 0, item_id: "ws_1" },
      item("added", { type: "file_search_call", status: "in_progress", queries: [] }),
      item("added", { type: "code_interpreter_call", status: "in_progress", code: "" }),
      item("added", { type: "image_generation_call", status: "in_progress", result: null }),
      item("added", { type: "mcp_list_tools", server_label: "a", tools: [] }),
      item("added", { type: "mcp_call", server_label: "a", name: "b", arguments: "" }),
      item("added", { type: "tool_search_call", status: "in_progress" }),
      item("added", { type: "compaction", encrypted_content: "" }),
    ],
  },
  messages: {
    opening: [
      {
        type: "message_start",
        message: { id: "msg_1", content: [], usage: { input_tokens: 5, output_tokens: 1 } },
      },
      block({ type: "text", text: "" }),
      block({ type: "thinking", thinking: "", signature: "" }),
    ],
    work: [
      block({ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
      block({ type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }),
      block({ type: "code_execution_tool_result", tool_use_id: "srvtoolu_1", content: {} }),
      block({ type: "mcp_tool_use", id: "mcptoolu_1", name: "a", server_name: "b", input: {} }),
      block({ type: "compaction", content: "" }),
    ],
  },
  "generate-content": {
    opening: [candidate({ content: { role: "model", parts: [{ text: "" }] } }), candidate({})],
    work: [
      candidate({ content: { parts: [{ executableCode: { language: "PYTHON", code: "1" } }] } }),
      candidate({ content: { parts: [{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } }] } }),
      candidate({ content: { parts: [{ toolCall: { toolType: "GOOGLE_SEARCH", id: "a" } }] } }),
    ],
  },
};

const NAMES = Object.keys(STREAMS) as Name[];

describe("a stream's opening, which is held back", () => {
  it.each(NAMES)("lasts through all that only announces an answer: %s", (name) => {
    for (const event of STREAMS[name].opening)
      expect(heard(name, [event]), JSON.stringify(event)).toBe(false);
    expect(heard(name, STREAMS[name].opening)).toBe(false);
  });

  it.each(NAMES)("ends once the vendor's own tools are at work: %s", (name) => {
    const { opening, work } = STREAMS[name];
    for (const event of work) expect(heard(name, [...opening, event]), JSON.stringify(event)).toBe(true);
  });
});

function heard(name: Name, events: readonly object[]): boolean {
  const meter = PROTOCOLS[name].usage.openStream(1);
  for (const event of events) {
    const { type } = event as { type?: string };
    meter.write(
      Buffer.from(`${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`),
    );
  }
  return meter.hasOutput;
}

function delta(said: object): object {
  return {
    id: "c",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: said, finish_reason: null }],
  };
}

function item(step: "added" | "done", value: object): object {
  return { type: `response.output_item.${step}`, output_index: 0, item: { id: "item_1", ...value } };
}

function block(value: object): object {
  return { type: "content_block_start", index: 0, content_block: value };
}

function candidate(value: object): object {
  return { candidates: [{ index: 0, ...value }], modelVersion: "m" };
}
