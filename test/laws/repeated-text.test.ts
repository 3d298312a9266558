import { describe, expect, it } from "vitest";
import { writeExact } from "../../src/base/json/exact-json.ts";
import { writeFrame } from "../../src/base/sse.ts";
import { openLosses } from "../../src/conversation/loss.ts";
import { blankPlan } from "../../src/conversation/lower/plan.ts";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { openForwardedStream } from "../../src/protocols/chat-completions/forwarded-stream.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import type { Translation, WireFrame } from "../../src/protocols/translation.ts";
import { frame } from "../support/conversation-arbitraries.ts";
import { LONG_STREAMS } from "../support/long-streams.ts";

/** A text of a vendor's that is far longer than any name. */
const LONG = "x".repeat(40_000);
const EVENTS = 60;
/** Each text may be told as a piece, and whole at the end of its part, of its item and of its response. */
const COPIES = 8;
/** What stands once and is pointed at may be told some hundred times, as long as it is short. */
const POINTED = { copies: 20, least: 1_000_000 };
/** What an event of any protocol has around its text, and names up to their bound. */
const AROUND = 4_000;

const PAIRS = CHAT_PROTOCOLS.flatMap((upstream) => CHAT_PROTOCOLS.map((caller) => ({ upstream, caller })));

describe("a long text of a vendor's, wherever it stands", () => {
  it.each(PAIRS)("is written a few times at most: a stream from $upstream to $caller", (pair) => {
    for (const [what, make] of Object.entries(LONG_STREAMS[pair.upstream])) {
      for (const { place, frames } of lengthened(make(EVENTS))) {
        const letters = written(pair.upstream, pair.caller, frames);
        expect(letters, `${what}: ${place}`).toBeLessThan(COPIES * sizeOf(frames) + AROUND * frames.length);
      }
    }
  });

  it.each(PAIRS)("even where others refer to it: from $upstream to $caller", ({ upstream, caller }) => {
    for (const [what, frames] of Object.entries(REFERRED[upstream] ?? {})) {
      const most = POINTED.copies * sizeOf(frames) + POINTED.least;
      expect(written(upstream, caller, frames), what).toBeLessThan(most);
    }
  });

  it.each(CHAT_PROTOCOLS)("is written a few times at most in a plain answer: to %s", (caller) => {
    for (const [upstream, bodies] of Object.entries(PLAIN)) {
      for (const [what, body] of Object.entries(bodies)) {
        const decoded = codecOf(upstream as ChatProtocol).decodeResponse(
          body,
          planOf(upstream as ChatProtocol),
        );
        if ("error" in decoded) throw new Error(decoded.error.message);
        const told = writeExact(codecOf(caller).encodeResponse(decoded.response, frame).body);
        expect(told.length, what).toBeLessThan(POINTED.copies * JSON.stringify(body).length + POINTED.least);
      }
    }
  });
});

describe("a forwarded chat stream", () => {
  const CHOICES = 1_000;
  const terms = { usage: "asked", responses: 1, copiesReasoning: true } as const;
  const head = { id: LONG, object: "chat.completion.chunk", created: 7, model: LONG };
  const chunk = (choices: readonly unknown[]): Buffer =>
    Buffer.from(writeFrame(JSON.stringify({ ...head, choices })));
  const told = (bytes: Buffer): number => {
    const run = openForwardedStream(terms);
    return [...run.write(bytes), ...run.end(), ...run.closing({})].reduce(
      (sum, { length }) => sum + length,
      0,
    );
  };

  it("tells the roles of all choices that begin in one chunk at once", () => {
    const bytes = chunk(times(CHOICES, (index) => ({ index, delta: { content: "word" } })));
    expect(told(bytes)).toBeLessThan(COPIES * bytes.length);
  });

  it("tells a thought under its second name once, however often it is written", () => {
    const nulls = times(CHOICES, () => `"reasoning_content":null`).join(",");
    const json = `{"choices":[{"index":0,"delta":{"reasoning":"${LONG}",${nulls}}}]}`;
    const bytes = Buffer.from(writeFrame(json));
    expect(told(bytes)).toBeLessThan(COPIES * bytes.length);
  });
});

/** The stream with each of its texts made long in turn, of the first events and of the last. */
function lengthened(
  frames: readonly WireFrame[],
): readonly { readonly place: string; readonly frames: readonly WireFrame[] }[] {
  const edges = [0, 1].flatMap((at) => [at, frames.length - 1 - at]);
  return [...new Set(edges)].flatMap((at) => {
    const each = frames[at];
    if (each === undefined || !each.data.startsWith("{")) return [];
    return longTexts(JSON.parse(each.data)).map(({ path, value }) => ({
      place: `${at} ${path}`,
      frames: frames.with(at, { ...each, data: JSON.stringify(value) }),
    }));
  });
}

interface Lengthened {
  readonly path: string;
  readonly value: unknown;
}

function longTexts(value: unknown): readonly Lengthened[] {
  if (typeof value === "string") return [{ path: "", value: LONG }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    longTexts(inner).map(
      (long): Lengthened => ({
        path: `${key}.${long.path}`,
        value: Array.isArray(value) ? value.with(Number(key), long.value) : { ...value, [key]: long.value },
      }),
    ),
  );
}

function sizeOf(frames: readonly WireFrame[]): number {
  return frames.reduce((sum, { data }) => sum + data.length, 0);
}

function written(upstream: ChatProtocol, caller: ChatProtocol, frames: readonly WireFrame[]): number {
  const decoder = codecOf(upstream).decodeStream(planOf(upstream));
  const encoder = codecOf(caller).encodeStream(frame, openLosses({}));
  let letters = 0;
  const count = (out: readonly WireFrame[]): void => {
    for (const { data } of out) letters += data.length;
  };
  for (const each of frames) for (const event of decoder.step(each)) count(encoder.step(event));
  for (const event of decoder.end()) count(encoder.step(event));
  count(encoder.end());
  return letters;
}

function codecOf(protocol: ChatProtocol): Translation {
  const { translation } = PROTOCOLS[protocol];
  if (translation === undefined) throw new Error(`no codec of ${protocol}`);
  return translation;
}

function planOf(upstream: ChatProtocol) {
  return blankPlan({ protocol: upstream }, "req_1");
}

function times<T>(many: number, make: (at: number) => T): readonly T[] {
  return Array.from({ length: many }, (_, at) => make(at));
}

const grounded = (chunk: object) => ({
  candidates: [
    {
      index: 0,
      content: { parts: [{ text: "word" }] },
      finishReason: "STOP",
      groundingMetadata: {
        groundingChunks: [chunk],
        groundingSupports: times(EVENTS, () => ({
          segment: { startIndex: 0, endIndex: 4 },
          groundingChunkIndices: times(EVENTS, () => 0),
        })),
      },
    },
  ],
});
const GROUNDED = {
  "an address that passages rest on": grounded({ web: { uri: `https://a.example/${LONG}` } }),
  "a title that passages rest on": grounded({ web: { uri: "https://a.example/", title: LONG } }),
  "a quote that passages rest on": grounded({ retrievedContext: { uri: "https://a.example/", text: LONG } }),
};

const pages = [{ url: `https://a.example/${LONG}`, title: LONG, snippet: LONG }];
const said = times(128, (index) => ({ index, message: { content: "word" }, finish_reason: "stop" }));
const event = (type: string, fields: object): WireFrame => ({
  name: type,
  data: JSON.stringify({ type, ...fields }),
});
const data = (value: unknown): WireFrame => ({ data: JSON.stringify(value) });

const blocks = (citation: object): readonly WireFrame[] => [
  event("message_start", { message: { id: "m", model: "m", usage: { input_tokens: 1 } } }),
  event("content_block_start", { index: 0, content_block: { type: "text", text: LONG } }),
  ...times(EVENTS, (at) =>
    event("content_block_delta", {
      index: 0,
      delta: { type: "citations_delta", citation: { ...citation, url: `https://a.example/${at}` } },
    }),
  ),
  event("content_block_stop", { index: 0 }),
  event("message_delta", { delta: { stop_reason: "end_turn" } }),
  event("message_stop", {}),
];

/** Texts that stand once and that much else points at. */
const REFERRED: Readonly<Partial<Record<ChatProtocol, Readonly<Record<string, readonly WireFrame[]>>>>> = {
  "generate-content": Object.fromEntries(
    Object.entries(GROUNDED).map(([what, chunk]) => [what, [data(chunk)]]),
  ),
  messages: { "a text that cites many pages": blocks({ type: "web_search_result_location" }) },
  "chat-completions": {
    "pages that all choices rest on": [
      data({ choices: said.map(({ index, message }) => ({ index, delta: message })), search_results: pages }),
      data({ choices: said.map(({ index }) => ({ index, delta: {}, finish_reason: "stop" })) }),
      { data: "[DONE]" },
    ],
  },
};

const PLAIN: Readonly<Partial<Record<ChatProtocol, Readonly<Record<string, unknown>>>>> = {
  "generate-content": GROUNDED,
  "chat-completions": { "pages that all choices rest on": { choices: said, search_results: pages } },
  messages: {
    "a text that cites many pages": {
      content: [
        {
          type: "text",
          text: LONG,
          citations: times(EVENTS, (at) => ({
            type: "web_search_result_location",
            url: `https://a.example/${at}`,
          })),
        },
      ],
      stop_reason: "end_turn",
    },
  },
};
