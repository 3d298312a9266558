import { ARGUMENT_LEVELS, isWithinDepth, writeExact } from "../../base/json/exact-json.ts";
import type { ChatEvent } from "../event.ts";
import type { LossList } from "../loss.ts";
import type { ProtocolCapabilities } from "../lower/capabilities.ts";
import type { CallDefect, ToolCallPart } from "../request.ts";
import type { ChatResponse, Choice, Finish, ResponsePart } from "../response.ts";
import type { StreamRun } from "./stream-transform.ts";

/**
 * The one place that says what the calls of a response are worth. Their arguments are a JSON object, or the call is
 * marked broken; a finish that tells no limit or filter says that tools are called if and only if there are calls; and a call that was cut short
 * is never handed on as another call.
 */

/** The response with arguments that can be read, broken calls marked. To be done before names and inputs are undone. */
export function markCalls(response: ChatResponse): ChatResponse {
  if (!response.choices.some(({ parts }) => parts.some((part) => part.kind === "tool-call"))) return response;
  const marked = ({ parts, finish }: Choice): Choice => ({ parts: parts.map(markCall), finish });
  return { ...response, choices: response.choices.map(marked) };
}

function markCall(part: ResponsePart): ResponsePart {
  if (part.kind !== "tool-call" || part.custom === true) return part;
  if (isNoArguments(part.arguments)) return { ...part, arguments: "{}" };
  const defect = defectOf(part.arguments);
  return defect === undefined ? part : { ...part, defect };
}

/** The same for a stream. What may turn out to be no arguments waits until it is known. */
export function markCallEvents(): StreamRun<ChatEvent, ChatEvent> {
  const calls = new Map<number, { text: string; waits: boolean }>();
  return {
    step(event) {
      switch (event.type) {
        case "tool-call-start":
          if (event.custom !== true) calls.set(event.block, { text: "", waits: true });
          return [event];
        case "tool-call-delta": {
          const call = calls.get(event.block);
          if (call === undefined) return [event];
          call.text += event.arguments;
          if (!call.waits) return [event];
          const bare = call.text.trim();
          if (NO_ARGUMENTS.startsWith(bare)) {
            // Blanks without end are no more to wait for than one.
            call.text = /\S\s+$/.test(call.text) ? `${bare} ` : bare;
            return [];
          }
          call.waits = false;
          return [{ ...event, arguments: call.text }];
        }
        case "tool-call-end": {
          const call = calls.get(event.block);
          if (call === undefined) return [event];
          calls.delete(event.block);
          if (isNoArguments(call.text)) {
            return [{ type: "tool-call-delta", block: event.block, arguments: "{}" }, event];
          }
          const defect = defectOf(call.text);
          const end = defect === undefined ? event : { ...event, defect };
          return call.waits
            ? [{ type: "tool-call-delta", block: event.block, arguments: call.text }, end]
            : [end];
        }
        default:
          return [event];
      }
    },
    end: () => [],
  };
}

/** The response for a caller who can read one call: the first of each choice; others are told as lost. */
export function firstCalls(response: ChatResponse, losses: LossList): ChatResponse {
  const first = ({ parts, finish }: Choice): Choice => {
    const at = parts.findIndex(({ kind }) => kind === "tool-call");
    const kept = parts.filter(({ kind }, index) => kind !== "tool-call" || index === at);
    if (kept.length < parts.length) losses.field("toolCalls");
    return { parts: kept, finish };
  };
  return { ...response, choices: response.choices.map(first) };
}

/** The same for a stream. */
export function firstCallEvents(losses: LossList): StreamRun<ChatEvent, ChatEvent> {
  const calling = new Set<number>();
  const dropped = new Set<number>();
  return {
    step(event) {
      if (event.type === "tool-call-start") {
        if (!calling.has(event.choice)) calling.add(event.choice);
        else {
          dropped.add(event.block);
          losses.field("toolCalls");
          return [];
        }
      }
      return "block" in event && dropped.has(event.block) ? [] : [event];
    },
    end: () => [],
  };
}

/** Each choice with a finish that goes with its calls. */
export function correctFinishes(response: ChatResponse): ChatResponse {
  const settled = (choice: Choice): Choice => {
    const calls = choice.parts.filter((part) => part.kind === "tool-call");
    return { parts: choice.parts, finish: finishWith(choice.finish, madeBy(calls)) };
  };
  return { ...response, choices: response.choices.map(settled) };
}

/** The same for a stream. */
export function correctFinishEvents(): StreamRun<ChatEvent, ChatEvent> {
  const makers = new Map<number, "model" | "code">();
  return {
    step(event) {
      if (event.type === "tool-call-start" && makers.get(event.choice) !== "model")
        makers.set(event.choice, event.byCode ? "code" : "model");
      if (event.type !== "finish") return [event];
      return [{ ...event, finish: finishWith(event.finish, makers.get(event.choice) ?? "nobody") }];
    },
    end: () => [],
  };
}

type CallStart = Pick<ToolCallPart, "byCode">;

/**
 * The maker of a response's calls: the model, if it made at least one; only code that the vendor ran; or there are
 * none.
 */
function madeBy(calls: readonly CallStart[]): "model" | "code" | "nobody" {
  if (calls.length === 0) return "nobody";
  return calls.every(({ byCode }) => byCode) ? "code" : "model";
}

/**
 * A limit and a filter are told for what they are, whatever was called before they struck. Of the calls of code that the
 * vendor ran it alone knows whether they are over.
 */
function finishWith(finish: Finish, maker: ReturnType<typeof madeBy>): Finish {
  const { unified, protocol } = finish;
  if (unified === "length" || unified === "content-filter" || maker === "code") return finish;
  const calls = maker === "model";
  if (calls === (unified === "tool-calls")) return finish;
  return { unified: calls ? "tool-calls" : "stop", protocol };
}

/**
 * The choice without calls that its caller could only take for others. Some protocols hand arguments on as the text
 * that they are, and their callers read for themselves what a model wrote badly.
 */
export function dropMalformedCalls(
  choice: Choice,
  capabilities: ProtocolCapabilities,
  losses: LossList,
): Choice {
  const left = choice.parts.flatMap((part) =>
    part.kind === "tool-call" && isLeftOut(part.defect, capabilities) ? (part.defect ?? []) : [],
  );
  if (left.length === 0) return choice;
  losses.field("toolCalls", "cut-short");
  const parts = choice.parts.filter(
    (part) => part.kind !== "tool-call" || !isLeftOut(part.defect, capabilities),
  );
  return { parts, finish: finishWithout(choice.finish, left, capabilities) };
}

/**
 * The same for a stream, whose pieces of arguments are out when their end tells that they are broken: there the call
 * stays cut as the vendors leave it, and the finish says so.
 */
export function dropMalformedCallEvents(
  capabilities: ProtocolCapabilities,
  losses: LossList,
): StreamRun<ChatEvent, ChatEvent> {
  const choices = new Map<number, number>();
  const left = new Map<number, Set<CallDefect>>();
  return {
    step(event) {
      switch (event.type) {
        case "tool-call-start":
          choices.set(event.block, event.choice);
          return [event];
        case "tool-call-end": {
          const choice = choices.get(event.block);
          choices.delete(event.block);
          if (choice === undefined || event.defect === undefined || !isLeftOut(event.defect, capabilities)) {
            return [event];
          }
          losses.field("toolCalls", "cut-short");
          left.set(choice, (left.get(choice) ?? new Set()).add(event.defect));
          return [event];
        }
        case "finish": {
          const broken = left.get(event.choice);
          return broken === undefined
            ? [event]
            : [{ ...event, finish: finishWithout(event.finish, [...broken], capabilities) }];
        }
        default:
          return [event];
      }
    },
    end: () => [],
  };
}

function isLeftOut(broken: CallDefect | undefined, { argumentsAs }: ProtocolCapabilities): boolean {
  return broken === "cut" || (broken === "malformed" && argumentsAs === "object");
}

/** The limit is what cut them; of what was written badly some protocols have a word to say. */
function finishWithout(
  finish: Finish,
  left: readonly CallDefect[],
  { protocol, brokenCallWord: raw }: ProtocolCapabilities,
): Finish {
  if (finish.unified === "content-filter" || finish.unified === "length") return finish;
  return { unified: "length", protocol, raw: raw === undefined || left.includes("cut") ? undefined : raw };
}

/** True if a call has no arguments: some models write nothing, some `null`. */
export function isNoArguments(text: string): boolean {
  const bare = text.trim();
  return bare === "" || bare === NO_ARGUMENTS;
}

const NO_ARGUMENTS = "null";

/**
 * The text of arguments as a response has them, "" where there are none: an object, its text, or whatever else a server
 * wrote there. What is nested too deeply for a request counts as cut short.
 */
export function textOfArguments(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  return isWithinDepth(value, ARGUMENT_LEVELS) ? writeExact(value) : "{";
}

/** Undefined: they are a JSON object that a request can hold. */
function defectOf(text: string): CallDefect | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && isWithinDepth(value, ARGUMENT_LEVELS) ? undefined : "malformed";
  } catch {
    return isUnfinished(text) ? "cut" : "malformed";
  }
}

/** True if JSON text ends before it is closed: in a string, an object or an array. */
function isUnfinished(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === "\\" && quoted) at += 1;
    else if (letter === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (letter === "{" || letter === "[") depth += 1;
    else if (letter === "}" || letter === "]") depth -= 1;
  }
  return quoted || depth > 0;
}
