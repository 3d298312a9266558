import { readFrame } from "../../base/sse.ts";
import type { StreamTransform } from "../../conversation/adapt/stream-transform.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import type { ResponseFrame } from "../../conversation/lower/plan.ts";
import type { Finish } from "../../conversation/response.ts";
import type { ErrorStatement } from "../../errors.ts";
import type { TokenUsage } from "../../usage/usage.ts";
import type { WireFrame } from "../translation.ts";
import { responseObject } from "./encode-response.ts";
import { encodeStreamError } from "./errors.ts";
import { encodeFinish } from "./finish.ts";
import {
  initialOutputItems,
  type OutputItemState,
  type OutputItemWriter,
  stepOutputItems,
} from "./output-item-writer.ts";
import { imageAddress } from "./response-items.ts";

/**
 * Writes a stream of events: the whole ladder for every item, whole response objects at both ends, and no
 * `[DONE]` (rules 12 and 16). Blocks reach it one after the other.
 */
export const encodeStream: StreamTransform<ResponseFrame, EncodeState, ChatEvent, WireFrame> = {
  initial: (frame) => ({
    frame,
    phase: "before",
    model: undefined,
    usage: undefined,
    outputItems: initialOutputItems(),
  }),

  step(state, event) {
    if (state.phase === "over") return [state, []];
    if (event.type === "usage") return [{ ...state, usage: event.usage.tokens }, []];
    const outputItems = stepOutputItems(state.outputItems, state.frame);
    let next = state;
    if (state.phase === "before" && event.type !== "error") {
      next = { ...state, phase: "open", model: event.type === "response-start" ? event.model : undefined };
      announce(next, outputItems);
    }
    if (event.type === "error") {
      outputItems.frame(failure(state, event.error));
      next = { ...next, phase: "over" };
    } else if (event.type === "finish") {
      finish(next, outputItems, event.finish);
      next = { ...next, phase: "over" };
    } else {
      write(outputItems, event);
    }
    return [{ ...next, outputItems: outputItems.state() }, outputItems.frames];
  },

  end: () => [],
};

export interface EncodeState {
  readonly frame: ResponseFrame;
  /** `before`: no response was announced; `over`: it has ended, well or badly. */
  readonly phase: "before" | "open" | "over";
  readonly model: string | undefined;
  readonly usage: TokenUsage | undefined;
  readonly outputItems: OutputItemState;
}

function announce(state: EncodeState, outputItems: OutputItemWriter): void {
  const response = announced(state);
  outputItems.send("response.created", { response });
  outputItems.send("response.in_progress", { response });
}

function announced({ frame, model }: EncodeState): Readonly<Record<string, unknown>> {
  return responseObject(frame, {
    model,
    status: "in_progress",
    incomplete_details: null,
    output: [],
    usage: undefined,
  });
}

function finish(state: EncodeState, outputItems: OutputItemWriter, how: Finish): void {
  const end = encodeFinish(how);
  outputItems.closeItem(end.status);
  const { model, usage } = state;
  const response = responseObject(state.frame, { model, ...end, output: outputItems.state().output, usage });
  outputItems.send(`response.${end.status}`, { response });
}

/** The protocol's mid-stream form of an error; before the announcement there is no response that could have failed. */
function failure(state: EncodeState, error: ErrorStatement): WireFrame {
  const opening = state.phase === "before" ? undefined : announced(state);
  const broken = { form: "sse", midFrame: false, events: state.outputItems.sequence, opening } as const;
  return readFrame(encodeStreamError(error, state.frame.requestId, broken));
}

function write(
  outputItems: OutputItemWriter,
  event: Exclude<ChatEvent, { type: "usage" | "finish" | "error" }>,
): void {
  switch (event.type) {
    case "response-start":
      return;
    case "text-start":
      outputItems.openText(event.refusal === true);
      return;
    case "text-delta":
      outputItems.text(event.text);
      return;
    case "citation":
      outputItems.citation(event.citation);
      return;
    case "text-end":
      outputItems.closeText();
      return;
    case "reasoning-start":
      outputItems.openReasoning();
      return;
    case "reasoning-delta":
      outputItems.reasoning(event.text);
      return;
    case "reasoning-end":
      outputItems.closeReasoning(event);
      return;
    case "tool-call-start":
      outputItems.openCall(event);
      return;
    case "tool-call-delta":
      outputItems.arguments(event.arguments);
      return;
    case "tool-call-end":
      outputItems.closeCall();
      return;
    case "foreign":
      outputItems.whole(event.part.value);
      return;
    case "media": {
      const address = imageAddress(event.part);
      if (address === "") {
        outputItems.image(event.part);
        return;
      }
      outputItems.openText(false);
      outputItems.text(address);
      outputItems.closeText();
    }
  }
}
