import { describe, expect, it } from "vitest";
import { totalOutput } from "../../src/usage/usage.ts";
import { chargeOfVerdict, type JudgedAnswer, type Verdict, verdictOf } from "../support/judged-answer.ts";
import { TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";

const PNG = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1").toString("base64");
const PNG_URL = `data:image/png;base64,${PNG}`;
const SEALED = Buffer.from("These are thoughts that only their vendor can read. ".repeat(8)).toString(
  "base64",
);

/** Content of a response: as the plain one holds it, and the events that bring it. */
interface Content {
  readonly plain: object;
  readonly events: readonly object[];
}

/** One kind of content, which a response holds alone. */
type Kinds = Readonly<Record<string, Content>>;

const block = (content: object, ...deltas: readonly object[]): Content => ({
  plain: { id: "msg_1", type: "message", role: "assistant", content: [content], stop_reason: "end_turn" },
  events: [
    { type: "message_start", message: { id: "msg_1", type: "message", role: "assistant", content: [] } },
    { type: "content_block_start", index: 0, content_block: deltas.length > 0 ? begun(content) : content },
    ...deltas.map((delta) => ({ type: "content_block_delta", index: 0, delta })),
    { type: "content_block_stop", index: 0 },
  ],
});

/** The block as it is announced: what pieces are to bring is empty. */
const begun = (content: object): object => {
  const announced: Record<string, unknown> = { ...content };
  for (const field of ["text", "thinking", "signature"]) if (field in announced) announced[field] = "";
  if ("input" in announced) announced["input"] = {};
  return announced;
};

const result = (type: string, content: unknown = [{ type: "text", text: "Found." }]): Content =>
  block({ type, tool_use_id: "s1", content });

const message = (said: object): Content => ({
  plain: { id: "c", choices: [{ index: 0, message: { role: "assistant", ...said }, finish_reason: "stop" }] },
  events: [
    { id: "c", choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] },
    { id: "c", choices: [{ index: 0, delta: said, finish_reason: null }] },
  ],
});

const RESPONSE = { id: "resp_1", object: "response", status: "in_progress", output: [] };

const item = (whole: object, ...deltas: readonly object[]): Content => ({
  plain: { ...RESPONSE, status: "completed", output: [whole] },
  events: [
    { type: "response.created", response: RESPONSE },
    { type: "response.output_item.added", output_index: 0, item: { ...whole, content: [], summary: [] } },
    ...deltas.map((delta) => ({ output_index: 0, item_id: "i_1", content_index: 0, ...delta })),
    { type: "response.output_item.done", output_index: 0, item: whole },
  ],
});

const part = (...parts: readonly object[]): Content => ({
  plain: { candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }] },
  events: [{ candidates: [{ index: 0, content: { role: "model", parts } }] }],
});

const KINDS: Readonly<Record<TextProtocol, Kinds>> = {
  messages: {
    text: block({ type: "text", text: "Hello there." }, { type: "text_delta", text: "Hello there." }),
    "text at once": block({ type: "text", text: "Hello there." }),
    thinking: block(
      { type: "thinking", thinking: "Hm, well.", signature: "c2ln" },
      { type: "thinking_delta", thinking: "Hm, well." },
      { type: "signature_delta", signature: "c2ln" },
    ),
    "thinking that is left out": block(
      { type: "thinking", thinking: "", signature: SEALED },
      { type: "signature_delta", signature: SEALED },
    ),
    redacted_thinking: block({ type: "redacted_thinking", data: SEALED }),
    tool_use: block(
      { type: "tool_use", id: "t1", name: "f", input: { a: 1 } },
      { type: "input_json_delta", partial_json: '{"a":1}' },
    ),
    server_tool_use: block(
      { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "q" } },
      { type: "input_json_delta", partial_json: '{"query":"q"}' },
    ),
    mcp_tool_use: block({ type: "mcp_tool_use", id: "s1", name: "f", server_name: "s", input: { a: 1 } }),
    web_search_tool_result: result("web_search_tool_result", [{ type: "web_search_result" }]),
    web_fetch_tool_result: result("web_fetch_tool_result", { type: "web_fetch_result" }),
    code_execution_tool_result: result("code_execution_tool_result", { type: "code_execution_result" }),
    bash_code_execution_tool_result: result("bash_code_execution_tool_result", { stdout: "1" }),
    tool_search_tool_result: result("tool_search_tool_result", { tool_references: [] }),
    mcp_tool_result: result("mcp_tool_result"),
    container_upload: block({ type: "container_upload", file_id: "file_1" }),
    compaction: block({ type: "compaction", content: "So far." }),
    "a block that nobody knows": block({ type: "hologram", hologram: { light: 1 } }),
  },
  "chat-completions": {
    content: message({ content: "Hello there." }),
    "content in parts": message({ content: [{ type: "text", text: "Hello there." }] }),
    "a part of content that nobody knows": message({ content: [{ type: "hologram", hologram: 1 }] }),
    refusal: message({ refusal: "No, never." }),
    reasoning_content: message({ reasoning_content: "Hm, well." }),
    reasoning: message({ reasoning: "Hm, well." }),
    reasoning_text: message({ reasoning_text: "Hm, well." }),
    "reasoning_details, a text": message({
      reasoning_details: [{ type: "reasoning.text", text: "Hm, well." }],
    }),
    "reasoning_details, a summary": message({
      reasoning_details: [{ type: "reasoning.summary", summary: "Hm, well." }],
    }),
    "reasoning_details, encrypted": message({
      reasoning_details: [{ type: "reasoning.encrypted", data: SEALED }],
    }),
    tool_calls: message({
      tool_calls: [{ index: 0, id: "t1", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
    }),
    function_call: message({ function_call: { name: "f", arguments: '{"a":1}' } }),
    "audio, its words": message({ audio: { id: "a1", transcript: "Hello there." } }),
    "audio, its sound": message({ audio: { id: "a1", data: "A".repeat(6_400) } }),
    images: message({ images: [{ type: "image_url", image_url: { url: PNG_URL } }] }),
    executed_tools: message({ executed_tools: [{ type: "search", arguments: "{}" }] }),
  },
  responses: {
    "message, by pieces": item(
      { id: "i_1", type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello." }] },
      { type: "response.output_text.delta", delta: "Hello." },
    ),
    "message, at once": item({
      ...{ id: "i_1", type: "message", role: "assistant" },
      content: [{ type: "output_text", text: "Hello there." }],
    }),
    refusal: item({
      ...{ id: "i_1", type: "message", role: "assistant" },
      content: [{ type: "refusal", refusal: "No, never." }],
    }),
    "a part of a message that nobody knows": item({
      ...{ id: "i_1", type: "message", role: "assistant" },
      content: [{ type: "hologram", hologram: 1 }],
    }),
    "reasoning, its summary": item(
      { id: "i_1", type: "reasoning", summary: [{ type: "summary_text", text: "Hm, well." }] },
      { type: "response.reasoning_summary_text.delta", delta: "Hm, well." },
    ),
    "reasoning, at once": item({
      ...{ id: "i_1", type: "reasoning", summary: [] },
      content: [{ type: "reasoning_text", text: "Hm, well." }],
    }),
    "reasoning, encrypted": item({ id: "i_1", type: "reasoning", summary: [], encrypted_content: SEALED }),
    compaction: item({ id: "i_1", type: "compaction", encrypted_content: SEALED }),
    function_call: item(
      { id: "i_1", type: "function_call", call_id: "t1", name: "f", arguments: '{"a":1}' },
      { type: "response.function_call_arguments.delta", delta: '{"a":1}' },
    ),
    custom_tool_call: item(
      { id: "i_1", type: "custom_tool_call", call_id: "t1", name: "f", input: "x y" },
      { type: "response.custom_tool_call_input.delta", delta: "x y" },
    ),
    web_search_call: item({ id: "i_1", type: "web_search_call", action: { type: "search", query: "q" } }),
    file_search_call: item({ id: "i_1", type: "file_search_call", queries: ["q"] }),
    code_interpreter_call: item(
      { id: "i_1", type: "code_interpreter_call", code: "print(1)", container_id: "cntr_1" },
      { type: "response.code_interpreter_call_code.delta", delta: "print(1)" },
    ),
    image_generation_call: item({ id: "i_1", type: "image_generation_call", result: PNG }),
    computer_call: item({ id: "i_1", type: "computer_call", call_id: "t1", action: { type: "click" } }),
    mcp_call: item({ id: "i_1", type: "mcp_call", server_label: "s", name: "f", arguments: "{}" }),
    mcp_list_tools: item({ id: "i_1", type: "mcp_list_tools", server_label: "s", tools: [] }),
    mcp_approval_request: item({ id: "i_1", type: "mcp_approval_request", name: "f", arguments: "{}" }),
    local_shell_call: item({ id: "i_1", type: "local_shell_call", call_id: "t1", action: { type: "exec" } }),
    shell_call: item({ id: "i_1", type: "shell_call", call_id: "t1", action: { commands: ["ls"] } }),
    apply_patch_call: item({ id: "i_1", type: "apply_patch_call", call_id: "t1", operation: { diff: "x" } }),
    "an item that nobody knows": item({ id: "i_1", type: "hologram", hologram: { light: 1 } }),
  },
  "generate-content": {
    text: part({ text: "Hello there." }),
    thought: part({ text: "Hm, well.", thought: true }),
    thoughtSignature: part({ thoughtSignature: SEALED }),
    functionCall: part({ functionCall: { name: "f", args: { a: 1 } } }),
    "functionCall in pieces": part({
      functionCall: { name: "f", partialArgs: [{ jsonPath: "$.a", stringValue: "b" }], willContinue: true },
    }),
    "inlineData, an image": part({ inlineData: { mimeType: "image/png", data: PNG } }),
    "inlineData, a sound": part({ inlineData: { mimeType: "audio/pcm", data: "A".repeat(6_400) } }),
    "inlineData, a video": part({ inlineData: { mimeType: "video/mp4", data: "AAAA" } }),
    "inlineData, a document": part({ inlineData: { mimeType: "application/pdf", data: "AAAA" } }),
    fileData: part({ fileData: { mimeType: "video/mp4", fileUri: "https://a.example/b.mp4" } }),
    executableCode: part({ executableCode: { language: "PYTHON", code: "print(1)" } }),
    codeExecutionResult: part({ codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } }),
    toolCall: part({ toolCall: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", args: {} } }),
    functionResponse: part({ functionResponse: { name: "f", response: { a: 1 } } }),
    "a part that nobody knows": part({ hologram: { light: 1 } }),
  },
};

/** The prompt and nothing else, as vendors count before the end. */
const PROMPT_ALONE: Readonly<Record<TextProtocol, object>> = {
  messages: {},
  "chat-completions": { usage: { prompt_tokens: 7, completion_tokens: 0, total_tokens: 7 } },
  responses: {},
  "generate-content": { usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 } },
};

/** Tokens of output that the verdict charges, whichever model's. */
function charged({ outcome }: Verdict): number {
  const others = (outcome?.additionalUsage ?? []).map((each) => totalOutput(each.usage));
  return others.reduce((sum, tokens) => sum + tokens, totalOutput(outcome?.usage ?? {}));
}

const CELLS = TEXT_PROTOCOLS.flatMap((upstream) =>
  Object.entries(KINDS[upstream]).map(([kind, content]) => ({ upstream, kind, content })),
);

describe.each(CELLS)("$kind of $upstream, which is all that came", ({ upstream, content }) => {
  const events = (more: object): readonly string[] =>
    content.events.map((event) => `data: ${JSON.stringify({ ...event, ...more })}\n\n`);

  it.each([
    ["its upstream breaks off", false],
    ["its caller leaves", true],
  ])("counts as output where %s", async (_, leaves) => {
    for (const more of [{}, PROMPT_ALONE[upstream]]) {
      const answer = { upstream, streamed: true, leaves, pieces: events(more) };
      const forwarded = await verdictOf({ ...answer, client: upstream });
      const where = JSON.stringify(more);
      expect(forwarded.reason, where).toBe(leaves ? "client_aborted" : "upstream_failed_after_output");
      expect(charged(forwarded), where).toBeGreaterThan(0);
      for (const client of TEXT_PROTOCOLS) {
        const translated = await verdictOf({ ...answer, client });
        expect(chargeOfVerdict(translated), `${client} ${where}`).toEqual(chargeOfVerdict(forwarded));
      }
    }
  });

  it("counts as output of a whole response whose vendor counts nothing", async () => {
    const answer: Omit<JudgedAnswer, "client"> = {
      upstream,
      streamed: false,
      pieces: [JSON.stringify(content.plain)],
    };
    const forwarded = await verdictOf({ ...answer, client: upstream });
    expect(forwarded.reason).toBe("completed_usage_missing");
    expect(charged(forwarded)).toBeGreaterThan(0);
  });
});

it("counts hidden thoughts by what they hold", async () => {
  const kinds = [
    ["messages", "redacted_thinking"],
    ["messages", "thinking that is left out"],
    ["chat-completions", "reasoning_details, encrypted"],
    ["responses", "reasoning, encrypted"],
    ["generate-content", "thoughtSignature"],
  ] as const;
  for (const [upstream, kind] of kinds) {
    const pieces = (KINDS[upstream][kind]?.events ?? []).map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const { usage } = await verdictOf({ client: upstream, upstream, streamed: true, pieces });
    expect(usage, kind).toMatchObject({ outputVisible: 0, outputReasoning: 105 });
  }
});
