import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deafListener } from "../support/deaf-listener.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { call, TEXT_PROTOCOLS } from "../support/text-caller.ts";
import { expectErrorForm, expectStreamErrorForm } from "../support/text-errors.ts";
import { type VendorCall, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";

/** Short for the limit of the case and, for all others, longer than the test may take: the wrong one shows. */
const LIMIT_MS = 1_500;
const NEVER_MS = 600_000;
const LIMITS = ["connect_ms", "first_byte_stream_ms", "first_byte_plain_ms", "idle_ms", "total_ms"] as const;
const timeouts = (limit: (typeof LIMITS)[number]): string =>
  `{ ${LIMITS.map((each) => `${each}: ${each === limit ? LIMIT_MS : NEVER_MS}`).join(", ")} }`;

/** A sweep looks at deadlines every 200 ms, by a clock as old as that. */
const EARLY_MS = 450;

const CASES = [
  { model: "connect", streamed: false, limit: "connect_ms", status: 502, code: "upstream_error" },
  { model: "connect-stream", streamed: true, limit: "connect_ms", status: 502, code: "upstream_error" },
  { model: "silent", streamed: false, limit: "first_byte_plain_ms", status: 504, code: "upstream_timeout" },
  {
    model: "silent-stream",
    streamed: true,
    limit: "first_byte_stream_ms",
    status: 504,
    code: "upstream_timeout",
  },
  {
    model: "head-only",
    streamed: false,
    limit: "first_byte_plain_ms",
    status: 504,
    code: "upstream_timeout",
  },
  {
    model: "head-only-stream",
    streamed: true,
    limit: "first_byte_stream_ms",
    status: 504,
    code: "upstream_timeout",
  },
  { model: "gap", streamed: false, limit: "idle_ms", status: 504, code: "upstream_timeout" },
  { model: "gap-stream", streamed: true, limit: "idle_ms", status: 200, code: "upstream_timeout" },
  { model: "endless", streamed: false, limit: "total_ms", status: 504, code: "upstream_timeout" },
  { model: "endless-stream", streamed: true, limit: "total_ms", status: 200, code: "upstream_timeout" },
] as const;

describe("S3, stall limits", () => {
  let deaf: Awaited<ReturnType<typeof deafListener>>;
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    deaf = await deafListener();
    vendor = await vendorUpstream(stall);
    gateway = await startGateway({
      catalog: modelsFile({
        models: CASES.map(({ model }) => model),
        upstreams: CASES.map(({ model, limit }) => ({
          name: model,
          url: limit === "connect_ms" ? `http://127.0.0.1:${deaf.port}` : vendor.url,
          models: [model],
          timeouts: timeouts(limit),
        })),
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
      const { model, streamed, status, code } = each;
      const heard = await Promise.all(
        TEXT_PROTOCOLS.map(async (protocol) => {
          const sentMs = performance.now();
          const answer = await call(gateway.url, { protocol, streamed, model, prompt: "Hello" });
          return { protocol, answer, tookMs: performance.now() - sentMs };
        }),
      );
      for (const { protocol, answer, tookMs } of heard) {
        expect([protocol, answer.status, answer.complete]).toEqual([protocol, status, false]);
        if (status === 200) expectStreamErrorForm(protocol, answer.text, { status: 504, code });
        else expectErrorForm(protocol, answer.text, { status, code });
        expect(tookMs, `${protocol} gave up too early`).toBeGreaterThan(LIMIT_MS - EARLY_MS);
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
