import { crc32 } from "node:zlib";
import { EventStreamCodec } from "@smithy/eventstream-codec";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../../test/support/cases.ts";
import type { UpstreamFailure } from "../call.ts";
import { RawHeaders } from "../transport/raw-headers.ts";
import { CONVERSE } from "./converse.ts";
import { openModelStream } from "./model-stream.ts";

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (text) => Buffer.from(text),
);

function message(headers: Readonly<Record<string, string>>, body: string): Buffer {
  const values = Object.entries(headers).map(([name, value]) => [name, { type: "string" as const, value }]);
  return Buffer.from(codec.encode({ headers: Object.fromEntries(values), body: Buffer.from(body) }));
}

function chunk(event: string): Buffer {
  const bytes = Buffer.from(event).toString("base64");
  return message(
    { ":message-type": "event", ":event-type": "chunk", ":content-type": "application/json" },
    JSON.stringify({ bytes, p: "abcdefg" }),
  );
}

function exception(type: string, body: string): Buffer {
  return message({ ":message-type": "exception", ":exception-type": type }, body);
}

/** What a receiver is told of a response in this framing. */
function received(
  bodies: readonly Buffer[],
  type = "application/vnd.amazon.eventstream",
  open = openModelStream,
) {
  const failures: UpstreamFailure[] = [];
  let text = "";
  let seenType: string | undefined;
  let ended = false;
  const stream = open(
    {
      head: (_status, headers) => {
        seenType = headers.get("content-type");
      },
      data: (bytes) => {
        text += bytes.toString("utf8");
      },
      ended: () => {
        ended = true;
      },
      failed: (failure) => failures.push(failure),
    },
    { name: "aws", model: "claude", fail: (failure) => failures.push(failure) },
  );
  stream.head(200, new RawHeaders([Buffer.from("Content-Type"), Buffer.from(type)]));
  for (const body of bodies) if (failures.length === 0) stream.data(body);
  if (failures.length === 0) stream.ended();
  return { text, type: seenType, ended, failures: failures.map(({ message: said }) => said) };
}

describe("a model's stream in AWS's framing", () => {
  it.each([
    ["no bytes", "{}", "a chunk has no bytes"],
    ["bytes of another type", '{"bytes":{"a":[1]}}', "a chunk has no bytes"],
    ["a number", "7", "an event is no JSON object"],
    ["null", "null", "an event is no JSON object"],
    ["no JSON", "{secret", "an event is no JSON"],
    ["an inner event that is no JSON", JSON.stringify({ bytes: "e3NlY3JldA==" }), "an event is no JSON"],
    ["an inner event that is null", JSON.stringify({ bytes: "bnVsbA==" }), "an event is no JSON object"],
  ])("fails in words of ours at a chunk of %s", (_name, body, why) => {
    const { failures } = received([message({ ":message-type": "event", ":event-type": "chunk" }, body)]);
    expect(failures).toEqual([`aws sent a stream that can't be read: ${why}.`]);
  });

  it("becomes the events of the model's own vendor", () => {
    const event = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüße"}}';
    expect(received([chunk(event)])).toEqual({
      text: `event: content_block_delta\ndata: ${event}\n\n`,
      type: "text/event-stream",
      ended: true,
      failures: [],
    });
  });

  it("loses what AWS added, and no other byte", () => {
    const stop =
      '{"type":"message_stop", "a":1,"amazon-bedrock-invocationMetrics":{"inputTokenCount":9},"b": 2}';
    expect(received([chunk(stop)]).text).toBe(
      'event: message_stop\ndata: {"type":"message_stop", "a":1,"b": 2}\n\n',
    );
    const words = '{"type":"x","text":"amazon-bedrock-invocationMetrics"}';
    expect(received([chunk(words)]).text).toBe(`event: x\ndata: ${words}\n\n`);
  });

  it("keeps each event in one line, wherever its type stands", () => {
    expect(received([chunk('{\n  "a": 1,\r\n  "type": "ping"\n}')]).text).toBe(
      'event: ping\ndata: {   "a": 1,    "type": "ping" }\n\n',
    );
  });

  it.each([
    ["throttlingException", '{"message":"Too many requests"}', "rate_limit_error", "Too many requests"],
    ["serviceUnavailableException", '{"message":"Busy"}', "overloaded_error", "Busy"],
    [
      "modelStreamErrorException",
      '{"originalMessage":"Broke","originalStatusCode":500}',
      "api_error",
      "Broke",
    ],
    ["modelTimeoutException", "{}", "timeout_error", "modelTimeoutException"],
    ["validationException", '{"message":"Bad"}', "invalid_request_error", "Bad"],
    ["internalServerException", "no json", "api_error", "internalServerException"],
  ])("tells of %s as the model's own vendor would", (type, body, word, words) => {
    const { text } = received([exception(type, body)]);
    const error = { type: word, message: words };
    expect(text).toBe(`event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`);
  });

  it("tells of an error that has no exception's name", () => {
    const headers = { ":message-type": "error", ":error-code": "InternalError", ":error-message": "Oops" };
    expect(received([message(headers, "")]).text).toContain('{"type":"api_error","message":"Oops"}');
  });

  it("is silent about events that it doesn't know", () => {
    const initial = message({ ":message-type": "event", ":event-type": "initial-response" }, "{}");
    expect(received([initial])).toMatchObject({ text: "", ended: true });
  });

  it("fails with what is wrong behind what came whole", () => {
    const damaged = chunk('{"type":"ping"}');
    damaged[20] = (damaged[20] ?? 0) ^ 1;
    expect(received([Buffer.concat([chunk('{"type":"ping"}'), damaged])])).toMatchObject({
      text: 'event: ping\ndata: {"type":"ping"}\n\n',
      ended: false,
      failures: ["aws sent a stream that can't be read: a message does not fit its checksum."],
    });
  });

  it("fails where it ends within a message", () => {
    expect(received([chunk('{"type":"ping"}').subarray(0, 30)]).failures).toEqual([
      "aws sent a stream that can't be read: it ended within a message.",
    ]);
  });

  it("is left alone in any other framing", () => {
    const body = Buffer.from("event: ping\n\n");
    expect(received([body], "text/event-stream; charset=utf-8")).toMatchObject({
      text: "event: ping\n\n",
      type: "text/event-stream; charset=utf-8",
    });
  });
});

/** The bytes with checksums that fit, whatever they say. */
function framed(headers: Buffer, payload: Buffer, stated = headers.length): Buffer {
  const whole = Buffer.alloc(16 + headers.length + payload.length);
  whole.writeUInt32BE(whole.length, 0);
  whole.writeUInt32BE(stated, 4);
  whole.writeUInt32BE(crc32(whole.subarray(0, 8)), 8);
  headers.copy(whole, 12);
  payload.copy(whole, 12 + headers.length);
  whole.writeUInt32BE(crc32(whole.subarray(0, -4)), whole.length - 4);
  return whole;
}

/** Cuts, overwrites or lengthens. */
const mutation = fc.oneof(
  fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ cut: fc.nat() }),
  fc.record({ more: fc.uint8Array({ maxLength: 8 }) }),
);
type Mutation = { at?: number; byte?: number; cut?: number; more?: Uint8Array };

function mutated(bytes: Buffer, by: readonly Mutation[]): Buffer {
  return by.reduce((before, { at, byte, cut, more }) => {
    if (more !== undefined) return Buffer.concat([before, more]);
    if (cut !== undefined) return before.subarray(0, cut % (before.length + 1));
    const after = Buffer.from(before);
    if (after.length > 0) after[(at ?? 0) % after.length] = byte ?? 0;
    return after;
  }, bytes);
}

const frames = fc.constantFrom(
  chunk('{"type":"ping"}'),
  chunk('{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Gr\u00fc\u00dfe"}}'),
  exception("throttlingException", '{"message":"Too many"}'),
  ...[
    ["messageStart", { role: "assistant" }],
    ["contentBlockStart", { start: { toolUse: { toolUseId: "a", name: "b" } }, contentBlockIndex: 0 }],
    ["contentBlockDelta", { delta: { toolUse: { input: "{}" } }, contentBlockIndex: 0 }],
    ["contentBlockDelta", { delta: { text: "Hi" }, contentBlockIndex: 1 }],
    ["contentBlockDelta", { delta: { reasoningContent: { text: "Hm" } }, contentBlockIndex: 2 }],
    ["metadata", { usage: { inputTokens: 1, outputTokens: 1 } }],
  ].map(([type, payload]) =>
    message({ ":message-type": "event", ":event-type": String(type) }, JSON.stringify(payload)),
  ),
);

const none: readonly Mutation[] = [];
const mutations = fc.array(mutation as fc.Arbitrary<Mutation>, { maxLength: 3 });

/** A frame as it is, with other headers or payload whose checksums fit, or with other bytes. */
const brokenFrame = fc
  .record({
    frame: frames,
    headers: fc.oneof(fc.constant(none), mutations),
    payload: fc.oneof(fc.constant(none), mutations),
    whole: fc.oneof({ weight: 4, arbitrary: fc.constant(none) }, { weight: 1, arbitrary: mutations }),
  })
  .map(({ frame, headers, payload, whole }) => {
    const start = 12 + frame.readUInt32BE(4);
    const changed = framed(
      mutated(frame.subarray(12, start), headers),
      mutated(frame.subarray(start, -4), payload),
    );
    return mutated(changed, whole);
  });

describe("a malformed message of a stream", () => {
  it.each([
    ["the model's own events", openModelStream],
    ["Converse", CONVERSE.openResponse],
  ])("is one failure in words of ours, behind whole events alone, in %s", (_name, open) => {
    fc.assert(
      fc.property(fc.array(brokenFrame, { minLength: 1, maxLength: 4 }), fc.nat(), (bodies, cut) => {
        const all = Buffer.concat(bodies);
        const at = cut % (all.length + 1);
        const { text, ended, failures } = received([all.subarray(0, at), all.subarray(at)], undefined, open);
        expect(failures).toHaveLength(ended ? 0 : 1);
        for (const said of failures) expect(said).toMatch(OUR_WORDS);
        for (const event of text.split("\n\n").slice(0, -1)) {
          expect(event).toMatch(/^(event: [\w.]+\n)?data: \{.*\}$/);
          JSON.parse(event.slice(event.indexOf("data: ") + "data: ".length));
        }
        expect(text === "" || text.endsWith("\n\n")).toBe(true);
      }),
      { numRuns: casesOf(5_000) },
    );
  });

  it("is one where its headers are cut at any byte", () => {
    const whole = chunk('{"type":"ping"}');
    const headers = whole.subarray(12, 12 + whole.readUInt32BE(4));
    const payload = whole.subarray(12 + headers.length, -4);
    const neededBytes = headers.indexOf(":content-type") - 1;
    for (let end = 0; end < headers.length; end += 1)
      for (const bytes of [framed(headers.subarray(0, end), payload), framed(headers, payload, end)]) {
        const { text, failures } = received([bytes]);
        // The last header says nothing that is needed.
        const isWhole = text === 'event: ping\ndata: {"type":"ping"}\n\n' && failures.length === 0;
        if (!isWhole) expect([text, failures]).toEqual(["", [expect.stringMatching(OUR_WORDS)]]);
        expect(isWhole, String(end)).toBe(bytes.length < whole.length && end === neededBytes);
      }
  });
});

const OUR_WORDS =
  /^aws sent a stream that can't be read: (a (message('s length)?|header|chunk|delta|text)|an event|it (ended|begins)) [^{}]*\.$/;
