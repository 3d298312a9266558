import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { cleanLedger, postedRow } from "../support/money-books.ts";
import { call, TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";
import { expectErrorForm, expectStreamErrorForm } from "../support/text-errors.ts";
import { PAIRS } from "../support/translated-world.ts";
import { type VendorCall, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";
import { type WrittenResponse, writtenResponse } from "../support/written-response.ts";

/** What a healthy vendor's response costs: 7 tokens in at $3 a million, 3 out at $15. */
const NANOS = 7n * 3_000n + 3n * 15_000n;

const OVERLOADED = { status: 529, type: "overloaded_error", code: "overloaded_error", message: "Busy." };

/** What a vendor does as soon as the caller of this model has heard of its response, by the model's name. */
const onceAnnounced = new Map<string, () => void>();

const tell =
  (answer: WrittenResponse) =>
  ({ protocol, streamed, response }: VendorCall): void => {
    response.writeHead(200, { "content-type": streamed ? "text/event-stream" : "application/json" });
    response.end(writtenResponse(protocol, answer)[streamed ? "events" : "plain"]);
  };

/** By the beginning of the model's name; each has nothing to tell, plain and streamed. */
const CONDUCT: Readonly<Record<string, (call: VendorCall) => void>> = {
  wordless: tell({ text: "", end: "stop", output: undefined }),
  failed: tell({ text: "", end: "failed", output: undefined }),
  "failed-and-counted": tell({ text: "", end: "failed", output: 3 }),
  "nothing-chosen": ({ response }) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"choices":[],"output":[],"content":[],"candidates":[]}');
  },
  "announced-overloaded": ({ protocol, model, response }) => {
    const { opening, streamError } = VENDOR_WIRES[protocol];
    response.writeHead(200, { "content-type": "text/event-stream" }).write(opening(model));
    setTimeout(() => response.end(streamError(OVERLOADED)), 100);
  },
  // Words that were not passed on yet hinder nobody.
  "announced-told-overloaded": ({ protocol, model, response }) => {
    const { opening, delta, streamError } = VENDOR_WIRES[protocol];
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(opening(model) + delta("Hello") + streamError(OVERLOADED));
  },
  "announced-cut": ({ protocol, model, response }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(VENDOR_WIRES[protocol].opening(model));
    response.socket?.destroySoon();
  },
};

/** Fail only behind an announcement that was passed on, as its time was up. */
const LATE: Readonly<Record<string, (call: VendorCall) => void>> = {
  "announced-overloaded-late": ({ protocol, model, response }) => {
    const { opening, streamError } = VENDOR_WIRES[protocol];
    response.writeHead(200, { "content-type": "text/event-stream" }).write(opening(model));
    onceAnnounced.set(model, () => response.end(streamError(OVERLOADED)));
  },
  "wordless-late": ({ protocol, model, response }) => {
    const { events } = writtenResponse(protocol, { text: "", end: "stop", output: undefined });
    const first = events.indexOf("\n\n") + 2;
    response.writeHead(200, { "content-type": "text/event-stream" }).write(events.slice(0, first));
    onceAnnounced.set(model, () => response.end(events.slice(first)));
  },
};

const ALL = { ...CONDUCT, ...LATE };
const CASES = PAIRS.flatMap((pair) => Object.keys(CONDUCT).map((conduct) => ({ ...pair, conduct })));
const LATE_CASES = PAIRS.flatMap((pair) => Object.keys(LATE).map((conduct) => ({ ...pair, conduct })));

describe("H10, an answer that is none", () => {
  let vendor: VendorUpstream;
  let healthy: VendorUpstream;
  let gateway: TestGateway;
  const modelAt = (conduct: string, { client, upstream }: { client: string; upstream: string }): string =>
    `${conduct}-for-${client}-at-${upstream}`;
  beforeAll(async () => {
    vendor = await vendorUpstream((heard) => ALL[heard.model.replace(/^alone-|-for-.*/g, "")]?.(heard));
    healthy = await vendorUpstream();
    const modelsOf = (upstream: TextProtocol, conduct: string): string[] =>
      TEXT_PROTOCOLS.map((client) => modelAt(conduct, { client, upstream }));
    const upstreams = TEXT_PROTOCOLS.flatMap((upstream) => [
      // Retries are rationed by upstream.
      ...Object.keys(ALL).flatMap((conduct) =>
        modelsOf(upstream, conduct).map((model) => ({
          name: model,
          url: vendor.url,
          protocols: [upstream],
          models: [model, `alone-${model}`],
        })),
      ),
      {
        name: `healthy-${upstream}`,
        url: healthy.url,
        protocols: [upstream],
        models: Object.keys(ALL).flatMap((conduct) => modelsOf(upstream, conduct)),
        priority: 1,
      },
    ]);
    const models = [...new Set(upstreams.flatMap((each) => each.models))];
    gateway = await startGateway({ catalog: modelsFile({ models, upstreams }) });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
    await healthy?.close();
  });

  const rowOf = (requestId: string | undefined) => postedRow(gateway, requestId);

  it.concurrent.each(CASES)(
    "gives way to another upstream's: $conduct, $client at $upstream",
    async ({ conduct, ...pair }) => {
      const model = modelAt(conduct, pair);
      const heard = await call(gateway.url, {
        protocol: pair.client,
        streamed: true,
        model,
        prompt: "Hello",
      });
      expect(heard).toMatchObject({ status: 200, complete: true });
      expect(healthy.calls.filter((each) => each.model === model)).toHaveLength(1);
      expect(await rowOf(heard.requestId)).toMatchObject({ reason: "completed", chargeNanos: NANOS });
      if (conduct.startsWith("announced")) return;
      const plain = await call(gateway.url, { protocol: pair.client, model, prompt: "Hello" });
      expect(plain).toMatchObject({ status: 200, complete: true });
      expect(plain.text).toContain("Hello there.");
      expect(await rowOf(plain.requestId)).toMatchObject({ reason: "completed", chargeNanos: NANOS });
    },
  );

  it.concurrent.each(LATE_CASES)(
    "is told as an error of the stream once that has begun, and is free: $conduct, $client at $upstream",
    async ({ conduct, ...pair }) => {
      const model = `alone-${modelAt(conduct, pair)}`;
      const wish = { protocol: pair.client, streamed: true, model, prompt: "Hello" };
      const heard = await call(gateway.url, wish, {
        resetWhen() {
          onceAnnounced.get(model)?.();
          onceAnnounced.delete(model);
          return false;
        },
      });
      expect(heard).toMatchObject({ status: 200, complete: false });
      expect(await rowOf(heard.requestId)).toMatchObject({ reason: "upstream_failed", chargeNanos: 0n });
      if (conduct !== "wordless-late") return;
      const told = { status: 502, code: "upstream_error", responseId: expect.stringMatching(/^resp_/) };
      expectStreamErrorForm(pair.client, heard.text, told);
    },
  );

  it("is told by its status where nobody else can answer, and is free", async () => {
    for (const protocol of TEXT_PROTOCOLS) {
      for (const streamed of [false, true]) {
        const model = `alone-${modelAt("wordless", { client: protocol, upstream: protocol })}`;
        const heard = await call(gateway.url, { protocol, streamed, model, prompt: "Hello" });
        expect(heard.status).toBe(502);
        expectErrorForm(protocol, heard.text, { status: 502, code: "upstream_error" });
        expect(await rowOf(heard.requestId)).toMatchObject({ reason: "upstream_failed", chargeNanos: 0n });
      }
    }
  });

  it("leaves clean books", async () => {
    await cleanLedger(gateway);
  });
});
