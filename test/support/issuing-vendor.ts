import type { TextProtocol } from "./text-caller.ts";
import { type VendorCall, type VendorUpstream, vendorUpstream } from "./vendor-upstream.ts";

/** A vendor that gives ids to what it keeps, in every place where vendors do. */
export interface IssuingVendor {
  readonly vendor: VendorUpstream;
  /** The key with which each id was issued. */
  readonly issued: ReadonlyMap<string, string>;
}

/**
 * Ids go on from `prefix`; each response gives away those of its protocol: responses a response, an item, a container and a
 * file, chat completions a sound, messages a container and a file. generateContent issues none.
 */
export async function issuingVendor(prefix: string): Promise<IssuingVendor> {
  const issued = new Map<string, string>();
  let count = 0;
  const vendor = await vendorUpstream((call) => {
    const key = keyOf(call);
    const next = (): string => {
      count += 1;
      const id = `${prefix}${count}`;
      issued.set(id, key);
      return id;
    };
    const { streamed, protocol, response } = call;
    const type = streamed ? "text/event-stream" : "application/json";
    response.writeHead(200, { "content-type": type }).end(RESPONSES[protocol](next, streamed));
  });
  return { vendor, issued };
}

export function keyOf({ request }: VendorCall): string {
  return request.headers.authorization?.replace("Bearer ", "") ?? "";
}

const event = (data: object, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

const TOKENS = { input_tokens: 5, output_tokens: 2 };

function responses(next: () => string, streamed: boolean): string {
  const [response, item, container, file] = [next(), next(), next(), next()];
  const cited = { type: "container_file_citation", container_id: container, file_id: file };
  const content = [{ type: "output_text", text: "Done.", annotations: [cited] }];
  const output = [
    { type: "code_interpreter_call", id: next(), container_id: container, status: "completed", code: "1" },
    { type: "message", id: item, role: "assistant", status: "completed", content },
  ];
  const begun = { id: response, object: "response", created_at: 1, model: "m", output: [] };
  const whole = { ...begun, status: "completed", output, usage: { ...TOKENS, total_tokens: 7 } };
  if (!streamed) return JSON.stringify(whole);
  const at = { item_id: item, output_index: 1, content_index: 0 };
  return [
    { type: "response.created", response: { ...begun, status: "in_progress" } },
    { type: "response.output_text.delta", ...at, delta: "Done." },
    { type: "response.completed", response: whole },
  ]
    .map((each) => event(each, each.type))
    .join("");
}

function chat(next: () => string, streamed: boolean): string {
  const audio = { id: next(), transcript: "Done." };
  const head = { id: "chatcmpl-1", created: 1, model: "m" };
  const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
  if (!streamed) {
    const choices = [
      { index: 0, finish_reason: "stop", message: { role: "assistant", content: null, audio } },
    ];
    return JSON.stringify({ ...head, object: "chat.completion", choices, usage });
  }
  const chunk = { ...head, object: "chat.completion.chunk" };
  const choice = (delta: object, finish_reason: string | null): object => ({
    index: 0,
    delta,
    finish_reason,
  });
  return [
    { ...chunk, choices: [choice({ role: "assistant" }, null)] },
    { ...chunk, choices: [choice({ audio }, null)] },
    { ...chunk, choices: [choice({ audio: { data: "AAAA" } }, null)] },
    { ...chunk, choices: [choice({}, "stop")], usage },
  ]
    .map((each) => event(each))
    .concat("data: [DONE]\n\n")
    .join("");
}

function messages(next: () => string, streamed: boolean): string {
  const container = { id: next(), expires_at: "2030-01-01T00:00:00Z" };
  const outputs = [{ type: "bash_code_execution_output", file_id: next() }];
  const result = {
    type: "bash_code_execution_tool_result",
    tool_use_id: "srvtoolu_1",
    content: { type: "bash_code_execution_result", content: outputs, stdout: "" },
  };
  const blocks = [{ type: "text", text: "Done." }, result];
  const head = { id: next(), type: "message", role: "assistant", model: "m" };
  const end = { stop_reason: "end_turn", container };
  if (!streamed) return JSON.stringify({ ...head, content: blocks, ...end, usage: TOKENS });
  return [
    { type: "message_start", message: { ...head, content: [], container: null, usage: TOKENS } },
    ...blocks.flatMap((content_block, index) => [
      { type: "content_block_start", index, content_block },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: end, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ]
    .map((each) => event(each, each.type))
    .join("");
}

function native(): string {
  const candidate = {
    index: 0,
    finishReason: "STOP",
    content: { role: "model", parts: [{ text: "Done." }] },
  };
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 };
  return JSON.stringify({ candidates: [candidate], usageMetadata });
}

const RESPONSES: Readonly<Record<TextProtocol, (next: () => string, streamed: boolean) => string>> = {
  "chat-completions": chat,
  responses,
  messages,
  "generate-content": native,
};
