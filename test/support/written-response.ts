import type { TextProtocol } from "./text-caller.ts";

/** One response, said independently of the protocol and of how it is framed. */
export interface WrittenResponse {
  /** "" = not a word. */
  readonly text: string;
  readonly end: "stop" | "length" | "declined" | "failed";
  /** Output tokens that its vendor counts; undefined = it counts nothing. */
  readonly output: number | undefined;
}

/** The response as a vendor of the protocol writes it, whole and as a stream. */
export function writtenResponse(
  protocol: TextProtocol,
  response: WrittenResponse,
): { readonly plain: string; readonly events: string } {
  return WRITERS[protocol](response);
}

const INPUT = 7;

const frame = (data: object, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

const WRITERS: Readonly<
  Record<TextProtocol, (response: WrittenResponse) => { readonly plain: string; readonly events: string }>
> = {
  "chat-completions"({ text, end, output }) {
    const words = { stop: "stop", length: "length", declined: "content_filter", failed: "error" };
    const finish_reason = words[end];
    const total_tokens = INPUT + (output ?? 0);
    const counts = { prompt_tokens: INPUT, completion_tokens: output, total_tokens };
    const usage = output === undefined ? {} : { usage: counts };
    const message = text === "" ? null : { role: "assistant", content: text };
    const chunk = (delta: object, finish: string | null = null): string =>
      frame({ id: "chatcmpl-1", choices: [{ index: 0, delta, finish_reason: finish }] });
    // A failed response has its counts in the same chunk, if at all.
    const last = { choices: [{ index: 0, delta: {}, finish_reason }], ...(end === "failed" ? usage : {}) };
    const counted = end === "failed" || output === undefined ? "" : frame({ choices: [], ...usage });
    const said = text === "" ? "" : chunk({ content: text });
    const opening = chunk({ role: "assistant", content: "" });
    return {
      plain: JSON.stringify({ id: "chatcmpl-1", choices: [{ index: 0, message, finish_reason }], ...usage }),
      events: `${opening}${said}${frame({ id: "chatcmpl-1", ...last })}${counted}data: [DONE]\n\n`,
    };
  },
  responses({ text, end, output }) {
    const total_tokens = INPUT + (output ?? 0);
    const counts = { input_tokens: INPUT, output_tokens: output, total_tokens };
    const reasons = { stop: null, failed: null, length: "max_output_tokens", declined: "content_filter" };
    const reason = reasons[end];
    const status = end === "failed" ? "cancelled" : reason === null ? "completed" : "incomplete";
    const content = [{ type: "output_text", text, annotations: [] }];
    const item = { id: "msg_1", type: "message", role: "assistant", status: "completed", content };
    const begun = { id: "resp_1", object: "response", created_at: 1, status: "in_progress", output: [] };
    const response = {
      ...begun,
      status,
      incomplete_details: reason === null ? null : { reason },
      output: text === "" ? [] : [item],
      usage: output === undefined ? null : counts,
    };
    const about = { item_id: "msg_1", output_index: 0, content_index: 0 };
    const said =
      frame({ type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } }) +
      frame({ type: "response.output_text.delta", ...about, delta: text });
    return {
      plain: JSON.stringify(response),
      events: `${frame({ type: "response.created", response: begun })}${text === "" ? "" : said}${frame({ type: `response.${status}`, response })}`,
    };
  },
  messages({ text, end, output }) {
    const words = { stop: "end_turn", length: "max_tokens", declined: "refusal", failed: null };
    const stop_reason = words[end];
    const counts = { input_tokens: INPUT, output_tokens: output };
    const usage = output === undefined ? {} : { usage: counts };
    const content = text === "" ? [] : [{ type: "text", text }];
    const head = { id: "msg_1", type: "message", role: "assistant", stop_reason: null, content: [] };
    const error = { type: "error", error: { type: "api_error", message: "Sorry." } };
    const start = { index: 0, content_block: { type: "text", text: "" } };
    const delta = { index: 0, delta: { type: "text_delta", text } };
    const said =
      frame({ type: "content_block_start", ...start }, "content_block_start") +
      frame({ type: "content_block_delta", ...delta }, "content_block_delta") +
      frame({ type: "content_block_stop", index: 0 }, "content_block_stop");
    const ended =
      frame({ type: "message_delta", delta: { stop_reason }, ...usage }, "message_delta") +
      frame({ type: "message_stop" }, "message_stop");
    const opening = frame({ type: "message_start", message: head }, "message_start");
    return {
      plain: JSON.stringify(
        end === "failed" ? { ...error, content } : { ...head, stop_reason, content, ...usage },
      ),
      events: `${opening}${text === "" ? "" : said}${end === "failed" ? frame(error, "error") : ended}`,
    };
  },
  "generate-content"({ text, end, output }) {
    const words = {
      stop: "STOP",
      length: "MAX_TOKENS",
      declined: "SAFETY",
      failed: "MALFORMED_FUNCTION_CALL",
    };
    const totalTokenCount = INPUT + (output ?? 0);
    const counts = { promptTokenCount: INPUT, candidatesTokenCount: output, totalTokenCount };
    const usage = output === undefined ? {} : { usageMetadata: counts };
    const candidate = (part: object[], more: object) => ({
      candidates: [{ index: 0, content: { role: "model", parts: part }, ...more }],
    });
    const finish = { finishReason: words[end] };
    return {
      plain: JSON.stringify({ ...candidate(text === "" ? [] : [{ text }], finish), ...usage }),
      events: `${frame(candidate([{ text }], {}))}${frame({ ...candidate([{ text: "" }], finish), ...usage })}`,
    };
  },
};
