import { newId } from "./ids.ts";
import { schemaValue } from "./json-schema-value.ts";
import { lastUserText, type Prompt, type Tool, toolResults } from "./prompt.ts";
import { type Scenario, withoutDirectives } from "./scenario.ts";
import { createSeeded, type Seeded, seedOf } from "./seeded.ts";
import { resultText } from "./segments.ts";
import { countTokens, firstTokens } from "./tokens.ts";
import { piecesInto, piecesOf, sentenceOf, slicesOf, wordsOf } from "./words.ts";

/** The model's output, before any protocol writes it down. */
export interface Response {
  /** Undefined = it did not think. The text may be longer than what is shown. */
  thinking: string | undefined;
  /** Shown text in the pieces a stream sends. */
  pieces: Iterable<string>;
  text: string;
  calls: ToolCall[];
  finish: Finish;
  outputVisible: number;
  outputReasoning: number;
}

export interface ToolCall {
  /** Letters and digits only: every vendor accepts such an id when it comes back. */
  id: string;
  name: string;
  /** JSON text, or free text for a `custom` tool; cut short when the token limit fell inside it. */
  args: string;
  argsPieces: string[];
  complete: boolean;
  freeform: boolean;
}

type Finish =
  | { kind: "stop" }
  | { kind: "length" }
  | { kind: "tools" }
  | { kind: "stop-sequence"; sequence: string };

/** Arguments stream in pieces of this many characters. */
const ARGS_PIECE = 8;
const CALL_ID_LENGTH = 24;
const ECHO_WORDS = 12;
const ECHO_LENGTH = 160;
/** One piece of a flood: large enough to be fast, small enough to feel back-pressure. */
const FLOOD_PIECE_WORDS = 2_048;
/** Strings end at half a gigabyte; a plain flood stays well below. */
const MAX_PLAIN_FLOOD_MEGABYTES = 128;
const BYTES_PER_MEGABYTE = 1_048_576;

/** Plans every alternative (`n`) of a response; `digest` fixes the words. */
export function planResponses(prompt: Prompt, scenario: Scenario, digest: string): Response[] {
  const responses: Response[] = [];
  for (let index = 0; index < prompt.count; index += 1) {
    responses.push(planResponse(prompt, scenario, createSeeded(seedOf(`${digest}#${index}`))));
  }
  return responses;
}

/** The same responses with new call ids: a plan may serve many requests, an id only one. */
export function withFreshIds(responses: Response[]): Response[] {
  if (responses.every((response) => response.calls.length === 0)) return responses;
  return responses.map((response) => ({
    ...response,
    calls: response.calls.map((call) => ({ ...call, id: newId("", CALL_ID_LENGTH) })),
  }));
}

function planResponse(prompt: Prompt, scenario: Scenario, seeded: Seeded): Response {
  if (scenario.empty) return emptyResponse({ kind: "stop" });
  if (prompt.maxTokens === 0) return emptyResponse({ kind: "length" });
  if (scenario.floodMegabytes !== undefined) return floodResponse(prompt, scenario.floodMegabytes, seeded);
  const budget = prompt.maxTokens ?? Number.POSITIVE_INFINITY;
  const thought = prompt.thinking.on ? thoughtOf(prompt, seeded) : undefined;
  const thinking = thought === undefined ? undefined : within(thought, budget);
  const outputReasoning = thinking === undefined ? 0 : countTokens(thinking);
  const left = Math.max(0, budget - outputReasoning);
  const calls = callsOf(prompt, scenario, seeded);
  const spoken = calls.length > 0 ? (scenario.text ?? "") : textOf(prompt, scenario, seeded);
  return cutToLimits(prompt, scenario, { thinking, outputReasoning, left, calls, spoken });
}

interface Draft {
  thinking: string | undefined;
  outputReasoning: number;
  left: number;
  calls: ToolCall[];
  spoken: string;
}

/** Applies stop sequences, then the token limit, as a model would run into them. */
function cutToLimits(prompt: Prompt, scenario: Scenario, draft: Draft): Response {
  const stopped = cutAtStop(draft.spoken, prompt.stops);
  // `tokens=N` is N tokens by construction: a long one need not be counted.
  const spokenTokens =
    stopped.sequence === undefined &&
    scenario.tokens !== undefined &&
    draft.calls.length === 0 &&
    scenario.text === undefined
      ? countedByWords(stopped.text)
      : countTokens(stopped.text);
  const tooLong = spokenTokens > draft.left;
  const text = tooLong ? firstTokens(stopped.text, draft.left) : stopped.text;
  const textTokens = tooLong ? draft.left : spokenTokens;
  const { calls, tokens: callTokens, cut } = cutCalls(tooLong ? [] : draft.calls, draft.left - textTokens);
  const length = tooLong || cut || (draft.left === 0 && draft.spoken !== "");
  return {
    thinking: draft.thinking,
    text,
    pieces: scenario.chunks === undefined ? piecesOf(text) : piecesInto(text, scenario.chunks),
    calls: stopped.sequence === undefined ? calls : [],
    finish: finishOf(length, stopped.sequence, calls),
    outputVisible: textTokens + (stopped.sequence === undefined ? callTokens : 0),
    outputReasoning: draft.outputReasoning,
  };
}

function finishOf(length: boolean, sequence: string | undefined, calls: readonly ToolCall[]): Finish {
  if (length) return { kind: "length" };
  if (sequence !== undefined) return { kind: "stop-sequence", sequence };
  return { kind: calls.length > 0 ? "tools" : "stop" };
}

function countedByWords(text: string): number {
  return text === "" ? 0 : text.split(" ").length;
}

function within(text: string, budget: number): string {
  return countTokens(text) <= budget ? text : firstTokens(text, budget);
}

function cutAtStop(text: string, stops: readonly string[]): { text: string; sequence: string | undefined } {
  let end = text.length;
  let sequence: string | undefined;
  for (const stop of stops) {
    const at = text.indexOf(stop);
    if (at !== -1 && at < end) {
      end = at;
      sequence = stop;
    }
  }
  return { text: text.slice(0, end), sequence };
}

function cutCalls(
  calls: readonly ToolCall[],
  left: number,
): { calls: ToolCall[]; tokens: number; cut: boolean } {
  const kept: ToolCall[] = [];
  let tokens = 0;
  for (const call of calls) {
    const nameTokens = countTokens(call.name);
    const needed = nameTokens + countTokens(call.args);
    if (tokens + needed <= left) {
      kept.push(call);
      tokens += needed;
      continue;
    }
    const room = left - tokens - nameTokens;
    if (room > 0) {
      const args = firstTokens(call.args, room);
      kept.push({ ...call, args, argsPieces: slicesOf(args, ARGS_PIECE), complete: false });
    }
    return { calls: kept, tokens: left, cut: true };
  }
  return { calls: kept, tokens, cut: false };
}

function emptyResponse(finish: Finish): Response {
  return {
    thinking: undefined,
    text: "",
    pieces: [],
    calls: [],
    finish,
    outputVisible: 0,
    outputReasoning: 0,
  };
}

/** Megabytes of one repeated piece; only a plain response must hold them in memory as a whole. */
function floodResponse(prompt: Prompt, megabytes: number, seeded: Seeded): Response {
  const piece = ` ${wordsOf(FLOOD_PIECE_WORDS, seeded)}`;
  const wanted = prompt.stream ? megabytes : Math.min(megabytes, MAX_PLAIN_FLOOD_MEGABYTES);
  const repeats = Math.ceil((wanted * BYTES_PER_MEGABYTE) / piece.length);
  return {
    ...emptyResponse({ kind: "stop" }),
    text: prompt.stream ? "" : piece.repeat(repeats),
    pieces: {
      *[Symbol.iterator]() {
        for (let index = 0; index < repeats; index += 1) yield piece;
      },
    },
    outputVisible: repeats * FLOOD_PIECE_WORDS,
  };
}

function thoughtOf(prompt: Prompt, seeded: Seeded): string {
  const topic = echoOf(prompt);
  return `The question is: ${topic}\n${sentenceOf(9, seeded)} ${sentenceOf(7, seeded)}`;
}

function echoOf(prompt: Prompt): string {
  const words = withoutDirectives(lastUserText(prompt.turns)).split(/\s+/u).slice(0, ECHO_WORDS).join(" ");
  return Array.from(words).slice(0, ECHO_LENGTH).join("");
}

function textOf(prompt: Prompt, scenario: Scenario, seeded: Seeded): string {
  if (scenario.text !== undefined) return scenario.text;
  if (scenario.tokens !== undefined) return wordsOf(scenario.tokens, seeded);
  if (prompt.format.kind === "schema") return JSON.stringify(schemaValue(prompt.format.schema, seeded));
  if (prompt.format.kind === "json") return JSON.stringify({ answer: sentenceOf(6, seeded) });
  const results = toolResults(prompt.turns);
  const opening =
    results.length > 0
      ? results.map((result) => `The tool answered: ${resultText(result.text)}`).join("\n")
      : `You said: ${echoOf(prompt)}`;
  const text = `${opening}\n${sentenceOf(8, seeded)} ${sentenceOf(10, seeded)}`;
  const missing = (scenario.chunks ?? 0) - countedByWords(text);
  return missing > 0 ? `${text} ${wordsOf(missing, seeded)}` : text;
}

/**
 * A tool is called when the caller forces one, when the prompt asks with `tools=n`, or by itself
 * on the first turn, before any result is there: so that a tool loop ends.
 */
function callsOf(prompt: Prompt, scenario: Scenario, seeded: Seeded): ToolCall[] {
  const choice = prompt.toolChoice;
  const tools = prompt.tools.filter((tool) => choice.only?.includes(tool.name) ?? true);
  if (tools.length === 0 || choice.kind === "none") return [];
  const forced = choice.kind === "required";
  const spontaneous = forced || (toolResults(prompt.turns).length === 0 && speaksFreely(scenario));
  const wanted = spontaneous ? (scenario.tools ?? 1) : 0;
  const asked = forced ? Math.max(wanted, 1) : wanted;
  const limit = prompt.parallelTools ? asked : Math.min(asked, 1);
  const first = mentioned(tools, lastUserText(prompt.turns));
  return Array.from({ length: limit }, (_, index) => callOf(tools, first + index, seeded));
}

function speaksFreely(scenario: Scenario): boolean {
  return scenario.tools !== undefined || (scenario.text === undefined && scenario.tokens === undefined);
}

function mentioned(tools: readonly Tool[], text: string): number {
  return Math.max(
    0,
    tools.findIndex((tool) => text.includes(tool.name)),
  );
}

function callOf(tools: readonly Tool[], index: number, seeded: Seeded): ToolCall {
  const tool = tools[index % tools.length];
  if (tool === undefined) throw new Error("callOf needs at least one tool");
  const args = tool.freeform
    ? sentenceOf(5, seeded)
    : JSON.stringify(schemaValue({ type: "object", ...tool.schema }, seeded));
  return {
    id: newId("", CALL_ID_LENGTH),
    name: tool.name,
    args,
    argsPieces: slicesOf(args, ARGS_PIECE),
    complete: true,
    freeform: tool.freeform === true,
  };
}
