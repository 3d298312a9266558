import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openLosses } from "../../src/conversation/loss.ts";
import { CHAT_PROTOCOLS } from "../../src/conversation/protocol-name.ts";
import { chatCompletions } from "../../src/protocols/chat-completions/codec.ts";
import type { Translation } from "../../src/protocols/translation.ts";
import {
  chatEvents,
  chatRequests,
  chatResponses,
  frame,
  target,
} from "../support/conversation-arbitraries.ts";
import { openVendorSchema } from "../support/vendor-schemas.ts";

const codec = chatCompletions.translation as Translation;

describe("the vendor's schema of chat completions", () => {
  const schema = openVendorSchema("chat-completions");

  it("refuses what is no request, answer or chunk", () => {
    expect(schema.request({ model: "m" })).not.toEqual([]);
    expect(schema.response({ object: "chat.completion" })).not.toEqual([]);
    expect(schema.event({ choices: [{ delta: {} }] })).not.toEqual([]);
  });

  it.each(CHAT_PROTOCOLS)("holds of every request that came as %s", (protocol) => {
    fc.assert(
      fc.property(chatRequests(protocol, { cached: true }), (request) => {
        const encoded = codec.encodeRequest(request, target("chat-completions"));
        if (!("value" in encoded)) throw encoded.refused;
        expect(schema.request(encoded.value.body)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it("holds of every answer and of every chunk of its stream", () => {
    const cases = chatResponses("messages", { state: "messages", choices: 2 }).chain((response) =>
      fc.tuple(fc.constant(response), chatEvents(response)),
    );
    fc.assert(
      fc.property(cases, ([response, events]) => {
        expect(schema.response(codec.encodeResponse(response, frame).body)).toEqual([]);
        const run = codec.encodeStream(frame, openLosses({}));
        const frames = [...events.flatMap((event) => run.step(event)), ...run.end()];
        expect(frames.at(-1)?.data).toBe("[DONE]");
        for (const { data } of frames.slice(0, -1)) expect(schema.event(JSON.parse(data))).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});
