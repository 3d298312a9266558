import { listAt, textAt, valueAt } from "../json.ts";
import { type Problem, problemOf } from "../problem.ts";
import type { Answer, AssistantTurn, Call, Protocol, StreamReader, Turn } from "./conversation.ts";

export const responses: Protocol = {
  name: "responses",
  path: () => "/v1/responses",
  body: ({ model, system, turns, tools, temperature, topP, maxTokens, effort }) => ({
    model,
    ...(system === "" ? {} : { instructions: system }),
    input: turns.flatMap(itemsOf),
    stream: true,
    // Nothing is kept: the conversation travels with each request, its thoughts enciphered.
    store: false,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
    ...(effort === ""
      ? {}
      : { reasoning: { effort, summary: "auto" }, include: ["reasoning.encrypted_content"] }),
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: "function", strict: false, ...tool })) }),
  }),
  read,
};

function itemsOf(turn: Turn): readonly unknown[] {
  if (turn.role === "assistant") return answered(turn);
  const results = turn.results.map(({ callId, text }) => ({
    type: "function_call_output",
    call_id: callId,
    output: text,
  }));
  if (turn.text === "" && turn.images.length === 0) return results;
  const images = turn.images.map((url) => ({ type: "input_image", image_url: url }));
  return [...results, { role: "user", content: [...images, { type: "input_text", text: turn.text }] }];
}

function answered({ protocol, answer: { text, calls, echo } }: AssistantTurn): readonly unknown[] {
  if (protocol === "responses") return echo;
  return [
    ...(text === "" ? [] : [{ role: "assistant", content: [{ type: "output_text", text }] }]),
    ...calls.map(({ id, name, input }) => ({ type: "function_call", call_id: id, name, arguments: input })),
  ];
}

function read(): StreamReader {
  let text = "";
  let thinking = "";
  let finish = "";
  let problem: Problem | undefined;
  let output: readonly unknown[] = [];
  const calls = new Map<string, Call>();

  const end = (response: unknown): void => {
    finish = textAt(response, "incomplete_details", "reason") || textAt(response, "status");
    problem ??= problemOf(valueAt(response, "error"));
    output = listAt(response, "output");
  };

  return {
    take(event) {
      const id = textAt(event, "item_id");
      const call = calls.get(id);
      switch (valueAt(event, "type")) {
        case "response.output_text.delta":
        case "response.refusal.delta":
          text += textAt(event, "delta");
          break;
        case "response.reasoning_summary_text.delta":
        case "response.reasoning_text.delta":
          thinking += textAt(event, "delta");
          break;
        case "response.output_item.added":
          if (valueAt(event, "item", "type") === "function_call")
            calls.set(textAt(event, "item", "id"), {
              id: textAt(event, "item", "call_id"),
              name: textAt(event, "item", "name"),
              input: "",
            });
          break;
        case "response.function_call_arguments.delta":
          if (call !== undefined) calls.set(id, { ...call, input: call.input + textAt(event, "delta") });
          break;
        case "response.completed":
        case "response.incomplete":
        case "response.failed":
          end(valueAt(event, "response"));
          break;
        case "error":
          problem ??= problemOf(event) ?? problemOf(valueAt(event, "error"));
      }
    },
    answer: (): Answer => ({ text, thinking, finish, problem, calls: [...calls.values()], echo: output }),
  };
}
