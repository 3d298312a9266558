import { type Faults, isPlain, openFaults, parsed, type SentFrame, type Wire } from "./faults.ts";

/** The grammar of chat completion streams (rules 5, 8, 11, 15, 19), for a caller that asked for usage. */
export function chatCompletionsFaults(frames: readonly SentFrame[]): readonly string[] {
  const faults = openFaults();
  const { must } = faults;
  must(
    frames.every(({ name }) => name === undefined || name === ""),
    "no event has a name",
  );
  const last = frames.at(-1);
  const broken = isPlain(parsed(last?.data ?? "")?.error);
  must(broken || last?.data === "[DONE]", "a stream ends with [DONE], or with an error");
  const chunks: Wire[] = frames
    .slice(0, -1)
    .map(({ data }) => parsed(data))
    .filter(isPlain);
  must(chunks.length === frames.length - 1, "every chunk is an object, and [DONE] is said once");
  must(
    chunks.every((chunk) => chunk.error === undefined),
    "an error ends the stream",
  );
  for (const field of ["id", "object", "created", "model"]) {
    must(new Set(chunks.map((chunk) => chunk[field])).size <= 1, `${field} is the same in every chunk`);
  }
  const counted = chunks.filter((chunk) => chunk.usage !== undefined && chunk.usage !== null);
  if (!broken) {
    must(counted.length === 1 && counted[0] === chunks.at(-1), "usage is told once, after everything else");
    must(counted[0]?.choices?.length === 0, "usage comes without choices");
  }
  const choices = new Map<number, ChoiceState>();
  for (const chunk of chunks) {
    for (const choice of chunk.choices ?? []) {
      const state = choices.get(choice.index) ?? { begun: false, finish: undefined, calls: [] };
      choices.set(choice.index, state);
      readChoice(state, choice, faults);
    }
  }
  if (!broken) for (const state of choices.values()) judgeEnd(state, faults);
  must(broken || choices.size > 0, "there is a choice");
  return faults.found;
}

interface ChoiceState {
  begun: boolean;
  finish: string | undefined;
  readonly calls: { text: string; custom: boolean }[];
}

function readChoice(state: ChoiceState, { delta, finish_reason: finish }: Wire, { must }: Faults): void {
  must(state.finish === undefined, "nothing follows the finish of a choice");
  must(state.begun === (delta.role === undefined), "the role is told once, first of all");
  if (!state.begun) must(delta.content === "", "the first delta has empty content");
  state.begun = true;
  for (const call of delta.tool_calls ?? []) {
    must(isPlain(call.function) || isPlain(call.custom), "every piece of a call has its function or custom");
    const known = state.calls[call.index];
    if (known === undefined) {
      must(call.index === state.calls.length, "calls are numbered without a gap");
      must(typeof call.id === "string" && call.id !== "", "a call begins with its id");
      const called = call.type === "custom" ? call.custom : call.function;
      must(typeof called?.name === "string", "a call begins with its name");
      state.calls[call.index] = {
        text: called?.arguments ?? called?.input ?? "",
        custom: call.type === "custom",
      };
      continue;
    }
    must(call.id === undefined && call.function?.name === undefined, "id and name are told once");
    known.text += call.function?.arguments ?? call.custom?.input ?? "";
  }
  if (finish !== null && finish !== undefined) state.finish = finish;
}

function judgeEnd({ finish, calls }: ChoiceState, { must }: Faults): void {
  must(finish !== undefined, "every choice has a finish");
  must(finish !== "stop" || calls.length === 0, "an answer that calls does not say stop");
  if (finish !== "tool_calls") return;
  for (const { text, custom } of calls) must(custom || isPlain(parsed(text)), "arguments are an object");
}
