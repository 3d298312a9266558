import { writeExact } from "../../base/json/exact-json.ts";
import type { ResponseFrame } from "../../conversation/lower/plan.ts";
import type { Citation, MediaPart, ReasoningPart } from "../../conversation/request.ts";
import type { JsonObject } from "../json.ts";
import type { WireFrame } from "../translation.ts";
import { encodeAnnotation } from "./encode-parts.ts";
import { encodeReasoningOutput } from "./reasoning-item.ts";
import {
  type CallHead,
  callItem,
  callPrefix,
  contentPart,
  type ItemStatus,
  imageItem,
  messageItem,
  responseItemId,
  wholeArguments,
} from "./response-items.ts";

/** The progress of a streamed response. The encoder keeps it in its state, and the writer changes it. */
export interface OutputItemState {
  /** The number of the next event. */
  readonly sequence: number;
  /** Items that are done. */
  readonly output: JsonObject[];
  readonly open: OpenItem | undefined;
}

type OpenItem =
  | {
      readonly kind: "message";
      readonly id: string;
      readonly content: JsonObject[];
      readonly part: OpenText | undefined;
    }
  | { readonly kind: "reasoning"; readonly id: string; readonly text: string }
  | {
      readonly kind: "call";
      readonly id: string;
      readonly call: CallHead;
      readonly text: string;
      /** Its arguments have ended. */
      readonly sent: boolean;
    };

interface OpenText {
  readonly refusal: boolean;
  readonly text: string;
  readonly citations: Citation[];
}

type ThoughtEnd = Pick<ReasoningPart, "opaque" | "redacted">;

export function initialOutputItems(): OutputItemState {
  return { sequence: 0, output: [], open: undefined };
}

/**
 * Writes the events of one step. Each item is added before its parts and done after them, each part
 * likewise, whatever the order of the calls: clients drop text without `output_item.done` and break
 * without `content_part.added` (rule 16).
 */
export interface OutputItemWriter {
  send(type: string, fields: JsonObject): void;
  /** A frame that was made elsewhere. */
  frame(frame: WireFrame): void;
  /** A text goes on in the open message. */
  openText(refusal: boolean): void;
  text(delta: string): void;
  citation(citation: Citation): void;
  closeText(): void;
  openReasoning(): void;
  reasoning(delta: string): void;
  closeReasoning(end: ThoughtEnd): void;
  openCall(call: CallHead): void;
  arguments(delta: string): void;
  /** Ends its arguments. The item is done with the next one or the finish, which tells whether it was cut short. */
  closeCall(): void;
  image(part: MediaPart): void;
  /** An item that comes whole. */
  whole(item: JsonObject): void;
  /** Closes the open item, a message or a call with this status. */
  closeItem(status?: ItemStatus): void;
  state(): OutputItemState;
  readonly frames: readonly WireFrame[];
}

export function stepOutputItems(before: OutputItemState, frame: ResponseFrame): OutputItemWriter {
  const frames: WireFrame[] = [];
  const { output } = before;
  let { sequence, open } = before;

  function send(type: string, fields: JsonObject): void {
    frames.push({ name: type, data: writeExact({ type, sequence_number: sequence, ...fields }) });
    sequence += 1;
  }

  /** An event about the open item. */
  function emit(type: string, fields: JsonObject): void {
    send(`response.${type}`, { item_id: open?.id ?? "", output_index: output.length, ...fields });
  }

  function add(item: JsonObject): void {
    send("response.output_item.added", { output_index: output.length, item });
  }

  function done(item: JsonObject): void {
    send("response.output_item.done", { output_index: output.length, item });
    output.push(item);
    open = undefined;
  }

  function closeText(): void {
    if (open?.kind !== "message" || open.part === undefined) return;
    const { refusal, text, citations } = open.part;
    const content_index = open.content.length;
    const part = contentPart(text, refusal, citations);
    if (refusal) emit("refusal.done", { content_index, refusal: text });
    else emit("output_text.done", { content_index, text, logprobs: [] });
    emit("content_part.done", { content_index, part });
    open.content.push(part);
    open = { ...open, part: undefined };
  }

  function closeReasoning(end: ThoughtEnd): void {
    if (open?.kind !== "reasoning") return;
    const { id, text } = open;
    if (text !== "") {
      emit("reasoning_summary_text.done", { summary_index: 0, text });
      emit("reasoning_summary_part.done", { summary_index: 0, part: { type: "summary_text", text } });
    }
    done(encodeReasoningOutput(id, { ...end, text }));
  }

  function argumentsDelta(delta: string): void {
    if (open?.kind !== "call") return;
    emit(open.call.custom ? "custom_tool_call_input.delta" : "function_call_arguments.delta", { delta });
    open = { ...open, text: open.text + delta };
  }

  function closeCall(): void {
    if (open?.kind !== "call" || open.sent) return;
    if (open.text === "" && wholeArguments(open.call, "") !== "")
      argumentsDelta(wholeArguments(open.call, ""));
    const { call, text } = open;
    if (call.custom) emit("custom_tool_call_input.done", { input: text });
    else emit("function_call_arguments.done", { name: call.name, arguments: text });
    open = { ...open, sent: true };
  }

  function closeItem(status: ItemStatus = "completed"): void {
    if (open?.kind === "message") {
      closeText();
      done(messageItem(open.id, open.content, status));
    }
    closeReasoning({});
    closeCall();
    if (open?.kind === "call") done(callItem(open.id, open.call, open.text, status));
  }

  function whole(item: JsonObject): void {
    closeItem();
    add(item);
    done(item);
  }

  return {
    send,
    frame: (made) => frames.push(made),
    openText(refusal) {
      if (open?.kind !== "message") {
        closeItem();
        const id = responseItemId("msg", frame, output.length);
        add(messageItem(id, [], "in_progress"));
        open = { kind: "message", id, content: [], part: undefined };
      }
      closeText();
      emit("content_part.added", { content_index: open.content.length, part: contentPart("", refusal) });
      open = { ...open, part: { refusal, text: "", citations: [] } };
    },
    text(delta) {
      if (open?.kind !== "message" || open.part === undefined) return;
      const content_index = open.content.length;
      if (open.part.refusal) emit("refusal.delta", { content_index, delta });
      else emit("output_text.delta", { content_index, delta, logprobs: [] });
      open = { ...open, part: { ...open.part, text: open.part.text + delta } };
    },
    citation(citation) {
      if (open?.kind !== "message" || open.part === undefined || open.part.refusal) return;
      emit("output_text.annotation.added", {
        content_index: open.content.length,
        annotation_index: open.part.citations.length,
        annotation: encodeAnnotation(citation),
      });
      open.part.citations.push(citation);
    },
    closeText,
    openReasoning() {
      closeItem();
      const id = responseItemId("rs", frame, output.length);
      add(encodeReasoningOutput(id, { text: "" }));
      open = { kind: "reasoning", id, text: "" };
    },
    reasoning(delta) {
      if (open?.kind !== "reasoning" || delta === "") return;
      if (open.text === "") {
        const part = { type: "summary_text", text: "" };
        emit("reasoning_summary_part.added", { summary_index: 0, part });
      }
      emit("reasoning_summary_text.delta", { summary_index: 0, delta });
      open = { ...open, text: open.text + delta };
    },
    closeReasoning,
    openCall(call) {
      closeItem();
      const id = responseItemId(callPrefix(call), frame, output.length);
      add(callItem(id, call, "", "in_progress"));
      open = { kind: "call", id, call, text: "", sent: false };
    },
    arguments: argumentsDelta,
    closeCall,
    image(part) {
      closeItem();
      const item = imageItem(responseItemId("ig", frame, output.length), part);
      if (item !== undefined) whole(item);
    },
    whole,
    closeItem,
    state: () => ({ sequence, output, open }),
    frames,
  };
}
