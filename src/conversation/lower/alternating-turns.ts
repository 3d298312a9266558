import { appendAll } from "../../base/append-all.ts";
import type { LossList } from "../loss.ts";
import { MessageRun } from "../message-run.ts";
import type { ChatRequest, Message, Part, TextPart, ToolCallPart, ToolResultPart } from "../request.ts";
import { EMPTY_TEXT } from "./empty-turns.ts";

/** A turn of a protocol whose turns alternate. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly parts: readonly Part[];
}

/**
 * The conversation as strictly alternating turns (rules 23, 31, 32): the user's comes first, named as a loss where
 * it is made up, none is empty, later instructions stand in place in the next user turn, and the results of a turn's calls come
 * first in the following one, in the order of the calls, a missing one made up as an error.
 */
export function alternatingTurns(request: ChatRequest, losses: LossList): readonly Turn[] {
  const turns: { role: Turn["role"]; parts: Part[] }[] = [];
  for (const message of answeredMessages(request)) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const parts = message.parts.filter((part) => !isEmptyText(part));
    if (parts.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) appendAll(last.parts, parts);
    else turns.push({ role, parts: [...parts] });
  }
  if (turns[0]?.role !== "user") {
    losses.field("messages", "weakened");
    turns.unshift({ role: "user", parts: [EMPTY_TEXT] });
  }
  return turns.map((turn) => (turn.role === "user" ? { ...turn, parts: resultsFirst(turn.parts) } : turn));
}

/**
 * The messages with every call answered: results stand in the message right after their calls, in the
 * order of the calls, each with its tool's name; a missing one is an error (rules 22 and 23). Results that
 * answer no call stay where they are: `orphan-results.ts` has seen to them.
 */
export function answeredMessages(request: ChatRequest): readonly Message[] {
  const out = new MessageRun();
  const names = new Map<string, string>();
  /** Open calls by their id; ids may come twice. */
  const open = new Map<string, ToolCallPart[]>();
  const close = (): void => {
    if (open.size > 0) out.push({ role: "user", parts: [...open.values()].flat().map(missingResult) });
    open.clear();
  };
  for (const message of resultsAhead(request.messages)) {
    if (message.role === "assistant") {
      const calls = message.parts.filter((part) => part.kind === "tool-call");
      for (const call of calls) names.set(call.id, call.name);
      if (open.size > 0 && out.last?.role === "assistant") {
        // Calls of two messages in a row are one turn's, whose results follow both.
        out.grow(message.parts);
      } else {
        close();
        out.push(message);
      }
      for (const call of calls) {
        const alike = open.get(call.id);
        if (alike === undefined) open.set(call.id, [call]);
        else alike.push(call);
      }
      continue;
    }
    const results = message.parts.filter((part) => part.kind === "tool-result");
    if (results.length === 0) {
      if (message.role === "user") close();
      out.push(message);
      continue;
    }
    const found = results.map((result) => {
      const name = result.name ?? names.get(result.callId);
      return name === undefined ? result : { ...result, name };
    });
    for (const { callId } of found) open.delete(callId);
    out.push({ ...message, parts: found });
  }
  if (request.messages.at(-1)?.role !== "assistant") close();
  return inCallOrder(out.messages);
}

/**
 * True if the conversation ends with words of the assistant that the model is to go on from (rule 34). A
 * turn that says nothing yet, as clients put it there for the response to come, is none, nor are thoughts.
 */
export function endsWithPrefill(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  return (
    last?.role === "assistant" &&
    last.parts.every((part) => part.kind !== "tool-call" && part.kind !== "foreign") &&
    !last.parts.every((part) => part.kind === "reasoning" || isEmptyText(part))
  );
}

/** The parts of a turn without thoughts that nothing follows, as clients keep them of a response that broke off. */
export function withoutLoneReasoning(parts: readonly Part[]): readonly Part[] {
  const last = parts.findLastIndex((part) => part.kind !== "reasoning" && !isEmptyText(part));
  return parts.filter((part, at) => at < last || part.kind !== "reasoning");
}

/** Moves media of the assistant into turns of the user, for protocols in which only the user can show media. */
export function shownByUser(message: Message): readonly Message[] {
  const made = message.parts.filter((part) => part.kind === "media");
  if (made.length === 0) return [message];
  const said = message.parts.filter((part) => part.kind !== "media");
  return [
    { ...message, parts: said },
    { role: "user", parts: [SHOWN, ...made] },
  ];
}

const SHOWN: TextPart = { kind: "text", text: "Shown by the assistant:" };

/** Results before all else that was said until the assistant spoke again: users speak while tools still run. */
function resultsAhead(messages: readonly Message[]): readonly Message[] {
  const out: Message[] = [];
  let said: Message[] = [];
  for (const message of messages) {
    if (message.role === "assistant") {
      appendAll(out, said);
      out.push(message);
      said = [];
      continue;
    }
    const results = message.parts.filter((part) => part.kind === "tool-result");
    if (results.length === 0) {
      said.push(message);
      continue;
    }
    out.push({ ...message, parts: results });
    const others = message.parts.filter((part) => part.kind !== "tool-result");
    if (others.length > 0) said.push({ ...message, parts: others });
  }
  return [...out, ...said];
}

/** Results of one message or of neighbouring ones, sorted as the calls before them were made. */
function inCallOrder(messages: readonly Message[]): readonly Message[] {
  const run = new MessageRun();
  for (const message of messages) {
    const { last, endsInResults } = run;
    if (isResults(message) && last?.role === "user" && last.parts.length > 0 && endsInResults)
      run.grow(message.parts);
    else run.push(message);
  }
  /** The number of calls in the turn before each. */
  const order = new Map<string, number>();
  return run.messages.map((message) => {
    if (message.role === "assistant") {
      order.clear();
      for (const part of message.parts) {
        if (part.kind === "tool-call" && !order.has(part.id)) order.set(part.id, order.size);
      }
    }
    return isResults(message) ? { ...message, parts: sortedBy(order, message.parts) } : message;
  });
}

interface Results extends Message {
  readonly parts: readonly ToolResultPart[];
}

function isResults(message: Message): message is Results {
  const { role, parts } = message;
  return role === "user" && parts.length > 0 && parts.every((part) => part.kind === "tool-result");
}

function sortedBy(
  order: ReadonlyMap<string, number>,
  results: readonly ToolResultPart[],
): readonly ToolResultPart[] {
  const rank = ({ callId }: ToolResultPart): number => order.get(callId) ?? order.size;
  return results.toSorted((a, b) => rank(a) - rank(b));
}

function resultsFirst(parts: readonly Part[]): readonly Part[] {
  const results = parts.filter((part) => part.kind === "tool-result");
  return results.length === 0 ? parts : [...results, ...parts.filter((part) => part.kind !== "tool-result")];
}

function missingResult(call: ToolCallPart): ToolResultPart {
  return {
    kind: "tool-result",
    callId: call.id,
    name: call.name,
    parts: [{ kind: "text", text: "The tool gave no result." }],
    isError: true,
  };
}

function isEmptyText(part: Part): boolean {
  return part.kind === "text" && part.text === "" && part.opaque === undefined;
}
