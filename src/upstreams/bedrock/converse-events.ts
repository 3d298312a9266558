import { isRecord } from "../../base/json/record.ts";
import { type ResponseNames, readUsage, stopReason } from "./converse-response.ts";
import type { StreamMessage } from "./event-stream.ts";
import { fieldNames, MalformedResponse } from "./malformed-response.ts";
import { failureEvent, objectIn } from "./model-events.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** The block that is being written. */
interface OpenBlock {
  /** Its number at Converse. */
  readonly at: unknown;
  readonly type: "text" | "thinking" | "tool_use" | "redacted_thinking";
  /** Content of redacted reasoning, which arrives in one piece. */
  data: string;
}

/**
 * Turns the messages of a stream of Converse into the server-sent events of Claude's vendor.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html
 */
export class ConverseEvents {
  readonly #names: ResponseNames;
  #blocks = 0;
  #open: OpenBlock | undefined;
  #stop: unknown;

  constructor(names: ResponseNames) {
    this.#names = names;
  }

  /** The events of one message. Throws MalformedResponse. */
  read(message: StreamMessage): Buffer | undefined {
    const failure = failureEvent(message);
    if (failure !== undefined) return failure;
    const events = this.#events(message.headers.get(":event-type"), objectIn(message.payload));
    return events.length === 0 ? undefined : Buffer.from(events.map(eventText).join(""));
  }

  #events(type: string | undefined, payload: JsonObject): readonly JsonObject[] {
    switch (type) {
      case "messageStart":
        return [this.#start()];
      case "contentBlockStart":
        return this.#startBlock(payload);
      case "contentBlockDelta":
        return this.#delta(payload);
      case "contentBlockStop":
        return this.#stopBlock();
      case "messageStop":
        this.#stop = payload["stopReason"];
        return [];
      case "metadata":
        return this.#end(payload);
      default:
        return [];
    }
  }

  #start(): JsonObject {
    const { id, model } = this.#names;
    // The counts come last.
    const usage = { input_tokens: 0, output_tokens: 0 };
    const unfinished = { content: [], stop_reason: null, stop_sequence: null, usage };
    const message = { id, type: "message", role: "assistant", model };
    return { type: "message_start", message: Object.assign(message, unfinished) };
  }

  #startBlock({ start, contentBlockIndex: at }: JsonObject): readonly JsonObject[] {
    const call = isRecord(start) ? start["toolUse"] : undefined;
    if (isRecord(call))
      return this.#opened(at, "tool_use", {
        id: textOf(call["toolUseId"]),
        name: textOf(call["name"]),
        input: {},
      });
    if (isRecord(start) && Object.keys(start).length > 0)
      throw new MalformedResponse(`it begins an unknown block: ${fieldNames(start)}`);
    // For text and reasoning, only the first delta reveals the block's type.
    return [];
  }

  #delta({ delta, contentBlockIndex: at }: JsonObject): readonly JsonObject[] {
    if (!isRecord(delta)) throw new MalformedResponse("a delta is no object");
    const { text, toolUse: call, reasoningContent: thought } = delta;
    if (typeof text === "string") return this.#written(at, "text", { type: "text_delta", text });
    if (isRecord(call))
      return this.#written(at, "tool_use", {
        type: "input_json_delta",
        partial_json: textOf(call["input"] ?? ""),
      });
    if (isRecord(thought)) return this.#thought(at, thought);
    throw new MalformedResponse(`a delta of it is unknown: ${fieldNames(delta)}`);
  }

  #thought(at: unknown, { text, signature, redactedContent: data }: JsonObject): readonly JsonObject[] {
    if (typeof data === "string") {
      const before = this.#isOpen(at, "redacted_thinking") ? [] : this.#stopBlock();
      this.#open ??= { at, type: "redacted_thinking", data: "" };
      this.#open.data += data;
      return before;
    }
    if (typeof signature === "string")
      return this.#written(at, "thinking", { type: "signature_delta", signature });
    return this.#written(at, "thinking", { type: "thinking_delta", thinking: textOf(text ?? "") });
  }

  #isOpen(at: unknown, type: OpenBlock["type"]): boolean {
    return this.#open?.at === at && this.#open?.type === type;
  }

  #written(at: unknown, type: "text" | "thinking" | "tool_use", delta: JsonObject): readonly JsonObject[] {
    const begun = this.#isOpen(at, type) ? [] : this.#opened(at, type, EMPTY[type]);
    return [...begun, { type: "content_block_delta", index: this.#blocks, delta }];
  }

  #opened(at: unknown, type: OpenBlock["type"], block: JsonObject): readonly JsonObject[] {
    const before = this.#stopBlock();
    this.#open = { at, type, data: "" };
    return [...before, startOf(this.#blocks, Object.assign({ type }, block))];
  }

  #stopBlock(): readonly JsonObject[] {
    if (this.#open === undefined) return [];
    const { type, data } = this.#open;
    const index = this.#blocks;
    this.#open = undefined;
    this.#blocks += 1;
    const stop = { type: "content_block_stop", index };
    return type === "redacted_thinking" ? [startOf(index, { type, data }), stop] : [stop];
  }

  /** The metadata is the last message: without it the stream is not whole. */
  #end({ usage }: JsonObject): readonly JsonObject[] {
    const delta = { stop_reason: stopReason(this.#stop ?? null), stop_sequence: null };
    return [
      ...this.#stopBlock(),
      { type: "message_delta", delta, usage: readUsage(usage) },
      { type: "message_stop" },
    ];
  }
}

const EMPTY = { text: { text: "" }, thinking: { thinking: "", signature: "" }, tool_use: { input: {} } };

function startOf(index: number, block: JsonObject): JsonObject {
  return { type: "content_block_start", index, content_block: block };
}

function textOf(value: unknown): string {
  if (typeof value !== "string") throw new MalformedResponse("a text of it is none");
  return value;
}

function eventText(event: JsonObject): string {
  return `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`;
}
