import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { asArray, asObject, asObjects, asText, type JsonObject } from "../../src/protocols/json.ts";
import { normalResponse } from "./oracle-normal.ts";

/**
 * A stream without what each gateway cuts as it likes: deltas in a row are one, numbers and ids are gone.
 * Written apart from the codecs, so that it cannot share their faults. Streams of events stay a list of
 * events; the other two, whose chunks have no names, become the response that a client would build.
 */
export function foldStream(protocol: ChatProtocol, text: string): unknown {
  const frames = framesOf(text);
  switch (protocol) {
    case "messages":
      return joined(frames.map((frame) => normalEvent(protocol, frame, "message")));
    case "responses":
      return joined(byItem(frames).map((frame) => normalEvent(protocol, frame, "response")));
    case "chat-completions":
      return { ...chatResponse(frames), done: /^data: \[DONE\]$/m.test(text) };
    case "generate-content":
      return nativeResponse(frames);
  }
}

function framesOf(text: string): JsonObject[] {
  return [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, data]) => JSON.parse(data ?? ""));
}

function normalEvent(protocol: ChatProtocol, frame: JsonObject, whole: string): JsonObject {
  const { sequence_number: _, item_id: __, item, [whole]: response, ...rest } = frame;
  return normalResponse(protocol, {
    ...rest,
    ...(response === undefined ? {} : { [whole]: normalResponse(protocol, response) }),
    ...(item === undefined ? {} : { item: normalResponse(protocol, item) }),
  }) as JsonObject;
}

/**
 * The events of one item after those of the one before it: the peer tells the ends of all items last.
 * What order clients need is judged where streams are checked by their grammar.
 */
function byItem(frames: readonly JsonObject[]): readonly JsonObject[] {
  const isOfItem = (frame: JsonObject): boolean => frame["output_index"] !== undefined;
  const first = frames.findIndex(isOfItem);
  const last = frames.findLastIndex(isOfItem);
  const rank = (frame: JsonObject, at: number): number => {
    if (isOfItem(frame)) return Number(frame["output_index"]);
    return at < first ? -1 : at > last ? Number.POSITIVE_INFINITY : rank(frames[at - 1] ?? frame, at - 1);
  };
  return frames
    .map((frame, at) => ({ frame, rank: rank(frame, at) }))
    .toSorted((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank))
    .map(({ frame }) => frame);
}

/** Deltas in a row that grow the same text are one. */
function joined(events: readonly JsonObject[]): readonly JsonObject[] {
  const out: JsonObject[] = [];
  for (const event of events) {
    const grown = grow(out.at(-1), event);
    if (grown === undefined) out.push(event);
    else out[out.length - 1] = grown;
  }
  return out;
}

function grow(last: JsonObject | undefined, event: JsonObject): JsonObject | undefined {
  if (last === undefined || last["type"] !== event["type"]) return undefined;
  const place = (of: JsonObject): unknown => [of["index"], of["output_index"], of["content_index"]].join(" ");
  if (place(last) !== place(event)) return undefined;
  const before = last["delta"];
  const delta = event["delta"];
  if (typeof before === "string" && typeof delta === "string") return { ...last, delta: before + delta };
  const mine = asObject(before);
  const other = asObject(delta);
  if (mine === undefined || mine["type"] === undefined || mine["type"] !== other?.["type"]) return undefined;
  return { ...last, delta: merged(mine, other) };
}

/** Texts grow; everything else is said once. */
function merged(before: JsonObject, more: JsonObject): JsonObject {
  const out: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(more)) {
    const had = out[name];
    const grows = GROWING.has(name) && typeof had === "string" && typeof value === "string";
    if (grows) out[name] = had + value;
    else if (value !== null || had === undefined) out[name] = value;
  }
  return out;
}

const GROWING = new Set([
  "text",
  "thinking",
  "partial_json",
  "content",
  "reasoning",
  "reasoning_content",
  "arguments",
]);

function chatResponse(chunks: readonly JsonObject[]): JsonObject {
  let message: JsonObject = {};
  let finish: unknown;
  let usage: unknown;
  const calls = new Map<unknown, JsonObject>();
  for (const chunk of chunks) {
    usage = chunk["usage"] ?? usage;
    for (const choice of asObjects(chunk["choices"])) {
      finish = choice["finish_reason"] ?? finish;
      const { tool_calls: more, ...delta } = asObject(choice["delta"]) ?? {};
      message = merged(message, delta);
      for (const call of asObjects(more)) calls.set(call["index"], grownCall(calls.get(call["index"]), call));
    }
  }
  const tool_calls = calls.size === 0 ? null : [...calls.values()];
  return normalResponse("chat-completions", {
    model: chunks[0]?.["model"],
    object: chunks[0]?.["object"],
    choices: [{ message: { ...message, tool_calls }, finish_reason: finish }],
    usage,
  }) as JsonObject;
}

function grownCall(before: JsonObject | undefined, more: JsonObject): JsonObject {
  if (before === undefined) return more;
  const { function: had, ...rest } = before;
  const { function: said, ...other } = more;
  return { ...merged(rest, other), function: merged(asObject(had) ?? {}, asObject(said) ?? {}) };
}

function nativeResponse(chunks: readonly JsonObject[]): unknown {
  const parts: JsonObject[] = [];
  let finishReason: unknown;
  let usageMetadata: unknown;
  for (const chunk of chunks) {
    usageMetadata = chunk["usageMetadata"] ?? usageMetadata;
    for (const candidate of asObjects(chunk["candidates"])) {
      finishReason = candidate["finishReason"] ?? finishReason;
      for (const part of asObjects(asArray(asObject(candidate["content"])?.["parts"]))) {
        const last = parts.at(-1);
        const grows =
          last !== undefined && isSpoken(last) && isSpoken(part) && last["thought"] === part["thought"];
        if (grows)
          parts[parts.length - 1] = { ...last, ...part, text: asText(last["text"]) + asText(part["text"]) };
        else parts.push(part);
      }
    }
  }
  return normalResponse("generate-content", {
    modelVersion: chunks[0]?.["modelVersion"],
    candidates: [{ content: { parts }, finishReason }],
    usageMetadata,
  });
}

function isSpoken(part: JsonObject): boolean {
  return typeof part["text"] === "string";
}
