import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blankPlan } from "../../conversation/lower/plan.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { Transport, UpstreamFailure, UpstreamRequest, UpstreamResponse } from "../../upstreams/call.ts";
import { RawHeaders } from "../../upstreams/transport/raw-headers.ts";
import { readResponse } from "../mode/event-reader.ts";
import { fanOut } from "./fan-out.ts";
import { quoted, splitResponseNumber } from "./joined-form.ts";

const READER = PROTOCOLS.messages.usage;
const CLOSED: UpstreamFailure = { kind: "closed", phase: "body", message: "gone" };

const frame = (event: { type: string }): Buffer =>
  Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
const OPENING = frame({
  type: "message_start",
  message: { id: "m", role: "assistant", content: [], usage: { input_tokens: 5, output_tokens: 1 } },
} as { type: string });
const CLOSING = Buffer.concat([
  frame({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 7 } } as {
    type: string;
  }),
  frame({ type: "message_stop" }),
]);
const plain = (text: string): Buffer =>
  Buffer.from(
    JSON.stringify({ content: [{ type: "text", text }], usage: { input_tokens: 5, output_tokens: 7 } }),
  );

/** Of three answers that are collected whole. */
const factsOf = (body: Buffer) => {
  const { usage, translation } = PROTOCOLS.messages;
  if (translation === undefined) throw new Error("no codec");
  const plan = { ...blankPlan({ protocol: "messages" }, "req_1"), copies: 3 };
  return readResponse({ usage, upstream: translation, plan, responses: 3 }, body, "whole").summary;
};

const NO_HEADERS = new RawHeaders([]);

/** Three requests at an upstream that is played by hand, and what their one receiver was told. */
function open(streamed: boolean) {
  const upstream: { response: UpstreamResponse; state: string[]; sent: boolean }[] = [];
  const transport = {
    send(_: UpstreamRequest, response: UpstreamResponse) {
      const state: string[] = [];
      const lane = { response, state, sent: false };
      upstream.push(lane);
      return {
        sentMs: () => (lane.sent ? 1 : undefined),
        pause: () => void state.push("paused"),
        resume: () => void state.push("resumed"),
        rest: () => void state.push("resting"),
        abort: () => void state.push("aborted"),
      };
    },
  } as unknown as Transport;
  const told: string[] = [];
  const chunks: Buffer[] = [];
  const { upstreamCall, usage } = fanOut(
    transport,
    { streamed, candidate: { protocol: "messages" } } as UpstreamRequest,
    [[], [], []],
    READER,
    {
      head: (status) => void told.push(`head ${status}`),
      data(chunk) {
        chunks.push(chunk);
        meter.write(chunk);
      },
      ended: () => void told.push("ended"),
      failed: ({ kind }) => void told.push(`failed ${kind}`),
    },
  );
  const meter = usage.openStream(3);
  const at = (number: number): UpstreamResponse => {
    const lane = upstream[number];
    if (lane === undefined) throw new Error(`no request ${number}`);
    return lane.response;
  };
  const states = (): string[] => upstream.map(({ state }) => state.join(" "));
  const begin = (): void => {
    for (const { response } of upstream) response.head(200, NO_HEADERS);
  };
  const connect = (number: number): void => {
    const lane = upstream[number];
    if (lane !== undefined) lane.sent = true;
  };
  return { at, begin, connect, states, told, chunks, call: upstreamCall, usage, meter };
}

describe("several requests as one", () => {
  it("begin when the last has begun, and nothing that came earlier is lost", () => {
    const { at, told, chunks } = open(true);
    at(0).head(200, NO_HEADERS);
    at(0).data(OPENING);
    at(1).head(200, NO_HEADERS);
    expect(told).toEqual([]);
    at(2).head(200, NO_HEADERS);
    expect(told).toEqual(["head 200"]);
    expect(chunks.map(splitResponseNumber)).toEqual([{ response: 0, chunk: OPENING }]);
  });

  it("stream side by side and end when all have ended, with the sum of their usage", () => {
    const { at, begin, told, chunks, meter, states } = open(true);
    begin();
    for (const number of [2, 0, 1]) at(number).data(OPENING);
    for (const number of [1, 2, 0]) {
      expect(meter.finished).toBe(false);
      at(number).data(CLOSING);
      at(number).ended();
    }
    expect(chunks.map((chunk) => splitResponseNumber(chunk).response)).toEqual([2, 0, 1, 1, 2, 0]);
    expect(told).toEqual(["head 200", "ended"]);
    expect(meter.finished).toBe(true);
    expect(meter.summary().usage?.tokens).toEqual({ inputUncached: 15, outputVisible: 21 });
    expect(states()).not.toContain("paused");
  });

  it("follow each other as the elements of one array where they are plain, whichever came first", () => {
    const { at, begin, told, chunks } = open(false);
    begin();
    at(2).data(plain("c"));
    at(2).ended();
    at(1).data(plain("b"));
    at(0).data(plain("a"));
    at(0).ended();
    expect(told).toEqual(["head 200"]);
    at(1).ended();
    expect(told).toEqual(["head 200", "ended"]);
    const body = Buffer.concat(chunks);
    const texts = JSON.parse(body.toString()).map(
      (each: { content: { text: string }[] }) => each.content[0]?.text,
    );
    expect(texts).toEqual(["a", "b", "c"]);
    expect(factsOf(body)).toMatchObject({
      hasOutput: true,
      usage: { tokens: { inputUncached: 15, outputVisible: 21 } },
    });
  });

  it("are collected whole where a stream was asked for and the first that comes is none", () => {
    const { at, begin, told, chunks } = open(true);
    begin();
    at(1).data(Buffer.from(" "));
    at(1).data(plain("b"));
    at(0).data(OPENING);
    at(2).data(plain("c"));
    at(0).data(CLOSING);
    for (const number of [0, 1, 2]) at(number).ended();
    expect(told).toEqual(["head 200", "ended"]);
    const body = Buffer.concat(chunks);
    expect(JSON.parse(body.toString())[0]).toBe(`${OPENING}${CLOSING}`);
    expect(factsOf(body).usage?.tokens).toEqual({ inputUncached: 15, outputVisible: 21 });
  });

  it("hold any text as a string, wherever it is cut", () => {
    const property = fc.property(
      fc.string({ unit: "binary" }),
      fc.integer({ min: 1, max: 9 }),
      (text, piece) => {
        const bytes = Buffer.from(text);
        const pieces: Buffer[] = [];
        for (let from = 0; from < bytes.length; from += piece)
          pieces.push(quoted(bytes.subarray(from, from + piece)));
        expect(JSON.parse(`"${Buffer.concat(pieces)}"`)).toBe(bytes.toString());
      },
    );
    fc.assert(property);
  });

  it("are sent as soon as one of them is", () => {
    const { connect, call } = open(false);
    expect(call.sentMs()).toBeUndefined();
    connect(1);
    expect(call.sentMs()).toBe(1);
  });

  it("are counted, cut amid plain answers, as far as they were sent", () => {
    const { connect, call, usage } = open(false);
    connect(0);
    connect(2);
    call.abort();
    expect(usage.readPlain(undefined).parts).toHaveLength(2);
  });

  it("leave what must wait with its upstream beyond 256 KB, and take it when its turn comes", () => {
    const { at, begin, states, chunks } = open(false);
    begin();
    at(1).data(Buffer.alloc(300_000, " "));
    expect(states()).toEqual(["", "paused", ""]);
    at(0).ended();
    expect(states()[1]).toBe("paused resumed");
    expect(Buffer.concat(chunks).length).toBe(300_002);
  });

  it("are refused together: the first error stands for all, and the others are cancelled", () => {
    const { at, told, states, chunks } = open(true);
    at(0).head(200, NO_HEADERS);
    at(1).head(529, NO_HEADERS);
    at(1).data(Buffer.from("{}"));
    at(1).ended();
    expect(told).toEqual(["head 529", "ended"]);
    expect(chunks).toEqual([Buffer.from("{}")]);
    expect(states()).toEqual(["aborted", "", "aborted"]);
  });

  it.each([true, false])("fail together when one breaks off (streamed: %s)", (streamed) => {
    const { at, begin, told, states, meter } = open(streamed);
    begin();
    at(2).data(OPENING);
    at(2).failed(CLOSED);
    expect(told).toEqual(["head 200", "failed closed"]);
    expect(states()).toEqual(["aborted", "aborted", ""]);
    expect(meter.finished).toBe(false);
  });

  it("are broken off when one stream ends before its terminal event", () => {
    const { at, begin, told, states, meter } = open(true);
    begin();
    for (const number of [0, 1, 2]) at(number).data(OPENING);
    at(1).ended();
    expect(told).toEqual(["head 200", "ended"]);
    expect(meter.finished).toBe(false);
    expect(states()[0]).toBe("aborted");
    expect(meter.summary().parts).toHaveLength(3);
  });

  it("count nothing for a request that has produced nothing", () => {
    const { at, begin, meter } = open(true);
    begin();
    at(1).data(OPENING);
    expect(meter.started).toBe(true);
    expect(meter.summary().parts).toHaveLength(1);
  });

  it("pause, resume and end as one", () => {
    const { call, states, at, begin, chunks } = open(true);
    begin();
    call.pause();
    call.resume();
    call.abort();
    expect(states()).toEqual(["paused resumed aborted", "paused resumed aborted", "paused resumed aborted"]);
    at(0).data(OPENING);
    expect(chunks).toEqual([]);
  });
});
