import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChatEvent } from "../../src/conversation/event.ts";
import { openLosses } from "../../src/conversation/loss.ts";
import { CHAT_PROTOCOLS } from "../../src/conversation/protocol-name.ts";
import { responses } from "../../src/protocols/responses/codec.ts";
import { openFrameReader } from "../../src/protocols/streams/stream-frames.ts";
import type { Translation } from "../../src/protocols/translation.ts";
import {
  chatEvents,
  chatRequests,
  chatResponses,
  frame,
  plan,
  target,
} from "../support/conversation-arbitraries.ts";
import { readRecordings } from "../support/recordings.ts";
import { openVendorSchema } from "../support/vendor-schemas.ts";

const codec = responses.translation as Translation;

describe("the vendor's schema of responses", () => {
  const schema = openVendorSchema("responses");

  it("refuses what is no response, request or event", () => {
    expect(schema.response({ object: "response" })).not.toEqual([]);
    expect(schema.request({ model: "m", input: [{ type: "function_call" }] })).not.toEqual([]);
    expect(schema.event({ type: "response.created" })).not.toEqual([]);
  });

  it.each(CHAT_PROTOCOLS)("holds of every request that came as %s", (protocol) => {
    fc.assert(
      fc.property(chatRequests(protocol, { cached: true }), (request) => {
        const encoded = codec.encodeRequest(request, target("responses", { quirks: { cacheMarks: true } }));
        if (!("value" in encoded)) throw encoded.refused;
        expect(schema.request(encoded.value.body)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it("holds of every answer and of every event of its stream", () => {
    const cases = chatResponses("messages", { state: "messages" }).chain((response) =>
      fc.tuple(fc.constant(response), chatEvents(response)),
    );
    fc.assert(
      fc.property(cases, ([response, events]) => {
        expect(schema.response(codec.encodeResponse(response, frame).body)).toEqual([]);
        expect(streamFaults(events)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it("holds of recorded requests, answers and streams, written again", () => {
    const faults: string[] = [];
    let seen = 0;
    const note = (id: string, found: readonly string[]): void => {
      faults.push(...found.map((fault) => `${id} ${fault}`));
      seen += 1;
    };
    for (const { id, protocol, request, stream, status, body } of readRecordings()) {
      if (protocol !== "responses") continue;
      if (request !== undefined && schema.request(request).length === 0) {
        const decoded = codec.decodeRequest(request);
        if ("value" in decoded) {
          const aim = target("responses", { quirks: { prefill: "continue" } });
          const encoded = codec.encodeRequest(decoded.value, aim);
          if ("value" in encoded) note(id, schema.request(encoded.value.body));
        }
      }
      if (status !== 200) continue;
      if (stream) {
        const events = eventsOf(body);
        // Items of the vendor's own tools go back as they came.
        if (!events.some(({ type }) => type === "foreign" || type === "citation"))
          note(id, streamFaults(events));
        continue;
      }
      const original = body.startsWith("{") ? JSON.parse(body) : {};
      const decoded = codec.decodeResponse(original, plan("responses"));
      if (!("response" in decoded) || schema.response({ ...original, ...LATER }).length > 0) continue;
      const echo = request === undefined ? {} : echoOf(request);
      note(id, schema.response(codec.encodeResponse(decoded.response, { ...frame, echo }).body));
    }
    expect(faults).toEqual([]);
    expect(seen).toBeGreaterThan(350);
  });

  function streamFaults(events: readonly ChatEvent[]): readonly string[] {
    const run = codec.encodeStream(frame, openLosses({}));
    return [...events.flatMap((event) => run.step(event)), ...run.end()].flatMap(({ data }) => {
      const event = JSON.parse(data);
      return event.type === "error" || event.type === "response.failed"
        ? []
        : schema.event(event).map((fault) => `${event.type} ${fault}`);
    });
  }
});

/** What the vendor has come to require since the recordings were made. */
const LATER = { usage: undefined };

function echoOf(request: object) {
  const decoded = codec.decodeRequest(request);
  return "value" in decoded ? decoded.value.echo : {};
}

function eventsOf(body: string): readonly ChatEvent[] {
  const reader = openFrameReader();
  const run = codec.decodeStream(plan("responses"));
  const frames = [...reader.write(Buffer.from(body)), ...reader.end()];
  return [...frames.flatMap((each) => run.step(each)), ...run.end()];
}
