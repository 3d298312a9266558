import { EventStreamCodec } from "@smithy/eventstream-codec";
import { describe, expect, it } from "vitest";
import type { UpstreamFailure } from "../call.ts";
import { RawHeaders } from "../transport/raw-headers.ts";
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
function received(bodies: readonly Buffer[], type = "application/vnd.amazon.eventstream") {
  const failures: UpstreamFailure[] = [];
  let text = "";
  let seenType: string | undefined;
  let ended = false;
  const stream = openModelStream(
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

  it("is silent about messages that it doesn't know", () => {
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
