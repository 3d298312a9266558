import { describe, expect, it } from "vitest";
import { eventsOf, frame, plan, target } from "../../../test/support/conversation-arbitraries.ts";
import { openLosses } from "../../conversation/loss.ts";
import type { ChatRequest } from "../../conversation/request.ts";
import type { ChatResponse } from "../../conversation/response.ts";
import type { JsonObject } from "../json.ts";
import { messages } from "../messages/codec.ts";
import type { Translation } from "../translation.ts";
import { responses } from "./codec.ts";

const codec = responses.translation as Translation;

describe("answers of responses", () => {
  it("end as they ended (rules 8 and 11)", () => {
    const call = { type: "function_call", call_id: "a", name: "f", arguments: '{"x' };
    const finishOf = (fields: object) => {
      const decoded = codec.decodeResponse(
        { status: "completed", output: [call], ...fields },
        plan("responses"),
      );
      return "response" in decoded ? decoded.response.choices[0]?.finish.unified : "error";
    };
    expect(finishOf({})).toBe("tool-calls");
    expect(finishOf({ output: [] })).toBe("stop");
    const cut = (reason: string) => ({ status: "incomplete", incomplete_details: { reason } });
    expect(finishOf(cut("max_output_tokens"))).toBe("length");
    expect(finishOf(cut("content_filter"))).toBe("content-filter");
    expect(finishOf({ status: "failed", error: { code: "server_error", message: "m" } })).toBe("error");
    expect(finishOf({ status: "queued" })).toBe("error");
  });

  it("tell a call that a limit cut short as incomplete, plain and streamed, and no call before it", () => {
    const call = (id: string) => ({ kind: "tool-call", id, name: "f", arguments: '{"x' }) as const;
    const cut = { unified: "length", protocol: "messages" } as const;
    for (const [parts, finish, due] of [
      [[call("a"), call("b")], cut, ["completed", "incomplete"]],
      [[call("a"), { kind: "text", text: "Hm." }], cut, ["completed", "incomplete"]],
      [[call("a")], { unified: "tool-calls", protocol: "messages" }, ["completed"]],
    ] as const) {
      const response: ChatResponse = { choices: [{ parts, finish }] };
      const plain = codec.encodeResponse(response, frame).body["output"] as readonly JsonObject[];
      expect(plain.map((item) => item["status"])).toEqual(due);
      const run = codec.encodeStream(frame, openLosses({}));
      const frames = [...eventsOf(response).flatMap((event) => run.step(event)), ...run.end()];
      const events = frames.map(({ data }) => JSON.parse(data));
      const done = events.filter(({ type }) => type === "response.output_item.done");
      expect(done.map(({ item }) => item.status)).toEqual(due);
      expect(events.at(-1).response.output).toEqual(done.map(({ item }) => item));
    }
  });

  it.each(["summary", "edited", "none"])(
    "give signed thoughts of messages back in the words that were signed, whatever the client keeps: %s",
    (kept) => {
      const origin = { protocol: "messages", upstream: "u", model: "m" } as const;
      const text = "Hm, ünsicher.\n\nBut yes.";
      const thought = { kind: "reasoning", text, opaque: { origin, value: "sig" } } as const;
      const said = { kind: "text", text: "Hello" } as const;
      const finish = { unified: "stop", protocol: "messages" } as const;
      const { body } = codec.encodeResponse({ choices: [{ parts: [thought, said], finish }] }, frame);
      const [item, ...rest] = body["output"] as { summary: unknown[] }[];
      const told = [{ type: "summary_text", text }];
      expect(item?.summary).toEqual(told);
      const summary = { summary: told, edited: [{ type: "summary_text", text: "Hm." }], none: [] }[kept];
      const input = [
        { role: "user", content: "x" },
        { ...item, summary },
        ...rest,
        { role: "user", content: "y" },
      ];
      const native = messages.translation as Translation;
      const encoded = native.encodeRequest(decode({ input }), target("messages", { origin }));
      if (!("value" in encoded)) throw encoded.refused;
      expect(encoded.value.body["messages"]).toMatchObject([
        {},
        { content: [{ type: "thinking", thinking: text, signature: "sig" }, { text: "Hello" }] },
        {},
      ]);
    },
  );

  it("give hidden thoughts of messages back as hidden", () => {
    const origin = { protocol: "messages", upstream: "u", model: "m" } as const;
    const thought = {
      kind: "reasoning",
      text: "",
      redacted: true,
      opaque: { origin, value: "sig" },
    } as const;
    const said = { kind: "text", text: "Hello" } as const;
    const finish = { unified: "stop", protocol: "messages" } as const;
    const { body } = codec.encodeResponse({ choices: [{ parts: [thought, said], finish }] }, frame);
    const input = [
      { role: "user", content: "x" },
      ...(body["output"] as object[]),
      { role: "user", content: "y" },
    ];
    const native = messages.translation as Translation;
    const encoded = native.encodeRequest(decode({ input }), target("messages", { origin }));
    if (!("value" in encoded)) throw encoded.refused;
    expect(encoded.value.body["messages"]).toMatchObject([
      {},
      { content: [{ type: "redacted_thinking", data: "sig" }, { text: "Hello" }] },
      {},
    ]);
  });
});

function decode(fields: object): ChatRequest {
  const outcome = codec.decodeRequest({ model: "m", input: "x", ...fields });
  if (!("value" in outcome)) throw outcome.refused;
  return outcome.value;
}
