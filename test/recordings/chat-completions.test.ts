import { describe, expect, it } from "vitest";
import { collectEvents } from "../../src/conversation/adapt/collect.ts";
import { openLosses } from "../../src/conversation/loss.ts";
import type { ChatResponse } from "../../src/conversation/response.ts";
import { chatCompletions } from "../../src/protocols/chat-completions/codec.ts";
import { asArray, asObject, asObjects, type JsonObject } from "../../src/protocols/json.ts";
import { openFrameReader, writeFrames } from "../../src/protocols/streams/stream-frames.ts";
import type { Translation } from "../../src/protocols/translation.ts";
import { frame, plan, target } from "../support/conversation-arbitraries.ts";
import { type Recording, readRecordings } from "../support/recordings.ts";

const codec = chatCompletions.translation as Translation;
const records = readRecordings().filter(({ protocol }) => protocol === "chat-completions");
const answered = records.filter(({ status, body }) => status === 200 && /"choices"|^data:/.test(body));

describe("recorded chat completions", () => {
  it("reads every request and writes it again, but for what it says is lost", () => {
    for (const record of records) {
      const body = record.request;
      if (body === undefined || body["messages"] === undefined) continue;
      const decoded = codec.decodeRequest(body);
      if (!("value" in decoded))
        throw new Error(`${record.id}: ${decoded.refused.path} ${decoded.refused.message}`);
      const encoded = codec.encodeRequest(
        decoded.value,
        target("chat-completions", { model: String(body["model"]), quirks: quirksOf(body) }),
      );
      if (!("value" in encoded))
        throw new Error(`${record.id}: ${encoded.refused.path} ${encoded.refused.message}`);
      const { losses } = encoded.value;
      expect(
        normalRequest(
          encoded.value.body,
          losses.map(({ path }) => path),
        ),
        record.id,
      ).toEqual(
        normalRequest(
          body,
          losses.map(({ path }) => path),
        ),
      );
    }
  });

  it("reads every plain answer and writes it again", () => {
    const plain = answered.filter(({ stream, body }) => !stream && !body.startsWith("data:"));
    expect(plain.length).toBeGreaterThan(300);
    for (const record of plain) {
      const body = JSON.parse(record.body);
      if (asArray(body["choices"]).length === 0) continue;
      const decoded = codec.decodeResponse(body, plan("chat-completions"));
      if (!("response" in decoded)) throw new Error(`${record.id}: ${JSON.stringify(decoded)}`);
      const { body: written, losses } = codec.encodeResponse(decoded.response, frame);
      expect(
        losses.filter(({ path }) => path !== "reasoningState"),
        record.id,
      ).toEqual([]);
      expect(normalResponse(written), record.id).toEqual(normalResponse(body));
    }
  });

  it("reads every stream to an answer, writes it again, and reads the same", () => {
    const streams = answered.filter(({ body }) => body.startsWith("data:") || body.startsWith(":"));
    expect(streams.length).toBeGreaterThan(150);
    for (const record of streams) {
      const events = decodeStream(record.body);
      const collected = collectEvents(events);
      if (!("response" in collected)) {
        expect(
          record.body.includes('"error"') || !finishes(record),
          `${record.id} ${JSON.stringify(collected)}`,
        ).toBe(true);
        continue;
      }
      const encoder = codec.encodeStream(frame, openLosses({}));
      const frames = [...events.flatMap((event) => encoder.step(event)), ...encoder.end()];
      const again = collectEvents(decodeStream(writeFrames(frames)));
      if (!("response" in again)) throw new Error(record.id);
      expect(content(again.response), record.id).toEqual(content(collected.response));
      expect(content(collected.response), record.id).toEqual(contentOfChunks(record.body));
    }
  });
});

function decodeStream(body: string) {
  const reader = openFrameReader();
  const frames = [...reader.write(Buffer.from(body)), ...reader.end()];
  const run = codec.decodeStream(plan("chat-completions"));
  return [...frames.flatMap((each) => run.step(each)), ...run.end()];
}

function finishes({ body }: Recording): boolean {
  return /"finish_reason":\s*"/.test(body);
}

/** The vendor's own field for the limit, and cache marks, which only some take. */
function quirksOf(body: JsonObject) {
  const newer = body["max_completion_tokens"] !== undefined;
  return { cacheMarks: true, ...(newer ? { maxTokensField: "max_completion_tokens" as const } : {}) };
}

/** Two bodies that say the same become equal; each line is a difference that is none. */
function normalRequest(body: JsonObject, lost: readonly string[]): unknown {
  // Five minutes is what a mark without a lifetime means.
  const copy = JSON.parse(
    JSON.stringify(body).replaceAll(',"ttl":"5m"', "").replaceAll('"ttl":"5m",', ""),
  ) as Record<string, unknown>;
  for (const path of lost) removePath(copy, path);
  const { stop, stream, stream_options: _, safety_identifier, max_tokens, messages, tools, ...rest } = copy;
  return withoutNulls({
    ...rest,
    user: rest["user"] ?? safety_identifier,
    max_tokens: rest["max_completion_tokens"] === undefined ? max_tokens : undefined,
    stop: typeof stop === "string" ? [stop] : stop,
    stream: stream === true ? true : undefined,
    messages: normalMessages(asObjects(messages)),
    tools: tools === undefined ? undefined : asObjects(tools).map(normalTool),
    tool_choice:
      asArray(tools).length === 0
        ? undefined
        : rest["tool_choice"] === "any"
          ? "required"
          : rest["tool_choice"],
    parallel_tool_calls: asArray(tools).length === 0 ? undefined : rest["parallel_tool_calls"],
  });
}

function normalMessages(messages: readonly JsonObject[]): readonly unknown[] {
  // A turn that says nothing is none, and what the user said on both sides of it is one message.
  const normal: Record<string, unknown>[] = [];
  let isBehindSilence = false;
  for (const message of messages.map(normalMessage)) {
    const last = normal.at(-1);
    const isSilent = !(message["content"] || message["tool_calls"] || message["refusal"]);
    if (isBehindSilence && last?.["role"] === "user" && message["role"] === "user")
      last["content"] = [last, message].flatMap(({ content }) =>
        typeof content === "string" ? [{ type: "text", text: content }] : content,
      );
    else if (!isSilent) normal.push(message);
    isBehindSilence = isSilent;
  }
  // Instructions that come first are one message.
  const first = normal.findIndex(({ role }) => role !== "system");
  const system = normal.slice(0, first === -1 ? undefined : first);
  const texts = system.map(({ content }) => content);
  const joined = texts.every((text) => typeof text === "string")
    ? texts.filter((text) => text !== "").join("\n\n")
    : texts.flat();
  const leading = texts.length === 0 || joined === "" ? [] : [{ role: "system", content: joined }];
  return [...leading, ...normal.slice(system.length)];
}

function normalMessage(message: JsonObject): Record<string, unknown> {
  const { annotations: _, reasoning, cache_control: mark, content, tool_calls, ...rest } = message;
  const calls = asObjects(tool_calls).map(({ index: _index, ...call }) => {
    const { name, arguments: text } = asObject(call["function"]) ?? {};
    return { ...call, type: "function", function: { name, arguments: text === "" ? "{}" : text } };
  });
  const parts = Array.isArray(content) ? asObjects(content) : undefined;
  const texts = parts?.every((part) => part["type"] === "text" && part["cache_control"] === undefined);
  const joint = rest["role"] === "tool" ? "\n" : rest["role"] === "system" ? "\n\n" : "";
  const single = parts !== undefined && texts && (parts.length < 2 || rest["role"] !== "user");
  const plain = single ? parts.map((part) => String(part["text"])).join(joint) : (parts ?? content);
  const marked =
    mark === undefined || typeof plain !== "string" || rest["role"] === "tool"
      ? plain
      : [{ type: "text", text: plain, cache_control: mark }];
  const silent = marked === "" && (calls.length > 0 || message["refusal"]);
  return withoutNulls({
    ...rest,
    role: rest["role"] === "developer" ? "system" : rest["role"],
    name: rest["role"] === "tool" ? undefined : rest["name"],
    content: silent ? undefined : marked,
    cache_control: rest["role"] === "tool" ? mark : undefined,
    // The details hold the text as well.
    reasoning_content: rest["reasoning_details"] ? undefined : (rest["reasoning_content"] ?? reasoning),
    tool_calls: calls.length === 0 ? undefined : calls,
  }) as Record<string, unknown>;
}

function normalTool(tool: JsonObject): unknown {
  const declared = asObject(tool["function"]);
  if (declared === undefined) return tool;
  const { strict, ...rest } = declared;
  return { ...tool, type: "function", function: strict === true ? declared : rest };
}

function normalResponse(body: JsonObject): unknown {
  const choices = asObjects(body["choices"]).map((choice) => {
    const message = asObject(choice["message"]) ?? {};
    const calls = asObjects(message["tool_calls"]);
    return {
      finish:
        calls.length > 0 && choice["finish_reason"] !== "length"
          ? "tool_calls"
          : choice["finish_reason"] || "stop",
      content: textOf(message["content"]),
      refusal: message["refusal"] || "",
      thoughts: thoughtOf(message),
      annotations: asArray(message["annotations"]),
      calls: calls.map((call) => {
        const called = asObject(call["function"]) ?? {};
        return { id: call["id"], name: called["name"], text: called["arguments"] || "{}" };
      }),
    };
  });
  return { model: body["model"] || frame.model, choices, usage: normalUsage(asObject(body["usage"])) };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return asObjects(content)
    .map((part) => part["text"] ?? "")
    .join("");
}

/** One vendor writes thoughts as parts of the content, one in the details alone. */
function thoughtOf(message: JsonObject): unknown {
  const parts = asObjects(message["content"]).flatMap((part) => asObjects(part["thinking"]));
  const texts = [...parts, ...asObjects(message["reasoning_details"])].map((part) => part["text"] ?? "");
  return message["reasoning_content"] || message["reasoning"] || texts.join("");
}

/** The tee's own tests judge the buckets; here only that they survive. */
function normalUsage(usage: JsonObject | undefined): unknown {
  return usage && [usage["prompt_tokens"], usage["total_tokens"]];
}

function content({ choices }: ChatResponse): unknown {
  return choices.map(({ parts, finish }) => ({
    text: parts.map((part) => (part.kind === "text" ? part.text : "")).join(""),
    thoughts: parts.map((part) => (part.kind === "reasoning" ? part.text : "")).join(""),
    calls: parts.flatMap((part) => (part.kind === "tool-call" ? [[part.name, part.arguments || "{}"]] : [])),
    finish: finish.unified,
  }));
}

/** The same counted by hand, as a client would that knows only the vendors' documentation. */
function contentOfChunks(body: string): unknown {
  const choices = new Map<
    unknown,
    { text: string; thoughts: string; calls: Map<unknown, [string, string]>; finish: string }
  >();
  for (const line of body.split(/\r?\n/)) {
    if (!line.startsWith("data:") || line.includes("[DONE]")) continue;
    for (const wire of asObjects(JSON.parse(line.slice(5))["choices"])) {
      const choice = choices.get(wire["index"]) ?? { text: "", thoughts: "", calls: new Map(), finish: "" };
      choices.set(wire["index"], choice);
      const delta = asObject(wire["delta"]) ?? {};
      choice.text += textOf(delta["content"]);
      choice.text += delta["refusal"] ?? "";
      choice.thoughts += thoughtOf(delta);
      for (const call of asObjects(delta["tool_calls"])) {
        const called = asObject(call["function"]) ?? {};
        const [name, text] = choice.calls.get(call["index"] ?? call["id"]) ?? ["", ""];
        choice.calls.set(call["index"] ?? call["id"], [
          name || String(called["name"] ?? ""),
          text + (called["arguments"] ?? ""),
        ]);
      }
      if (wire["finish_reason"]) choice.finish = String(wire["finish_reason"]);
    }
  }
  const words: Record<string, string> = { tool_calls: "tool-calls", content_filter: "content-filter" };
  return [...choices.values()].map(({ calls, finish, ...rest }) => ({
    ...rest,
    calls: [...calls.values()].map(([name, text]) => [name, text || "{}"]),
    finish: finish === "stop" && calls.size > 0 ? "tool-calls" : (words[finish] ?? (finish || "stop")),
  }));
}

function withoutNulls(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null && each !== undefined));
}

/** Removes what stands at a path like `messages[].prefix`, of every item; nothing where nothing does. */
function removePath(root: unknown, path: string): void {
  const [step = "", ...rest] = path.split(/[.[\]]+/).filter((each) => each !== "");
  if (Array.isArray(root)) {
    for (const each of root) removePath(each, path);
  } else if (asObject(root) !== undefined) {
    const object = root as Record<string, unknown>;
    if (rest.length === 0) delete object[step];
    else removePath(object[step], rest.join("."));
  }
}
