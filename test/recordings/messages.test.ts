import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { collectEvents } from "../../src/conversation/adapt/collect.ts";
import type { ChatEvent } from "../../src/conversation/event.ts";
import { openLosses } from "../../src/conversation/loss.ts";
import type { ChatResponse } from "../../src/conversation/response.ts";
import { opaqueIn } from "../../src/conversation/state/opaque.ts";
import { asObjects } from "../../src/protocols/json.ts";
import { messages } from "../../src/protocols/messages/codec.ts";
import { openFrameReader, writeFrames } from "../../src/protocols/streams/stream-frames.ts";
import type { Translation } from "../../src/protocols/translation.ts";
import { frame, plan, target } from "../support/conversation-arbitraries.ts";
import { fixture } from "../support/fixtures.ts";
import { readRecordings } from "../support/recordings.ts";
import { readBySdk } from "../support/sdk-reader.ts";

const codec = messages.translation as Translation;
const recordings = readRecordings().filter(({ protocol }) => protocol === "messages");
const SDK_FILES = fixture("anthropic-sdk-python/raw/tests/");

describe("recorded messages", () => {
  it("gives back every recorded request, or names what it lost", () => {
    const silent: string[] = [];
    for (const { id, request } of recordings) {
      if (request === undefined) continue;
      const decoded = codec.decodeRequest(request);
      if (!("value" in decoded)) throw new Error(`${id}: ${decoded.refused.path} ${decoded.refused.message}`);
      const encoded = codec.encodeRequest(
        decoded.value,
        target("messages", { model: String(request["model"]) }),
      );
      if (!("value" in encoded)) throw new Error(`${id}: ${encoded.refused.message}`);
      const { body, losses } = encoded.value;
      const lost = new Set(losses.map(({ path }) => path.split(/[.[]/).at(-1)));
      for (const difference of differences(plainest(request), plainest(body))) {
        if (!lost.has(difference.field)) silent.push(`${id} ${JSON.stringify(difference).slice(0, 400)}`);
      }
    }
    expect(silent).toEqual([]);
  });

  it("gives back every recorded answer", () => {
    let seen = 0;
    for (const { id, stream, status, body } of recordings) {
      if (stream || status !== 200) continue;
      const original = JSON.parse(body);
      const decoded = codec.decodeResponse(original, plan("messages"));
      if (!("response" in decoded)) throw new Error(`${id} was read as an error`);
      const encoded = codec.encodeResponse(decoded.response, frame);
      expect(encoded.losses, id).toEqual([]);
      expect(responseOf(encoded.body), id).toEqual(responseOf(original));
      seen += 1;
    }
    expect(seen).toBeGreaterThan(200);
  });

  it("gives back every recorded stream, cut anywhere", () => {
    const streams = recordings.filter(({ stream, status }) => stream && status === 200);
    for (const { id, body } of [...streams, ...sdkStreams()]) {
      const events = read(Buffer.from(body), body.length);
      expect(read(Buffer.from(body), 7), id).toEqual(events);
      // A stream with a call that was cut short is told to end at the limit.
      if (events.some((event) => "defect" in event)) continue;
      const run = codec.encodeStream(frame, openLosses({}));
      const frames = [...events.flatMap((event) => run.step(event)), ...run.end()];
      const again = codec.decodeStream(plan("messages"));
      const back = [...frames.flatMap((each) => again.step(each)), ...again.end()];
      expect(told(back), id).toEqual(told(events));
    }
  });

  it("is read by the official SDK to its end where a recorded stream was written again", async () => {
    for (const { id, stream, status, body } of recordings) {
      if (!stream || status !== 200) continue;
      const events = read(Buffer.from(body), body.length);
      if (events.at(-1)?.type !== "finish") continue;
      const run = codec.encodeStream(frame, openLosses({}));
      const frames = [...events.flatMap((event) => run.step(event)), ...run.end()];
      const response = await readBySdk("messages", writeFrames(frames), () => 1_000);
      expect(response.end, id).toEqual(expect.any(String));
    }
  });

  it("finishes every recorded stream that reached its end, and none that broke", () => {
    for (const { id, stream, status, body } of recordings) {
      if (!stream || status !== 200) continue;
      const last = read(Buffer.from(body), body.length).at(-1)?.type;
      expect(last, id).toBe(/"type": ?"message_stop"/.test(body) ? "finish" : "error");
    }
  });
});

function read(bytes: Buffer, size: number): readonly ChatEvent[] {
  const reader = openFrameReader();
  const run = codec.decodeStream(plan("messages"));
  const events: ChatEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    for (const each of reader.write(bytes.subarray(at, at + size))) events.push(...run.step(each));
  }
  for (const each of reader.end()) events.push(...run.step(each));
  return [...events, ...run.end()];
}

/** What a stream amounts to, less what only its vendor could say: its id, and empty texts. */
function told(events: readonly ChatEvent[]): unknown {
  const outcome = collectEvents(events);
  if (!("response" in outcome)) return Object.keys(outcome);
  return neutral(outcome.response);
}

function neutral({ id: _, usage, choices, ...rest }: ChatResponse): unknown {
  return {
    ...rest,
    tokens: { cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, ...usage?.tokens },
    choices: choices.map(({ parts, finish }) => ({
      finish: { ...finish, message: finish.unified === "content-filter" ? finish.message : undefined },
      parts: parts
        .filter((part) => part.kind !== "text" || part.text !== "")
        .map((part) => {
          if (part.kind === "foreign") return { ...part, path: "" };
          if (part.kind !== "reasoning" || part.opaque === undefined) return part;
          return { ...part, opaque: opaqueIn(part.opaque.value, "messages").value };
        }),
    })),
  };
}

/** A plain response without what is about its serving. */
function responseOf(body: Record<string, unknown>): unknown {
  const usage = body["usage"] as Record<string, unknown>;
  const content = asObjects(body["content"]).filter(({ type, text }) => type !== "text" || text !== "");
  return {
    model: body["model"],
    stop_reason: body["stop_reason"],
    stop_sequence: body["stop_sequence"] ?? null,
    content: content.map((block) => {
      const { caller: _, ...rest } = block;
      const signature = block["signature"];
      return {
        ...(block["type"] === "tool_use" ? rest : block),
        ...(typeof signature === "string" ? { signature: opaqueIn(signature, "messages").value } : {}),
      };
    }),
    // Summaries stand beside the totals, of whom a caller is told one.
    usage: COUNTS.map((count) =>
      [usage, ...asObjects(usage["iterations"]).filter(({ type }) => type === "compaction")].reduce(
        (sum, each) => sum + Number(each[count] ?? 0),
        0,
      ),
    ),
  };
}

const COUNTS = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];

/** A request in the shortest of its equal forms, keys in order. */
function plainest(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) {
    const items = (key === "messages" ? alternating(value) : value)
      .map((item) => plainest(item))
      .filter((item) => !(isBlock(item, "text") && String(item["text"]).trim() === ""));
    const [only] = items;
    const bare = items.length === 1 && isBlock(only, "text") && Object.keys(only).length === 2;
    if ((key === "content" || key === "system") && bare) return only["text"];
    return items;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(withFormat(value))
    .map(([name, each]) => [name, plainest(each, name)] as const)
    .filter(([name, each]) => !isDefault(name, each))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}

/** The older name of structured output. */
function withFormat(value: object): object {
  if (!("output_format" in value)) return value;
  const { output_format: format, ...rest } = value;
  return { ...rest, output_config: { format } };
}

function isDefault(name: string, value: unknown): boolean {
  if (value === null || (Array.isArray(value) && value.length === 0 && name !== "messages")) return true;
  if (name === "caller") return (value as { type: string }).type === "direct";
  if (name === "type") return value === "custom";
  return (
    (name === "ttl" && value === "5m") ||
    (value === false && ["is_error", "stream", "strict"].includes(name)) ||
    (name === "content" && value === "")
  );
}

function isBlock(value: unknown, type: string): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && "type" in value && value.type === type;
}

/** Turns of one role merged, results first; instructions as a block of the user's. */
function alternating(items: readonly { role: string; content: unknown }[]): readonly unknown[] {
  const turns: { role: string; content: unknown[] }[] = [];
  for (const { role, content } of items) {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content as unknown[]);
    const said = role === "system" ? [{ type: "mid_conv_system", content: blocks }] : blocks;
    const speaker = role === "system" ? "user" : role;
    if (said.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === speaker) last.content.push(...said);
    else turns.push({ role: speaker, content: [...said] });
  }
  return turns.map(({ role, content }) => {
    const results = content.filter((block) => isBlock(block, "tool_result"));
    return { role, content: [...results, ...content.filter((block) => !isBlock(block, "tool_result"))] };
  });
}

interface Difference {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Every place where the two differ. */
function differences(before: unknown, after: unknown, field = ""): readonly Difference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (typeof before !== "object" || typeof after !== "object" || before === null || after === null) {
    return [{ field, before, after }];
  }
  const [left, right] = [before, after] as Record<string, unknown>[];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    differences(left?.[key], right?.[key], key),
  );
}

function sdkStreams(): { id: string; body: string }[] {
  return readdirSync(SDK_FILES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({ id: name, body: readFileSync(`${parentPath}/${name}`, "utf8") }));
}
