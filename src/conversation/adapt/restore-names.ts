import type { ChatEvent } from "../event.ts";
import type { PlannedTool, ResponsePlan } from "../lower/plan.ts";
import type { ToolCallPart } from "../request.ts";
import type { ChatResponse, Choice, ResponsePart } from "../response.ts";
import { cutAtStops, openStopCutter } from "./stop-sequences.ts";
import { chainRuns, type StreamRun } from "./stream-transform.ts";
import { splitThinkTagEvents, splitThinkTags } from "./think-tags.ts";

/**
 * Undoes in a response what the encoding of its request did: shortened names get their own again,
 * functions that stood for custom tools their bare text, a forced answer tool becomes the text it stands
 * for, stop sequences that the upstream never saw cut the response, and thoughts in tags are thoughts. Thoughts that the
 * model wants back are marked.
 */
export function restoreNames(response: ChatResponse, plan: ResponsePlan): ChatResponse {
  if (isIdle(plan)) return response;
  return { ...response, choices: response.choices.map((choice) => restoreChoice(choice, plan)) };
}

function restoreChoice(choice: Choice, plan: ResponsePlan): Choice {
  const split = plan.thinkTags ? splitThinkTags(choice.parts) : choice.parts;
  const marked = plan.reasoningReplay ? markRequested(split) : split;
  const parts = marked.map((part) => (part.kind === "tool-call" ? restoreCall(part, plan) : part));
  const undone = { parts, finish: choice.finish };
  return plan.stops.length === 0 ? undone : cutAtStops(undone, plan);
}

function restoreCall(part: ToolCallPart, plan: ResponsePlan): ResponsePart {
  if (part.name === plan.responseTool) return { kind: "text", text: part.arguments };
  const tool = plan.tools.get(part.name);
  if (tool === undefined) return part;
  const owned = { ...part, ...tool };
  if (tool.custom !== true || part.defect === "cut") return owned;
  const { defect: _, ...whole } = owned;
  return { ...whole, arguments: bareInput(part.arguments) };
}

/** The text of a custom tool's stand-in; what the model wrote where it is no such object. */
function bareInput(text: string): string {
  try {
    const { input } = JSON.parse(text) as { input?: unknown };
    return typeof input === "string" ? input : text;
  } catch {
    return text;
  }
}

/** The same for a stream; undefined where there is nothing to undo. */
export function restoreEventNames(plan: ResponsePlan): StreamRun<ChatEvent, ChatEvent> | undefined {
  if (isIdle(plan)) return undefined;
  const calls = new Map<number, PlannedTool | "answer">();
  const inputs = new Map<number, string>();
  const cutter = plan.stops.length === 0 ? undefined : openStopCutter(plan);

  function undo(event: ChatEvent): readonly ChatEvent[] {
    switch (event.type) {
      case "tool-call-start": {
        if (event.name === plan.responseTool) {
          calls.set(event.block, "answer");
          return [{ type: "text-start", block: event.block, choice: event.choice }];
        }
        const tool = plan.tools.get(event.name);
        if (tool === undefined) return [event];
        calls.set(event.block, tool);
        return [{ ...event, ...tool }];
      }
      case "tool-call-delta": {
        const call = calls.get(event.block);
        if (call === "answer") return [{ type: "text-delta", block: event.block, text: event.arguments }];
        if (call?.custom !== true) return [event];
        inputs.set(event.block, (inputs.get(event.block) ?? "") + event.arguments);
        return [];
      }
      case "tool-call-end": {
        if (calls.get(event.block) === "answer") return [{ type: "text-end", block: event.block }];
        const written = inputs.get(event.block);
        if (written === undefined || event.defect === "cut") return [event];
        const { defect: _, ...end } = event;
        return [{ type: "tool-call-delta", block: event.block, arguments: bareInput(written) }, end];
      }
      default:
        return [event];
    }
  }

  const undoing: StreamRun<ChatEvent, ChatEvent> = {
    step(event) {
      const undone = undo(event);
      return cutter === undefined ? undone : undone.flatMap((each) => cutter.step(each));
    },
    end: () => [],
  };
  const marking = plan.reasoningReplay ? chainRuns(markRequestedEvents(), undoing) : undoing;
  return plan.thinkTags ? chainRuns(splitThinkTagEvents(), marking) : marking;
}

function isIdle(plan: ResponsePlan): boolean {
  return (
    plan.tools.size === 0 &&
    plan.responseTool === undefined &&
    plan.stops.length === 0 &&
    plan.thinkTags !== true &&
    plan.reasoningReplay !== true
  );
}

/** Marks the thoughts that nobody signed as wanted back: `state/place-state.ts` puts them where clients keep them. */
function markRequested(parts: readonly ResponsePart[]): readonly ResponsePart[] {
  return parts.map((part) =>
    part.kind === "reasoning" && part.opaque === undefined ? { ...part, requested: true } : part,
  );
}

/** The same for a stream. */
function markRequestedEvents(): StreamRun<ChatEvent, ChatEvent> {
  return {
    step: (event) => [
      event.type === "reasoning-end" && event.opaque === undefined ? { ...event, requested: true } : event,
    ],
    end: () => [],
  };
}
