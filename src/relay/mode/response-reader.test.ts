import { afterAll, describe, expect, it } from "vitest";
import { VENDOR_WIRES, wholeStream } from "../../../test/support/vendor-wire.ts";
import { LongNumber } from "../../base/json/exact-json.ts";
import type { CallWithState } from "../../conversation/adapt/calls-with-state.ts";
import { blankPlan } from "../../conversation/lower/plan.ts";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../conversation/protocol-name.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { createResponseReader, isLong, type LongResponse } from "./response-reader.ts";
import { type ResponseReading, type ResponseTerms, readWhole } from "./whole-response.ts";

const MB = 1024 * 1024;
const REQUEST = { responses: 1, framing: "whole" as const, secrets: [] };

/** A response of `upstream`, to be written for `client`. */
function termsOf(client: ChatProtocol, upstream: ChatProtocol, streamed: boolean): ResponseTerms {
  const frame = {
    ...{
      id: "1",
      requestId: "req_1",
      created: 1_754_000_000,
      model: "m",
      includeUsage: true,
      inputEstimate: 9,
    },
    echo: { seed: new LongNumber("12345678901234567890") },
  };
  const plan = blankPlan({ protocol: upstream, upstream: "u", model: "m", credential: "1" }, "seed");
  const conversion = { client, streamed, arrayStream: false, upstream, plan, frame };
  return { ...REQUEST, client, form: { kind: "written", own: client === upstream, conversion } };
}

function here({ chunks, upstream, terms, onCall }: LongResponse): ResponseReading {
  return readWhole(terms, PROTOCOLS[upstream].usage, chunks, onCall);
}

const comparable = ({ summary: { outputText, ...summary }, passed, ...rest }: ResponseReading): object => ({
  ...rest,
  summary: JSON.parse(JSON.stringify({ ...summary, text: outputText() })),
  passed: passed !== undefined && "body" in passed ? Buffer.concat(passed.body).toString() : passed,
});

/** In pieces, as it comes. */
function chunksOf(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const half = bytes.length >> 1;
  return [bytes.subarray(0, half), bytes.subarray(half)];
}

const chat = (message: object, more: object = {}): string =>
  JSON.stringify({
    ...{ id: "chatcmpl-1", object: "chat.completion", created: 1_754_000_000, model: "m" },
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", ...message } }],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    ...more,
  });

describe("reading an answer beside the event loop", () => {
  const reader = createResponseReader(MB);
  afterAll(() => reader.close());

  it.each(CHAT_PROTOCOLS.flatMap((client) => CHAT_PROTOCOLS.map((upstream) => [upstream, client] as const)))(
    "gives to the byte what reading it here gives: %s for %s",
    async (upstream, client) => {
      for (const streamed of [false, true]) {
        const terms = termsOf(client, upstream, streamed);
        const plain = { upstream, copies: 1, terms, chunks: chunksOf(VENDOR_WIRES[upstream].plain("m")) };
        expect(comparable(await reader.read(plain))).toEqual(comparable(here(plain)));
        const events = {
          ...plain,
          chunks: chunksOf(wholeStream(upstream, "m")),
          terms: { ...terms, framing: "events" as const },
        };
        expect(comparable(await reader.read(events))).toEqual(comparable(here(events)));
      }
    },
  );

  it("passes the very chunks of an answer that stays as it came, and keeps all digits of the caller's own fields", async () => {
    const chunks = chunksOf(chat({ content: "Hello" }));
    const asItCame = { ...REQUEST, client: "chat-completions", form: { kind: "as-it-came" } } as const;
    const { passed } = await reader.read({
      chunks,
      upstream: "chat-completions",
      copies: 1,
      terms: asItCame,
    });
    expect(passed).toEqual({ body: chunks, losses: [] });
    const echoed = await reader.read({
      ...{ chunks, upstream: "chat-completions", copies: 1 },
      terms: termsOf("responses", "chat-completions", false),
    });
    expect(comparable(echoed)).toMatchObject({ passed: expect.stringContaining("12345678901234567890") });
  });

  it("tells the states of calls, as long as they are few", async () => {
    const called = (count: number): Buffer[] => {
      const part = {
        functionCall: { name: "f", args: { words: "x".repeat(1_000) } },
        thoughtSignature: Buffer.from("a signature").toString("base64"),
      };
      const content = { role: "model", parts: Array(count).fill(part) };
      return chunksOf(JSON.stringify({ candidates: [{ index: 0, finishReason: "STOP", content }] }));
    };
    const told: CallWithState[] = [];
    const terms = termsOf("chat-completions", "generate-content", false);
    const answer = {
      ...({ upstream: "generate-content", copies: 1, terms } as const),
      onCall: (call: CallWithState) => told.push(call),
    };
    await reader.read({ ...answer, chunks: called(2) });
    expect(told).toMatchObject([{ name: "f" }, { name: "f" }]);
    told.length = 0;
    await reader.read({ ...answer, chunks: called(700) });
    expect(told.length).toBeGreaterThan(100);
    expect(told.length).toBeLessThan(300);
  });

  it("says what is no image, what is too much to tell, and what grows too large in its caller's form", async () => {
    const upstream = "chat-completions";
    const terms = termsOf("messages", upstream, false);
    const answer = (text: string): LongResponse => ({ upstream, copies: 1, terms, chunks: chunksOf(text) });
    const none = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    await expect(reader.read(answer(chat({ content: "", images: [none] })))).rejects.toMatchObject({
      name: "NotAnImage",
    });
    const oversized = { name: "OversizedResponse" };
    // As much as is kept of a vendor's usage.
    const words = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`${at}`, "x".repeat(1_000)]));
    const usage = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`${at}`, words]));
    await expect(reader.read(answer(chat({ content: "Hi" }, { usage })))).rejects.toMatchObject(oversized);
    await expect(reader.read(answer(chat({ content: "x".repeat(2 * MB) })))).rejects.toMatchObject(oversized);
    expect(await reader.read(answer(chat({ content: "Hi" })))).toHaveProperty("passed.body");
  });

  it("does without what is no answer, and goes on", async () => {
    const upstream = "chat-completions";
    const terms = termsOf("messages", upstream, false);
    const half = await reader.read({ upstream, copies: 1, terms, chunks: chunksOf('{"choices": [') });
    expect(half).toMatchObject({ summary: { unreadable: true } });
    expect(half.passed).toBeUndefined();
  });

  it("scrubs what is the operator's own", async () => {
    const upstream = { kind: "sandbox", baseUrl: "https://inner.example.net/v1", credentials: [] };
    const catalog = { allUpstreams: [upstream] } as unknown as Parameters<typeof reader.scrub>[1];
    const body = Buffer.from(JSON.stringify({ error: "no route to inner.example.net" }));
    const told = Buffer.from(await reader.scrub([body], catalog)).toString();
    expect(told).not.toContain("inner.example.net");
    expect(told).toContain("no route to");
  });

  it("is for what would take the event loop more than some ten milliseconds", () => {
    const terms = termsOf("messages", "chat-completions", false);
    const isLeft = (text: string, length: number, of: ResponseTerms): boolean =>
      isLong([Buffer.alloc(length, text)], length, of);
    expect([isLeft("1", MB / 4, terms), isLeft("1", MB / 4 + 1, terms)]).toEqual([false, true]);
    const vectors = { ...REQUEST, client: "embeddings", form: { kind: "as-it-came" } } as const;
    const flat = `{"embedding":[${"0.0123456789,".repeat(256)}1]}`;
    expect([isLeft(flat, 8 * MB, vectors), isLeft(flat, 8 * MB + 1, vectors)]).toEqual([false, true]);
    // Neither is counted over quickly.
    for (const text of ["[", "{}", '"\\u0061"']) expect(isLeft(text, MB, vectors)).toBe(true);
  });
});
