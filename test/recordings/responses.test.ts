import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collectEvents } from "../../src/conversation/adapt/collect.ts";
import type { ChatEvent } from "../../src/conversation/event.ts";
import { openLosses } from "../../src/conversation/loss.ts";
import type { ChatResponse } from "../../src/conversation/response.ts";
import { unwrapOpaque } from "../../src/conversation/state/opaque.ts";
import {
  asArray,
  asObject,
  asObjects,
  asText,
  type JsonObject,
  parseLoosely,
} from "../../src/protocols/json.ts";
import { responses } from "../../src/protocols/responses/codec.ts";
import { fitsStrict } from "../../src/protocols/responses/decode-tools.ts";
import { openFrameReader, writeFrames } from "../../src/protocols/streams/stream-frames.ts";
import type { Translation } from "../../src/protocols/translation.ts";
import { frame, plan, target } from "../support/conversation-arbitraries.ts";
import { readRecordings } from "../support/recordings.ts";
import { readBySdk } from "../support/sdk-reader.ts";

const codec = responses.translation as Translation;
const records = readRecordings().filter(({ protocol }) => protocol === "responses");
const answered = records.filter(({ status }) => status === 200);

describe("recorded responses", () => {
  it("reads every request and writes it again, but for what it says is lost", () => {
    let seen = 0;
    for (const { id, request } of records) {
      if (request === undefined || request["input"] === undefined) continue;
      const decoded = codec.decodeRequest(request);
      if (!("value" in decoded)) throw new Error(`${id}: ${decoded.refused.path} ${decoded.refused.message}`);
      const aim = target("responses", {
        model: String(request["model"]),
        quirks: { cacheMarks: true, prefill: "continue" },
      });
      const encoded = codec.encodeRequest(decoded.value, aim);
      if (!("value" in encoded)) throw new Error(`${id}: ${encoded.refused.path} ${encoded.refused.message}`);
      // A smaller limit than the vendor takes is raised, not lost.
      const lost = encoded.value.losses
        .map(({ path }) => path)
        .filter((path) => path !== "max_output_tokens");
      expect(normalRequest(encoded.value.body, []), id).toEqual(normalRequest(request, lost));
      seen += 1;
    }
    expect(seen).toBeGreaterThan(250);
  });

  it("reads every plain answer and writes it again", () => {
    let seen = 0;
    for (const { id, stream, body } of answered) {
      if (stream || !body.startsWith("{")) continue;
      const original = JSON.parse(body);
      const decoded = codec.decodeResponse(original, plan("responses"));
      if (!("response" in decoded)) {
        expect(original.error ?? original.choices ?? original.status, id).not.toBe("completed");
        continue;
      }
      const { body: written, losses } = codec.encodeResponse(decoded.response, frame);
      expect(losses, id).toEqual([]);
      expect(normalResponse(written), id).toEqual(normalResponse(original));
      seen += 1;
    }
    expect(seen).toBeGreaterThan(200);
  });

  it("reads every stream, cut anywhere, to the answer at its end, and writes it again", () => {
    let seen = 0;
    for (const { id, stream, body } of answered) {
      if (!stream || !body.includes("data:") || !isWhole(body)) continue;
      const events = read(Buffer.from(body), body.length);
      expect(read(Buffer.from(body), 11), id).toEqual(events);
      const collected = collectEvents(events);
      if (!("response" in collected)) {
        expect(
          /"type": ?"(error|response.failed)"/.test(body) || !/"response.completed"/.test(body),
          id,
        ).toBe(true);
        continue;
      }
      const run = codec.encodeStream(frame, openLosses({}));
      const frames = [...events.flatMap((event) => run.step(event)), ...run.end()];
      const again = codec.decodeStream(plan("responses"));
      const back = collectEvents([...frames.flatMap((each) => again.step(each)), ...again.end()]);
      if (!("response" in back)) throw new Error(id);
      expect(neutral(back.response), id).toEqual(neutral(collected.response));
      const final = finalResponse(body);
      const decoded = codec.decodeResponse(final, plan("responses"));
      if (!("response" in decoded)) throw new Error(id);
      // The vendor encrypts the same thoughts anew for the last event, and signs its programs so.
      expect(
        neutral(collected.response, () => "some"),
        id,
      ).toEqual(neutral(decoded.response, () => "some"));
      seen += 1;
    }
    expect(seen).toBeGreaterThan(120);
  });

  it("is read by the official SDK to its end where a recorded stream was written again", async () => {
    for (const { id, body } of answered.filter(({ stream }) => stream)) {
      const events = read(Buffer.from(body), body.length);
      if (events.at(-1)?.type !== "finish") continue;
      const run = codec.encodeStream(frame, openLosses({}));
      const frames = [...events.flatMap((event) => run.step(event)), ...run.end()];
      const response = await readBySdk("responses", writeFrames(frames), () => 1_000);
      expect(["completed", "incomplete"], id).toContain(response.end);
    }
  });

  it("survives every record mangled", () => {
    const audio = answered.filter(({ body }) => body !== "");
    const cases = fc.tuple(fc.constantFrom(...audio), fc.nat(), fc.nat(60), fc.nat(), fc.string());
    fc.assert(
      fc.property(cases, ([{ body, request, stream }, at, length, from, noise]) => {
        const mangled = (text: string) => {
          const start = at % text.length;
          const moved = text.slice(from % text.length, (from % text.length) + length);
          return `${text.slice(0, start)}${moved}${noise}${text.slice(start + length)}`;
        };
        if (stream) {
          const run = codec.encodeStream(frame, openLosses({}));
          for (const event of read(Buffer.from(mangled(body)), 4096)) run.step(event);
        } else {
          const decoded = codec.decodeResponse(parseLoosely(mangled(body)), plan("responses"));
          if ("response" in decoded) codec.encodeResponse(decoded.response, frame);
        }
        const asked = codec.decodeRequest(parseLoosely(mangled(JSON.stringify(request ?? {}))));
        if ("value" in asked) codec.encodeRequest(asked.value, target("responses"));
      }),
      { numRuns: 500 },
    );
  });
});

function read(bytes: Buffer, size: number): readonly ChatEvent[] {
  const reader = openFrameReader();
  const run = codec.decodeStream(plan("responses"));
  const events: ChatEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    for (const each of reader.write(bytes.subarray(at, at + size))) events.push(...run.step(each));
  }
  for (const each of reader.end()) events.push(...run.step(each));
  return [...events, ...run.end()];
}

/** Recordings that somebody shortened by hand have pieces that do not make up their text. */
function isWhole(body: string): boolean {
  const told = { delta: "", done: "" };
  for (const line of body.split(/\r?\n/)) {
    if (!line.includes('"response.output_text.d')) continue;
    if (!line.startsWith("data:")) continue;
    const event = JSON.parse(line.slice(5));
    told.delta += event.type.endsWith(".delta") ? event.delta : "";
    told.done += event.type.endsWith(".done") ? event.text : "";
  }
  return told.delta === told.done;
}

function finalResponse(body: string): unknown {
  const events = body
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:") && line.includes('"response"'))
    .map((line) => JSON.parse(line.slice(5)));
  return events.find(({ type }) => /^response\.(completed|incomplete)$/.test(type))?.response;
}

function neutral(
  { id: _, created: __, usage, choices, ...rest }: ChatResponse,
  state: (value: string) => unknown = stateOf,
): unknown {
  return {
    ...rest,
    tokens: { cacheRead: 0, cacheWrite5m: 0, outputReasoning: 0, ...usage?.tokens },
    choices: choices.map(({ parts, finish }) => ({
      finish: finish.unified,
      parts: parts.map((part) => {
        if (part.kind === "foreign") return { ...part, path: "", value: { ...part.value, fingerprint: "" } };
        return part.kind === "reasoning"
          ? { text: part.text, state: part.opaque && state(part.opaque.value) }
          : part;
      }),
    })),
  };
}

function stateOf(value: string): unknown {
  const { encrypted_content: slot } = JSON.parse(value);
  const wrapped = unwrapOpaque(slot);
  // Thoughts that nobody signed have no state.
  if (wrapped?.value === "") return undefined;
  return wrapped === undefined ? slot : stateOf(wrapped.value);
}

/** Two bodies that say the same become equal; each line is a difference that is none. */
function normalRequest(body: JsonObject, lost: readonly string[]): unknown {
  const copy = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
  for (const path of lost) removePath(copy, path);
  const { input, instructions, tools, text, include: _, store: __, reasoning, ...rest } = copy;
  const items = typeof input === "string" ? [{ role: "user", content: input }] : asObjects(input);
  const first = items.findIndex(({ role }) => role !== "system" && role !== "developer");
  const led = items.slice(0, first === -1 ? items.length : first);
  const system = led.filter(({ type }) => type !== "additional_tools").map(contentText);
  // Items may declare tools, which the neutral form lists with the others.
  const declared = items.filter(({ type }) => type === "additional_tools");
  const offered = [...asObjects(tools), ...declared.flatMap((item) => asObjects(item["tools"]))].map(
    normalTool,
  );
  const wished = withoutNulls(asObject(reasoning) ?? {});
  return withoutNulls({
    ...rest,
    instructions: [asText(instructions), ...system].filter((each) => each !== "").join("\n\n") || null,
    input: normalItems(items.slice(led.length)),
    tools: offered.length === 0 ? null : offered,
    tool_choice: offered.length === 0 ? null : rest["tool_choice"],
    parallel_tool_calls: offered.length === 0 ? null : rest["parallel_tool_calls"],
    reasoning: Object.keys(wished).length === 0 ? null : wished,
    user: rest["user"] ?? rest["safety_identifier"],
    safety_identifier: null,
    stream: rest["stream"] === true ? true : null,
    background: rest["background"] === true ? true : null,
    truncation: rest["truncation"] === "disabled" ? null : rest["truncation"],
    service_tier: rest["service_tier"] === "default" ? null : rest["service_tier"],
    max_output_tokens:
      rest["max_output_tokens"] === undefined ? null : Math.max(Number(rest["max_output_tokens"]), 16),
    text: normalText(asObject(text)),
  });
}

function normalText(text: JsonObject | undefined): unknown {
  const format = asObject(text?.["format"]);
  if (text === undefined) return null;
  return {
    ...text,
    ...(format === undefined
      ? {}
      : {
          format: {
            ...format,
            strict: format["strict"] ?? (fitsStrict(asObject(format["schema"]) ?? {}) || undefined),
          },
        }),
  };
}

function normalItems(items: readonly JsonObject[]): readonly unknown[] {
  return items.filter(({ type }) => type !== "additional_tools").flatMap(normalItem);
}

function normalItem(item: JsonObject): readonly unknown[] {
  const { id: _, status: __, phase: ___, caller: ____, ...rest } = item;
  switch (item["type"] ?? "message") {
    case "message": {
      const role = item["role"] === "developer" ? "system" : item["role"];
      const parts = asArray(item["content"]).map((part) => asObject(part) ?? {});
      if (item["content"] === "" && role === "assistant") return [];
      if (typeof item["content"] === "string") return [{ role, content: item["content"] }];
      const said = parts.map((part) => ({
        ...part,
        text: undefined,
        annotations: undefined,
        logprobs: undefined,
      }));
      if (role === "assistant")
        return parts.map((part) => ({ role, content: part["text"] ?? part["refusal"] }));
      const single = parts.length === 1 && Object.keys(parts[0] ?? {}).length === 2;
      return [{ role, content: single ? (parts[0]?.["text"] ?? said) : parts }];
    }
    case "reasoning": {
      const texts = [...asObjects(item["summary"]), ...asObjects(item["content"])].map(({ text }) => text);
      return [
        { type: "reasoning", text: texts.join("\n\n"), state: item["encrypted_content"] ?? item["id"] },
      ];
    }
    case "function_call":
    case "function_call_output":
    case "custom_tool_call":
    case "custom_tool_call_output":
      return [rest];
    default:
      return [item];
  }
}

function contentText(item: JsonObject): string {
  if (typeof item["content"] === "string") return item["content"];
  return asObjects(item["content"])
    .map((part) => asText(part["text"]))
    .join("\n\n");
}

function normalTool(tool: JsonObject): unknown {
  const { defer_loading: _, allowed_callers: __, output_schema: ___, ...kept } = tool;
  const rest = withoutNulls(kept);
  if (tool["type"] === "namespace") {
    return { ...rest, description: "", tools: asObjects(tool["tools"]).map(normalTool) };
  }
  if (tool["type"] !== "function") return tool["type"] === "custom" ? rest : tool;
  return {
    ...rest,
    parameters: tool["parameters"] ?? { type: "object", properties: {} },
    strict: tool["strict"] ?? fitsStrict(asObject(tool["parameters"]) ?? {}),
  };
}

function normalResponse(body: JsonObject): unknown {
  const usage = asObject(body["usage"]);
  return {
    model: body["model"],
    status: body["status"] === "complete" ? "completed" : body["status"],
    incomplete: asObject(body["incomplete_details"])?.["reason"],
    output: mergedMessages(asObjects(body["output"]).flatMap(normalOutput)),
    usage: usage && [
      usage["input_tokens"],
      asObject(usage["input_tokens_details"])?.["cached_tokens"] ?? 0,
      usage["output_tokens"],
      asObject(usage["output_tokens_details"])?.["reasoning_tokens"] ?? 0,
    ],
  };
}

function normalOutput(item: JsonObject): readonly JsonObject[] {
  switch (item["type"]) {
    case "message": {
      const content = asObjects(item["content"])
        .filter((part) => part["text"] !== "")
        .map((part) => ({
          ...part,
          logprobs: [],
          annotations: asArray(part["annotations"]),
        }));
      return content.length === 0 ? [] : [{ type: "message", content }];
    }
    case "reasoning": {
      const text = [...asObjects(item["summary"]), ...asObjects(item["content"])]
        .map((part) => asText(part["text"]))
        .filter((each) => each !== "")
        .join("\n\n");
      const slot = asText(item["encrypted_content"]);
      const state = slot === "" ? undefined : stateOf(JSON.stringify({ encrypted_content: slot }));
      return text === "" && state === undefined ? [] : [{ type: "reasoning", text, state }];
    }
    case "function_call":
    case "custom_tool_call": {
      const { id: _, status: __, caller: ___, ...rest } = item;
      return [rest];
    }
    case "image_generation_call":
      return [{ type: "image_generation_call", result: item["result"] }];
    default:
      return [item];
  }
}

/** Messages that follow each other are one. */
function mergedMessages(items: readonly JsonObject[]): readonly JsonObject[] {
  const out: JsonObject[] = [];
  for (const item of items) {
    const last = out.at(-1);
    if (item["type"] === "message" && last?.["type"] === "message") {
      out[out.length - 1] = { ...last, content: [...asArray(last["content"]), ...asArray(item["content"])] };
    } else out.push(item);
  }
  return out;
}

function withoutNulls(value: JsonObject): JsonObject {
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
