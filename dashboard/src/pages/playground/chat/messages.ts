import { inputOf, textAt, valueAt } from "../json.ts";
import { type Problem, problemOf } from "../problem.ts";
import type { Answer, AssistantTurn, Effort, Protocol, StreamReader, Turn } from "./conversation.ts";

/** The protocol demands a bound; a response longer than this is asked for by hand. */
const USUAL_MAX_TOKENS = 4_096;

/** Tokens for thoughts, where other protocols have a word. */
const BUDGETS: Readonly<Record<Exclude<Effort, "">, number>> = { low: 1_024, medium: 4_096, high: 16_384 };

export const messages: Protocol = {
  name: "messages",
  path: () => "/v1/messages",
  body: (request) => {
    const { model, system, turns, tools, temperature, topP, maxTokens = USUAL_MAX_TOKENS } = request;
    const effort = answersForeignCalls(turns) ? "" : request.effort;
    return {
      model,
      ...(system === "" ? {} : { system }),
      messages: turns.map(messageOf),
      // Thoughts count as generated tokens, and must be fewer than all of them.
      max_tokens: effort === "" ? maxTokens : maxTokens + BUDGETS[effort],
      stream: true,
      ...(effort === "" ? {} : { thinking: { type: "enabled", budget_tokens: BUDGETS[effort] } }),
      // Beside thinking the vendors of this protocol take no other temperature than their own.
      ...(temperature === undefined || effort !== "" ? {} : { temperature }),
      ...(topP === undefined ? {} : { top_p: topP }),
      ...(tools.length === 0
        ? {}
        : { tools: tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })) }),
    };
  },
  read,
};

/** Whoever thinks must have thought before calling a tool, and thoughts of another protocol cannot be shown. */
function answersForeignCalls(turns: readonly Turn[]): boolean {
  const [before, last] = turns.slice(-2);
  return (
    before?.role === "assistant" &&
    before.protocol !== "messages" &&
    last?.role === "user" &&
    last.results.length > 0
  );
}

function messageOf(turn: Turn): unknown {
  if (turn.role === "assistant") return { role: "assistant", content: answered(turn) };
  const results = turn.results.map(({ callId, text }) => ({
    type: "tool_result",
    tool_use_id: callId,
    content: text,
  }));
  const images = turn.images.map((url) => ({ type: "image", source: sourceOf(url) }));
  const text = turn.text === "" ? [] : [{ type: "text", text: turn.text }];
  return { role: "user", content: [...results, ...images, ...text] };
}

function sourceOf(url: string): unknown {
  const [, type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return data === undefined ? { type: "url", url } : { type: "base64", media_type: type, data };
}

function answered({ protocol, answer: { text, calls, echo } }: AssistantTurn): readonly unknown[] {
  if (protocol === "messages") return echo;
  return [
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input: inputOf(input) })),
  ];
}

/** A block of the response as far as it has come. */
interface Block {
  readonly opened: Readonly<Record<string, unknown>>;
  text: string;
  signature: string;
}

function read(): StreamReader {
  let finish = "";
  let problem: Problem | undefined;
  const blocks: Block[] = [];
  const textOf = (type: string): string =>
    blocks.flatMap(({ opened, text }) => (opened["type"] === type ? [text] : [])).join("");

  return {
    take(event) {
      const index = valueAt(event, "index");
      const block = typeof index === "number" ? blocks[index] : undefined;
      switch (valueAt(event, "type")) {
        case "content_block_start": {
          const opened = (valueAt(event, "content_block") ?? {}) as Block["opened"];
          const text = textAt(opened, "text") + textAt(opened, "thinking");
          if (typeof index === "number")
            blocks[index] = { opened, text, signature: textAt(opened, "signature") };
          break;
        }
        case "content_block_delta":
          if (block === undefined) break;
          block.text +=
            textAt(event, "delta", "text") +
            textAt(event, "delta", "thinking") +
            textAt(event, "delta", "partial_json");
          block.signature += textAt(event, "delta", "signature");
          break;
        case "message_delta":
          finish = textAt(event, "delta", "stop_reason") || finish;
          break;
        case "error":
          problem ??= problemOf(valueAt(event, "error"));
      }
    },
    answer(): Answer {
      const whole = blocks.filter((block) => block !== undefined);
      const calls = whole
        .filter(({ opened }) => opened["type"] === "tool_use")
        .map(({ opened, text }) => ({ id: textAt(opened, "id"), name: textAt(opened, "name"), input: text }));
      const echo = whole.map(echoOf);
      return { text: textOf("text"), thinking: textOf("thinking"), finish, problem, calls, echo };
    },
  };
}

function echoOf({ opened, text, signature }: Block): unknown {
  switch (opened["type"]) {
    case "text":
      return { ...opened, text };
    case "thinking":
      return { ...opened, thinking: text, signature };
    case "tool_use":
      return { ...opened, input: inputOf(text) };
    default:
      return opened;
  }
}
