import { inputOf, listAt, textAt, valueAt } from "../json.ts";
import { type Problem, problemOf } from "../problem.ts";
import type { Answer, AssistantTurn, Call, Protocol, StreamReader, Turn } from "./conversation.ts";

export const generateContent: Protocol = {
  name: "generate-content",
  path: (model) => `/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
  body: ({ system, turns, tools, temperature, topP, maxTokens, effort }) => ({
    ...(system === "" ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    contents: turns.map(contentOf),
    ...(tools.length === 0
      ? {}
      : {
          tools: [
            {
              functionDeclarations: tools.map(({ parameters, ...tool }) => ({
                ...tool,
                parametersJsonSchema: parameters,
              })),
            },
          ],
        }),
    generationConfig: {
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
      ...(effort === "" ? {} : { thinkingConfig: { includeThoughts: true, thinkingLevel: effort } }),
    },
  }),
  read,
};

function contentOf(turn: Turn): unknown {
  if (turn.role === "assistant") return { role: "model", parts: answered(turn) };
  const results = turn.results.map(({ callId, name, text }) => ({
    functionResponse: { id: callId, name, response: { result: text } },
  }));
  const text = turn.text === "" ? [] : [{ text: turn.text }];
  return { role: "user", parts: [...results, ...turn.images.map(imagePart), ...text] };
}

function imagePart(url: string): unknown {
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return data === undefined ? { fileData: { fileUri: url } } : { inlineData: { mimeType, data } };
}

function answered({ protocol, answer: { text, calls, echo } }: AssistantTurn): readonly unknown[] {
  if (protocol === "generate-content") return echo;
  return [
    ...(text === "" ? [] : [{ text }]),
    ...calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: inputOf(input) } })),
  ];
}

function read(): StreamReader {
  let text = "";
  let thinking = "";
  let finish = "";
  let problem: Problem | undefined;
  const calls: Call[] = [];
  const parts: unknown[] = [];

  return {
    take(event) {
      problem ??= problemOf(valueAt(event, "error"));
      const candidate = valueAt(event, "candidates", 0);
      finish = textAt(candidate, "finishReason") || textAt(event, "promptFeedback", "blockReason") || finish;
      for (const part of listAt(candidate, "content", "parts")) {
        parts.push(part);
        const called = valueAt(part, "functionCall");
        if (called !== undefined) {
          // The protocol needs no id where each tool is called once.
          const id = textAt(called, "id") || `call-${calls.length + 1}`;
          const input = JSON.stringify(valueAt(called, "args") ?? {});
          calls.push({ id, name: textAt(called, "name"), input });
        } else if (valueAt(part, "thought") === true) thinking += textAt(part, "text");
        else text += textAt(part, "text");
      }
    },
    answer: (): Answer => ({ text, thinking, finish, problem, calls: [...calls], echo: parts }),
  };
}
