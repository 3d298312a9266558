import { createGzip, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { cleanLedger, postedRow, type UsageRow } from "../support/money-books.ts";
import { call, type Heard, TEXT_PROTOCOLS, type TextProtocol, wireForm } from "../support/text-caller.ts";
import { expectErrorForm, expectStreamErrorForm } from "../support/text-errors.ts";
import { PAIRS } from "../support/translated-world.ts";
import { type VendorCall, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { VENDOR_WIRES, wholeStream } from "../support/vendor-wire.ts";

/** What a vendor's response costs: 7 tokens in at $3 a million, 3 out at $15. */
const NANOS = 7n * 3_000n + 3n * 15_000n;

/** Longer than a well-behaved stream takes to end. */
const PAUSE_MS = 1_600;

const REFUSAL = {
  status: 400,
  type: "invalid_request_error",
  code: "INVALID_ARGUMENT",
  message: "Too long.",
};

const OVERLOADED = { status: 529, type: "overloaded_error", code: "overloaded_error" };

/** A stream in two parts: up to the frame of the last finish, and what follows. */
function cutAfterFinish({ protocol, model }: VendorCall): readonly [string, string] {
  const text = wholeStream(protocol, model);
  const end = text.indexOf("\n\n", text.indexOf('"finish_reason":"stop"')) + 2;
  return [text.slice(0, end), text.slice(end)];
}

/** An event without words that states a finish, as other gateways write for each event that has none. */
const EARLY_FINISH: Readonly<Partial<Record<TextProtocol, string>>> = {
  "chat-completions":
    'data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}]}\n\n',
  "generate-content":
    'data: {"candidates":[{"content":{"role":"model","parts":[]},"finishReason":"STOP","index":0}]}\n\n',
};

/** The protocols in which a response can say that it failed, and what its caller is to read then. */
const FAILED_RESPONSES: Readonly<Partial<Record<TextProtocol, string>>> = {
  responses:
    '{"id":"resp_1","object":"response","status":"failed","output":[],"usage":null,"error":{"code":"server_error","message":"Sorry."}}',
  "generate-content":
    '{"candidates":[{"index":0,"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed call"}]}',
};

/** By the name of the model. */
const CONDUCT: Readonly<Record<string, (call: VendorCall) => void>> = {
  // Knows no streams, or no streams of this model.
  "in-one-piece": ({ protocol, model, response }) => {
    response.writeHead(200, { "content-type": "application/json" }).end(VENDOR_WIRES[protocol].plain(model));
  },
  // Streams whether it is asked to or not.
  "in-events": ({ protocol, model, response }) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(wholeStream(protocol, model));
  },
  // Ends each event with one line end, so that the standard reads all of them as one.
  "single-line-ends": ({ protocol, model, response }) => {
    const lines = wholeStream(protocol, model)
      .replaceAll("\n\n", "\n")
      .split(/(?<=\n)/);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const line of lines) response.write(line);
    response.end();
  },
  // A proxy before it compresses whatever passes.
  compressed: (call) => {
    const { protocol, model, streamed, response } = call;
    const type = streamed ? "text/event-stream" : "application/json";
    response.writeHead(200, { "content-type": type, "content-encoding": "gzip" });
    response.end(gzipSync(streamed ? wholeStream(protocol, model) : VENDOR_WIRES[protocol].plain(model)));
  },
  "compressed-endless": ({ protocol, model, response }) => {
    response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
    const gzip = createGzip();
    gzip.pipe(response);
    const text = wholeStream(protocol, model);
    gzip.write(text.slice(0, text.indexOf("there.")));
    gzip.flush();
  },
  "compressed-refusal": ({ protocol, response }) => {
    response.writeHead(400, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(gzipSync(VENDOR_WIRES[protocol].error(REFUSAL)));
  },
  marked: ({ protocol, model, response }) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`\ufeff${VENDOR_WIRES[protocol].plain(model)}`);
  },
  // Careless servers write likelihoods so.
  "no-number": ({ protocol, model, response }) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`{ "x_score": NaN, ${VENDOR_WIRES[protocol].plain(model).slice(1)}`);
  },
  untyped: ({ protocol, model, streamed, response }) => {
    response
      .writeHead(200)
      .end(streamed ? wholeStream(protocol, model) : VENDOR_WIRES[protocol].plain(model));
  },
  mistyped: ({ protocol, model, streamed, response }) => {
    response
      .writeHead(200, { "content-type": "text/plain; charset=utf-8" })
      .end(streamed ? wholeStream(protocol, model) : VENDOR_WIRES[protocol].plain(model));
  },
  "status-in-body": ({ response }) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"id":"1","choices":null,"base_resp":{"status_code":1000,"status_msg":"unknown error"}}');
  },
  "empty-object": ({ response }) => {
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  },
  // A router whose own vendor failed says so on the choice, and ends the stream as if it were whole.
  "failed-choice": ({ protocol, streamed, response }) => {
    const choice = { index: 0, finish_reason: "error", error: { code: 502, message: "disconnected" } };
    const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
    const form = (what: object) => JSON.stringify({ id: "c", choices: [{ ...choice, ...what }], usage });
    if (!streamed) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(form({ message: { role: "assistant", content: "" } }));
      return;
    }
    const { opening, delta } = VENDOR_WIRES[protocol];
    response.writeHead(200, { "content-type": "text/event-stream" });
    // Behind words that were passed on: else it is told as a plain error.
    response.write(opening("vendor-model") + delta("Hello"));
    const rest = `data: ${form({ delta: { content: "" } })}\n\ndata: [DONE]\n\n`;
    setTimeout(() => response.end(rest), PAUSE_MS);
  },
  // The model wrote a call that its vendor could not read: there the finish of a response, elsewhere a failure.
  "unreadable-call": ({ response }) => {
    const usageMetadata = { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 };
    const begun = { content: { role: "model", parts: [{ text: "Hello" }] }, index: 0 };
    const ended = { finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "Malformed call", index: 0 };
    const form = (candidate: object) =>
      `data: ${JSON.stringify({ candidates: [candidate], usageMetadata })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" }).write(form(begun));
    setTimeout(() => response.end(form(ended)), PAUSE_MS);
  },
  // A failure in the form of a response: nothing was said, nothing was counted.
  "failed-answer": ({ protocol, response }) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(FAILED_RESPONSES[protocol]);
  },
  // Taken in, announced as begun, and then there was no room for it: how most vendors fail.
  "failed-after-opening": ({ protocol, model, response }) => {
    const { opening, streamError } = VENDOR_WIRES[protocol];
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(opening(model) + streamError({ ...REFUSAL, ...OVERLOADED }));
  },
  "cut-after-opening": ({ protocol, model, response }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(VENDOR_WIRES[protocol].opening(model), () => response.destroy());
  },
  "early-finish": ({ protocol, model, response }) => {
    const { opening, delta, closing } = VENDOR_WIRES[protocol];
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(opening(model) + EARLY_FINISH[protocol]);
    setTimeout(() => response.write(delta("Hello") + EARLY_FINISH[protocol]), PAUSE_MS);
    setTimeout(() => response.end(delta(" there.") + closing(model)), 2 * PAUSE_MS);
  },
  "late-usage": (call) => {
    const [response, usage] = cutAfterFinish(call);
    call.response.writeHead(200, { "content-type": "text/event-stream" }).write(response);
    setTimeout(() => call.response.end(usage), PAUSE_MS);
  },
  "cut-in-usage": (call) => {
    const [response, usage] = cutAfterFinish(call);
    call.response
      .writeHead(200, { "content-type": "text/event-stream" })
      .write(response + usage.slice(0, 100));
    setTimeout(() => call.response.destroy(), 100);
  },
};

/** The data of each event as the standard reads it: the last must be closed by a blank line. */
function strictEvents(text: string): readonly string[] {
  expect(text).toMatch(/\n\n$/);
  const events = text
    .split("\n\n")
    .map((event) => [...event.matchAll(/^data: ?(.*)$/gm)].map(([, data]) => data));
  return events.flatMap((data) => (data.length === 0 ? [] : [data.join("\n")]));
}

const modelAt = (conduct: string, upstream: TextProtocol): string => `${conduct}-at-${upstream}`;

describe("upstreams that are odd", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream((call) => CONDUCT[call.model.replace(/-at-.*/, "")]?.(call));
    const upstreams = TEXT_PROTOCOLS.map((protocol) => ({
      name: protocol,
      url: vendor.url,
      protocols: [protocol],
      models: Object.keys(CONDUCT).map((conduct) => modelAt(conduct, protocol)),
    }));
    gateway = await startGateway({
      catalog: modelsFile({ models: upstreams.flatMap(({ models }) => models), upstreams }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  const ask = (
    conduct: string,
    { client, upstream }: { client: TextProtocol; upstream: TextProtocol },
    streamed: boolean,
  ): Promise<Heard> =>
    call(gateway.url, { protocol: client, streamed, model: modelAt(conduct, upstream), prompt: "Hello" });

  const rowOf = ({ requestId }: Pick<Heard, "requestId">): Promise<UsageRow> => postedRow(gateway, requestId);

  it.concurrent.each(PAIRS)(
    "that answer $client at $upstream in another framing than was asked for are read as what came, and charged exactly",
    async (pair) => {
      for (const conduct of ["in-one-piece", "in-events"]) {
        for (const streamed of [true, false]) {
          const heard = await ask(conduct, pair, streamed);
          expect([conduct, streamed, heard.status, heard.complete]).toEqual([conduct, streamed, 200, true]);
          expect(heard.text.replaceAll(/"[^"]*"delta"|\s/g, "")).toContain(
            streamed ? "there." : "Hellothere.",
          );
          const reason = "completed";
          expect(await rowOf(heard)).toMatchObject({ reason, estimated: false, chargeNanos: NANOS });
        }
      }
    },
  );

  it.concurrent.each(PAIRS)(
    "that end the events of $upstream with one line end are read, and $client gets events that the standard reads",
    async (pair) => {
      for (const streamed of [true, false]) {
        const heard = await ask("single-line-ends", pair, streamed);
        expect([streamed, heard.status, heard.complete]).toEqual([streamed, 200, true]);
        if (streamed)
          for (const data of strictEvents(heard.text)) expect(data).toMatch(/^(?:\{[^\n]*\}|\[DONE\])$/);
        expect(heard.text).toContain("there.");
        expect(await rowOf(heard)).toMatchObject({
          reason: "completed",
          estimated: false,
          chargeNanos: NANOS,
        });
      }
    },
  );

  it("keep the ids under which they know their answers, in whatever framing", async () => {
    for (const [conduct, streamed] of [
      ["in-one-piece", true],
      ["in-events", false],
    ] as const) {
      for (const [protocol, id] of [
        ["chat-completions", "chatcmpl-1"],
        ["responses", "resp_1"],
        ["messages", "msg_1"],
      ] as const) {
        const heard = await ask(conduct, { client: protocol, upstream: protocol }, streamed);
        expect(heard.text).toContain(`"id":"${id}"`);
      }
    }
  });

  describe("that compress although nobody asked", () => {
    it.concurrent.each(PAIRS)(
      "are read for $client at $upstream, plain and streamed, and charged exactly",
      async (pair) => {
        for (const streamed of [false, true]) {
          const heard = await ask("compressed", pair, streamed);
          expect(heard.complete).toBe(true);
          expect(await rowOf(heard)).toMatchObject({
            reason: "completed",
            estimated: false,
            chargeNanos: NANOS,
          });
        }
      },
    );

    it.concurrent.each(TEXT_PROTOCOLS)(
      "are forwarded to %s as the bytes that were compressed, and as plain",
      async (protocol) => {
        const model = modelAt("compressed", protocol);
        const { path, body } = wireForm({ protocol, model, prompt: "Hello" });
        const response = await fetch(`${gateway.url}${path}`, {
          method: "POST",
          body: JSON.stringify(body),
          headers: { "x-api-key": TEST_KEY },
        });
        expect(response.headers.get("content-encoding")).toBeNull();
        expect(await response.text()).toBe(VENDOR_WIRES[protocol].plain(model));
      },
    );

    it.concurrent.each(PAIRS)(
      "event by event are left as soon as $client leaves, and charged",
      async (pair) => {
        const model = modelAt("compressed-endless", pair.upstream);
        const { path, body } = wireForm({ protocol: pair.client, streamed: true, model, prompt: "Hello" });
        const leaving = new AbortController();
        const response = await fetch(`${gateway.url}${path}`, {
          method: "POST",
          body: JSON.stringify(body),
          headers: { "x-api-key": TEST_KEY },
          signal: leaving.signal,
        });
        expect((await response.body?.getReader().read())?.value?.length).toBeGreaterThan(0);
        leaving.abort();
        const requestId = response.headers.get("x-request-id") ?? "";
        expect(await rowOf({ requestId })).toMatchObject({ reason: "client_aborted", estimated: true });
      },
    );

    it.concurrent.each(PAIRS)("tell $client what $upstream refuses, in its words", async (pair) => {
      for (const streamed of [false, true]) {
        const heard = await ask("compressed-refusal", pair, streamed);
        expect(heard.status).toBe(400);
        expect(heard.text).toContain(REFUSAL.message);
      }
    });
  });

  it.concurrent.each(PAIRS)(
    "are read for $client where the JSON of $upstream is all but sound",
    async (pair) => {
      for (const conduct of ["marked", "no-number"]) {
        const heard = await ask(conduct, pair, false);
        expect([conduct, heard.complete]).toEqual([conduct, true]);
        expect(await rowOf(heard)).toMatchObject({ estimated: false, chargeNanos: NANOS });
      }
    },
  );

  it.concurrent.each(
    TEXT_PROTOCOLS.flatMap((protocol) => ["untyped", "mistyped"].map((conduct) => ({ protocol, conduct }))),
  )(
    "that do not say what $protocol answers are, or say it wrong, reach callers by their true type: $conduct",
    async ({ protocol, conduct }) => {
      for (const streamed of [false, true]) {
        const { path, body } = wireForm({
          protocol,
          streamed,
          model: modelAt(conduct, protocol),
          prompt: "Hello",
        });
        const response = await fetch(`${gateway.url}${path}`, {
          method: "POST",
          body: JSON.stringify(body),
          headers: { "x-api-key": TEST_KEY },
        });
        expect(response.headers.get("content-type")).toBe(
          streamed ? "text/event-stream" : "application/json",
        );
        expect(await response.text()).toContain("there.");
      }
    },
  );

  it.concurrent.each(TEXT_PROTOCOLS)(
    "that fail under status 200 in a status of their own cost %s nothing",
    async (protocol) => {
      for (const streamed of [false, true]) {
        const heard = await ask("status-in-body", { client: protocol, upstream: protocol }, streamed);
        expect(heard.status).toBe(502);
        expect(await rowOf(heard)).toMatchObject({ chargeNanos: 0n });
      }
    },
  );

  it.concurrent.each(PAIRS)(
    "that say nothing under status 200 have failed for $client at $upstream",
    async (pair) => {
      const heard = await ask("empty-object", pair, false);
      expect(heard.status).toBe(502);
      expectErrorForm(pair.client, heard.text, { status: 502, code: "upstream_error" });
      expect(await rowOf(heard)).toMatchObject({ reason: "upstream_failed", chargeNanos: 0n });
    },
  );

  const chats = PAIRS.filter(({ upstream }) => upstream === "chat-completions");

  it.concurrent.each(chats)("that fail in a choice of a chat have failed for $client", async (pair) => {
    const plain = await ask("failed-choice", pair, false);
    expect(plain.status).toBe(502);
    expect(await rowOf(plain)).toMatchObject({ reason: "upstream_failed", chargeNanos: 0n });
    const streamed = await ask("failed-choice", pair, true);
    expect(streamed.text).toContain("Hello");
    expect(streamed.text).not.toContain("disconnected");
    const told = { status: 502, code: "upstream_error", responseId: expect.stringMatching(/^resp_/) };
    expectStreamErrorForm(pair.client, streamed.text, told);
    expect(streamed.complete).toBe(false);
    expect(await rowOf(streamed)).toMatchObject({
      reason: "upstream_failed_after_output",
      estimated: false,
      chargeNanos: NANOS,
    });
  });

  it.concurrent.each(PAIRS.filter(({ upstream }) => upstream in FAILED_RESPONSES))(
    "that say in an answer of $upstream that it failed cost $client nothing",
    async (pair) => {
      const heard = await ask("failed-answer", pair, false);
      expect(heard.status).toBe(502);
      expectErrorForm(pair.client, heard.text, { status: 502, code: "upstream_error" });
      expect(await rowOf(heard)).toMatchObject({
        reason: "upstream_failed",
        estimated: false,
        chargeNanos: 0n,
      });
    },
  );

  it.concurrent.each(PAIRS)(
    "that fail before the first word of $upstream cost $client nothing",
    async (pair) => {
      for (const conduct of ["failed-after-opening", "cut-after-opening"]) {
        const heard = await ask(conduct, pair, true);
        expect(heard.complete).toBe(false);
        expect(await rowOf(heard)).toMatchObject({
          reason: "upstream_failed",
          estimated: false,
          chargeNanos: 0n,
        });
      }
    },
  );

  it.concurrent.each(PAIRS.filter(({ upstream }) => upstream in EARLY_FINISH))(
    "that state a finish before the end of $upstream are heard to the end by $client",
    async (pair) => {
      const heard = await ask("early-finish", pair, true);
      expect(heard.complete).toBe(true);
      expect(heard.text).toContain("Hello");
      expect(heard.text).toContain(" there.");
      expect(await rowOf(heard)).toMatchObject({ reason: "completed", estimated: false, chargeNanos: NANOS });
    },
  );

  describe("that have finished a chat and not told its usage yet", () => {
    it.concurrent.each(chats)("are waited for, to charge $client exactly", async (pair) => {
      const heard = await ask("late-usage", pair, true);
      expect(heard.complete).toBe(true);
      expect(await rowOf(heard)).toMatchObject({ reason: "completed", estimated: false, chargeNanos: NANOS });
    });

    it.concurrent.each(chats)(
      "and break off amid it leave $client a finished answer of whole events",
      async (pair) => {
        const heard = await ask("cut-in-usage", pair, true);
        expect(heard.complete).toBe(true);
        for (const [, data = ""] of heard.text.matchAll(/^data: (.*)$/gm)) {
          if (data !== "[DONE]") expect(() => JSON.parse(data), data).not.toThrow();
        }
        expect(await rowOf(heard)).toMatchObject({ reason: "completed_usage_missing", estimated: true });
      },
    );
  });

  it.concurrent.each(PAIRS.filter(({ upstream }) => upstream === "generate-content"))(
    "a stream of $client ends in an error where $upstream could not read its model's call",
    async (pair) => {
      const heard = await ask("unreadable-call", pair, true);
      expect(heard).toMatchObject({ status: 200, complete: false });
      expect(heard.text).toContain("Hello");
      expect(heard.text).toContain("upstream_error");
      const reason = "upstream_failed_after_output";
      expect(await rowOf(heard)).toMatchObject({ reason, chargeNanos: NANOS });
    },
  );

  it("leave clean books", async () => {
    await cleanLedger(gateway);
  });
});
