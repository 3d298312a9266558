import { listAt, textAt, valueAt } from "../json.ts";
import { type Problem, problemOf } from "../problem.ts";
import type { Answer, AssistantTurn, Call, Protocol, StreamReader, Turn } from "./conversation.ts";

export const chatCompletions: Protocol = {
  name: "chat-completions",
  path: () => "/v1/chat/completions",
  body: ({ model, system, turns, tools, temperature, topP, maxTokens, effort }) => ({
    model,
    messages: [...(system === "" ? [] : [{ role: "system", content: system }]), ...turns.flatMap(messagesOf)],
    stream: true,
    stream_options: { include_usage: true },
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
    ...(effort === "" ? {} : { reasoning_effort: effort }),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: "function", function: tool })) }),
  }),
  read,
};

function messagesOf(turn: Turn): readonly unknown[] {
  if (turn.role === "assistant") return [answered(turn)];
  const results = turn.results.map(({ callId, text }) => ({
    role: "tool",
    tool_call_id: callId,
    content: text,
  }));
  if (turn.text === "" && turn.images.length === 0) return results;
  const images = turn.images.map((url) => ({ type: "image_url", image_url: { url } }));
  const content = images.length === 0 ? turn.text : [...images, { type: "text", text: turn.text }];
  return [...results, { role: "user", content }];
}

function answered({ protocol, answer: { text, calls, echo } }: AssistantTurn): unknown {
  if (protocol === "chat-completions") return echo[0];
  return assistantMessage(
    text,
    calls.map(({ id, name, input }) => ({ id, type: "function", function: { name, arguments: input } })),
  );
}

function assistantMessage(text: string, calls: readonly unknown[]): unknown {
  const content = text === "" ? null : text;
  return { role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

interface CallState {
  id: string;
  name: string;
  input: string;
  /** What else came with it, as a vendor's signature of a thought. */
  rest: Readonly<Record<string, unknown>>;
}

function read(): StreamReader {
  let text = "";
  let thinking = "";
  let finish = "";
  let problem: Problem | undefined;
  const calls: CallState[] = [];

  const takeCall = (delta: unknown, place: number): void => {
    const index = valueAt(delta, "index");
    const at = typeof index === "number" ? index : place;
    const call = calls[at] ?? { id: "", name: "", input: "", rest: {} };
    calls[at] = call;
    const { index: _, id, type: __, function: ___, ...rest } = delta as Readonly<Record<string, unknown>>;
    if (typeof id === "string") call.id = id;
    call.name += textAt(delta, "function", "name");
    call.input += textAt(delta, "function", "arguments");
    call.rest = { ...call.rest, ...rest };
  };

  return {
    take(event) {
      problem ??= problemOf(valueAt(event, "error"));
      const delta = valueAt(event, "choices", 0, "delta");
      text += textAt(delta, "content");
      thinking += textAt(delta, "reasoning_content") || textAt(delta, "reasoning");
      finish = textAt(event, "choices", 0, "finish_reason") || finish;
      listAt(delta, "tool_calls").forEach(takeCall);
    },
    answer(): Answer {
      const whole = calls.filter((call) => call !== undefined);
      const said: Call[] = whole.map(({ id, name, input }) => ({ id, name, input }));
      const echoed = whole.map(({ id, name, input, rest }) => ({
        id,
        type: "function",
        function: { name, arguments: input },
        ...rest,
      }));
      return { text, thinking, finish, problem, calls: said, echo: [assistantMessage(text, echoed)] };
    },
  };
}
