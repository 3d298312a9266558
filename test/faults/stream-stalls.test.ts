import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deafListener } from "../support/deaf-listener.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { withNoise } from "../support/noise.ts";
import { call, TEXT_PROTOCOLS } from "../support/text-caller.ts";
import { expectErrorForm, expectStreamErrorForm } from "../support/text-errors.ts";
import { type VendorCall, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";

/** Each limit has a length of its own, so that the wrong one shows. */
const LIMITS = { connect: 1_500, firstByteStream: 2_500, firstBytePlain: 3_500, idle: 2_000, total: 6_000 };
const TIMEOUTS = `{ connect_ms: ${LIMITS.connect}, first_byte_stream_ms: ${LIMITS.firstByteStream}, first_byte_plain_ms: ${LIMITS.firstBytePlain}, idle_ms: ${LIMITS.idle}, total_ms: ${LIMITS.total} }`;

/** A sweep looks at deadlines every 200 ms, by a clock as old as that. */
const EARLY_MS = 450;
const PROMISED_MS = 1_000;

const CASES = [
  { model: "connect", streamed: false, limitMs: LIMITS.connect, status: 502, code: "upstream_error" },
  { model: "connect-stream", streamed: true, limitMs: LIMITS.connect, status: 502, code: "upstream_error" },
  { model: "silent", streamed: false, limitMs: LIMITS.firstBytePlain, status: 504, code: "upstream_timeout" },
  {
    model: "silent-stream",
    streamed: true,
    limitMs: LIMITS.firstByteStream,
    status: 504,
    code: "upstream_timeout",
  },
  {
    model: "head-only",
    streamed: false,
    limitMs: LIMITS.firstBytePlain,
    status: 504,
    code: "upstream_timeout",
  },
  {
    model: "head-only-stream",
    streamed: true,
    limitMs: LIMITS.firstByteStream,
    status: 504,
    code: "upstream_timeout",
  },
  { model: "gap", streamed: false, limitMs: LIMITS.idle, status: 504, code: "upstream_timeout" },
  { model: "gap-stream", streamed: true, limitMs: LIMITS.idle, status: 200, code: "upstream_timeout" },
  { model: "endless", streamed: false, limitMs: LIMITS.total, status: 504, code: "upstream_timeout" },
  { model: "endless-stream", streamed: true, limitMs: LIMITS.total, status: 200, code: "upstream_timeout" },
] as const;

describe("S3, stall limits", () => {
  let deaf: Awaited<ReturnType<typeof deafListener>>;
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    deaf = await deafListener();
    vendor = await vendorUpstream(stall);
    const models = CASES.map(({ model }) => model);
    const unreachable = models.filter((model) => model.startsWith("connect"));
    gateway = await startGateway({
      catalog: modelsFile({
        models,
        upstreams: [
          { name: "deaf", url: `http://127.0.0.1:${deaf.port}`, models: unreachable, timeouts: TIMEOUTS },
          {
            name: "stalling",
            url: vendor.url,
            models: models.filter((model) => !unreachable.includes(model)),
            timeouts: TIMEOUTS,
          },
        ],
      }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
    await deaf?.close();
  });

  it.concurrent.each(CASES)(
    "$model is given up after its own limit, in each protocol's form",
    async (each) => {
      const { model, streamed, limitMs, status, code } = each;
      const { result, noiseMs } = await withNoise(gateway.url, () =>
        Promise.all(
          TEXT_PROTOCOLS.map(async (protocol) => {
            const sentMs = performance.now();
            const heard = await call(gateway.url, { protocol, streamed, model, prompt: "Hello" });
            return { protocol, heard, tookMs: performance.now() - sentMs };
          }),
        ),
      );
      for (const { protocol, heard, tookMs } of result) {
        expect([protocol, heard.status, heard.complete]).toEqual([protocol, status, false]);
        if (status === 200) expectStreamErrorForm(protocol, heard.text, { status: 504, code });
        else expectErrorForm(protocol, heard.text, { status, code });
        expect(tookMs, `${protocol} gave up too early`).toBeGreaterThan(limitMs - EARLY_MS);
        expect(tookMs, `${protocol} gave up too late (noise ${noiseMs} ms)`).toBeLessThan(
          limitMs + PROMISED_MS + 3 * noiseMs,
        );
      }
    },
  );
});

/** Stalls where the model's name says. */
function stall({ protocol, streamed, model, response }: VendorCall): void {
  const wire = VENDOR_WIRES[protocol];
  if (model.startsWith("silent")) return;
  response.writeHead(200, { "content-type": streamed ? "text/event-stream" : "application/json" });
  response.flushHeaders();
  if (model.startsWith("head-only")) return;
  const beginning = streamed ? wire.opening(model) + wire.delta("Hel") : wire.plain(model).slice(0, 20);
  response.write(beginning);
  if (model.startsWith("gap")) return;
  const drip = setInterval(() => response.write(streamed ? wire.delta("lo") : " "), 300);
  response.on("close", () => clearInterval(drip));
}
