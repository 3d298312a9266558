import type { TextProtocol } from "./text-caller.ts";
import { readEvents } from "./text-errors.ts";

/** The content of a response, however it was worded. */
export interface Said {
  readonly text: string;
  readonly thoughts: string;
  /** The finish word in the client's own spelling. */
  readonly finish: string;
  readonly calls: readonly SaidCall[];
}

export interface SaidCall {
  readonly name: string;
  readonly input: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
type Wire = any;

/** Reads a whole response of the protocol, plain or streamed, with no more than its own rules. */
export function said(protocol: TextProtocol, text: string, streamed: boolean): Said {
  return streamed ? STREAMED[protocol](text) : PLAIN[protocol](JSON.parse(text));
}

const joined = (texts: readonly unknown[]): string => texts.map((each) => each ?? "").join("");

const PLAIN: Readonly<Record<TextProtocol, (body: Wire) => Said>> = {
  "chat-completions"({ choices: [choice] }) {
    return {
      text: choice.message.content ?? "",
      thoughts: choice.message.reasoning_content ?? "",
      finish: choice.finish_reason,
      calls: (choice.message.tool_calls ?? []).map(({ function: { name, arguments: input } }: Wire) => ({
        name,
        input: JSON.parse(input),
      })),
    };
  },
  responses(body) {
    const items = (type: string): Wire[] => body.output.filter((item: Wire) => item.type === type);
    return {
      text: joined(items("message").flatMap(({ content }) => content.map((part: Wire) => part.text))),
      thoughts: joined(items("reasoning").flatMap(({ summary }) => summary.map((part: Wire) => part.text))),
      finish: body.incomplete_details?.reason ?? body.status,
      calls: items("function_call").map((item) => ({ name: item.name, input: JSON.parse(item.arguments) })),
    };
  },
  messages(body) {
    const blocks = (type: string): Wire[] => body.content.filter((block: Wire) => block.type === type);
    return {
      text: joined(blocks("text").map(({ text }) => text)),
      thoughts: joined(blocks("thinking").map(({ thinking }) => thinking)),
      finish: body.stop_reason,
      calls: blocks("tool_use").map(({ name, input }) => ({ name, input })),
    };
  },
  "generate-content": (body) => saidNatively([body]),
};

const STREAMED: Readonly<Record<TextProtocol, (text: string) => Said>> = {
  "chat-completions"(text) {
    const choices: Wire[] = dataOf(text).flatMap((chunk) => chunk.choices ?? []);
    const calls: { name: string; input: string }[] = [];
    for (const { delta } of choices) {
      for (const { index, function: part } of delta.tool_calls ?? []) {
        calls[index] ??= { name: "", input: "" };
        calls[index].name += part.name ?? "";
        calls[index].input += part.arguments ?? "";
      }
    }
    return {
      text: joined(choices.map(({ delta }) => delta.content)),
      thoughts: joined(choices.map(({ delta }) => delta.reasoning_content)),
      finish: joined(choices.map((choice) => choice.finish_reason)),
      calls: calls.map(({ name, input }) => ({ name, input: JSON.parse(input) })),
    };
  },
  responses(text) {
    const last = dataOf(text).at(-1);
    return PLAIN.responses(last.response);
  },
  messages(text) {
    const events = dataOf(text);
    const deltas = (type: string, index?: number): Wire[] =>
      events
        .filter((event) => event.type === "content_block_delta" && event.delta.type === type)
        .filter((event) => index === undefined || event.index === index)
        .map((event) => event.delta);
    return {
      text: joined(deltas("text_delta").map((delta) => delta.text)),
      thoughts: joined(deltas("thinking_delta").map((delta) => delta.thinking)),
      finish: joined(
        events.filter((event) => event.type === "message_delta").map((e) => e.delta.stop_reason),
      ),
      calls: events
        .filter((event) => event.content_block?.type === "tool_use")
        .map(({ index, content_block: { name } }) => ({
          name,
          input: JSON.parse(
            joined(deltas("input_json_delta", index).map((delta) => delta.partial_json)) || "{}",
          ),
        })),
    };
  },
  "generate-content": (text) => saidNatively(dataOf(text)),
};

function saidNatively(responses: readonly Wire[]): Said {
  const candidates = responses.flatMap((response) => response.candidates ?? []);
  const parts: Wire[] = candidates.flatMap((candidate) => candidate.content?.parts ?? []);
  return {
    text: joined(parts.filter((part) => !part.thought).map((part) => part.text)),
    thoughts: joined(parts.filter((part) => part.thought).map((part) => part.text)),
    finish: joined(candidates.map((candidate) => candidate.finishReason)),
    calls: parts
      .filter((part) => part.functionCall !== undefined)
      .map(({ functionCall: { name, args } }) => ({ name, input: args ?? {} })),
  };
}

function dataOf(text: string): Wire[] {
  return readEvents(text.replaceAll("\r\n", "\n"))
    .map(({ data }) => data)
    .filter((data) => typeof data === "object" && data !== null);
}
