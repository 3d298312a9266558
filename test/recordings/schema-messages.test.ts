import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChatEvent } from "../../src/conversation/event.ts";
import { openLosses } from "../../src/conversation/loss.ts";
import { CHAT_PROTOCOLS } from "../../src/conversation/protocol-name.ts";
import { messages } from "../../src/protocols/messages/codec.ts";
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

const codec = messages.translation as Translation;

describe("the vendor's schema of messages", () => {
  const schema = openVendorSchema("messages");

  it.each(CHAT_PROTOCOLS)("holds of every request that came as %s", (protocol) => {
    fc.assert(
      fc.property(chatRequests(protocol, { cached: true }), (request) => {
        const encoded = codec.encodeRequest(request, target("messages"));
        if (!("value" in encoded)) throw encoded.refused;
        expect(schema.request(encoded.value.body)).toEqual([]);
      }),
    );
  });

  it("holds of every answer", () => {
    expect(schema.response({ type: "message" })).not.toEqual([]);
    fc.assert(
      fc.property(chatResponses("responses", { state: "responses" }), (response) => {
        expect(schema.response(codec.encodeResponse(response, frame).body)).toEqual([]);
      }),
    );
  });

  it("holds of every event of a stream", () => {
    const cases = chatResponses("responses", { state: "responses" }).chain((response) =>
      chatEvents(response),
    );
    fc.assert(
      fc.property(cases, (events) => {
        expect(streamFaults(events)).toEqual([]);
      }),
    );
  });

  it("holds of recorded requests of the plain API, answers and streams, written again", () => {
    const faults: string[] = [];
    const note = (id: string, found: readonly string[]): void => {
      faults.push(...found.map((fault) => `${id} ${fault}`));
    };
    for (const { id, protocol, request, stream, status, body } of readRecordings()) {
      if (protocol !== "messages") continue;
      if (request !== undefined && schema.request(request).length === 0) {
        const decoded = codec.decodeRequest(request);
        const encoded = "value" in decoded && codec.encodeRequest(decoded.value, target("messages"));
        if (!encoded || !("value" in encoded)) throw new Error(id);
        note(id, schema.request(encoded.value.body));
      }
      if (status !== 200) continue;
      if (stream) {
        const events = eventsOf(body);
        if (!events.some(({ type }) => type === "foreign")) note(id, streamFaults(events));
        continue;
      }
      const decoded = codec.decodeResponse(JSON.parse(body), plan("messages"));
      if (!("response" in decoded)) throw new Error(id);
      // The vendor's own tools' blocks come and go with dated versions that the schema does not list.
      if (decoded.response.choices[0]?.parts.some(({ kind }) => kind === "foreign")) continue;
      note(id, schema.response(codec.encodeResponse(decoded.response, frame).body));
    }
    expect(faults).toEqual([]);
  });

  function streamFaults(events: readonly ChatEvent[]): readonly string[] {
    const run = codec.encodeStream(frame, openLosses({}));
    return [...events.flatMap((event) => run.step(event)), ...run.end()].flatMap(({ data }) => {
      const event = JSON.parse(data);
      return event.type === "error" ? [] : schema.event(event);
    });
  }
});

function eventsOf(body: string): readonly ChatEvent[] {
  const reader = openFrameReader();
  const run = codec.decodeStream(plan("messages"));
  const frames = [...reader.write(Buffer.from(body)), ...reader.end()];
  return [...frames.flatMap((each) => run.step(each)), ...run.end()];
}
