import { readFrame } from "../../base/sse.ts";
import type { StreamMachine } from "../../conversation/adapt/machine.ts";
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
  ladderFoot,
  type OutputItemState,
  type OutputItemWriter,
  stepOutputItems,
} from "./output-item-writer.ts";
import { imageAddress } from "./response-items.ts";

/**
 * Writes a stream of events: the whole ladder for every item, whole response objects at both ends, and no
 * `[DONE]` (rules 12 and 16). Blocks reach it one after the other.
 */
export const encodeStream: StreamMachine<ResponseFrame, EncodeState, ChatEvent, WireFrame> = {
  initial: (frame) => ({ frame, phase: "before", model: undefined, usage: undefined, ladder: ladderFoot() }),

  step(state, event) {
    if (state.phase === "over") return [state, []];
    if (event.type === "usage") return [{ ...state, usage: event.usage.tokens }, []];
    const ladder = stepOutputItems(state.ladder, state.frame);
    let next = state;
    if (state.phase === "before" && event.type !== "error") {
      next = { ...state, phase: "open", model: event.type === "response-start" ? event.model : undefined };
      announce(next, ladder);
    }
    if (event.type === "error") {
      ladder.frame(failure(state, event.error));
      next = { ...next, phase: "over" };
    } else if (event.type === "finish") {
      finish(next, ladder, event.finish);
      next = { ...next, phase: "over" };
    } else {
      write(ladder, event);
    }
    return [{ ...next, ladder: ladder.state() }, ladder.frames];
  },

  end: () => [],
};

export interface EncodeState {
  readonly frame: ResponseFrame;
  /** `before`: no response was announced; `over`: it has ended, well or badly. */
  readonly phase: "before" | "open" | "over";
  readonly model: string | undefined;
  readonly usage: TokenUsage | undefined;
  readonly ladder: OutputItemState;
}

function announce(state: EncodeState, ladder: OutputItemWriter): void {
  const response = announced(state);
  ladder.send("response.created", { response });
  ladder.send("response.in_progress", { response });
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

function finish(state: EncodeState, ladder: OutputItemWriter, how: Finish): void {
  const end = encodeFinish(how);
  ladder.closeItem(end.status);
  const { model, usage } = state;
  const response = responseObject(state.frame, { model, ...end, output: ladder.state().output, usage });
  ladder.send(`response.${end.status}`, { response });
}

/** The protocol's mid-stream form of an error; before the announcement there is no response that could have failed. */
function failure(state: EncodeState, error: ErrorStatement): WireFrame {
  const opening = state.phase === "before" ? undefined : announced(state);
  const broken = { form: "sse", midFrame: false, events: state.ladder.sequence, opening } as const;
  return readFrame(encodeStreamError(error, state.frame.requestId, broken));
}

function write(
  ladder: OutputItemWriter,
  event: Exclude<ChatEvent, { type: "usage" | "finish" | "error" }>,
): void {
  switch (event.type) {
    case "response-start":
      return;
    case "text-start":
      ladder.openText(event.refusal === true);
      return;
    case "text-delta":
      ladder.text(event.text);
      return;
    case "citation":
      ladder.citation(event.citation);
      return;
    case "text-end":
      ladder.closeText();
      return;
    case "reasoning-start":
      ladder.openReasoning();
      return;
    case "reasoning-delta":
      ladder.reasoning(event.text);
      return;
    case "reasoning-end":
      ladder.closeReasoning(event);
      return;
    case "tool-call-start":
      ladder.openCall(event);
      return;
    case "tool-call-delta":
      ladder.arguments(event.arguments);
      return;
    case "tool-call-end":
      ladder.closeCall();
      return;
    case "foreign":
      ladder.whole(event.part.value);
      return;
    case "media": {
      const address = imageAddress(event.part);
      if (address === "") {
        ladder.image(event.part);
        return;
      }
      ladder.openText(false);
      ladder.text(address);
      ladder.closeText();
    }
  }
}
