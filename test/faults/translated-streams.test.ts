import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { cleanLedger, nanosOf } from "../support/money-books.ts";
import { report } from "../support/report.ts";
import type { JournalLine } from "../support/sandbox.ts";
import { deafCaller, Flood, settled } from "../support/slow-readers.ts";
import { call, contentChunks, TEXT_PROTOCOLS } from "../support/text-caller.ts";
import {
  FOREIGN_PAIRS,
  MODEL_OF,
  startTranslatedWorld,
  type TranslatedWorld,
} from "../support/translated-world.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";
import { PRICE } from "../support/world.ts";

/** Enough words that one token is far below the 5% that an estimate may be off. */
const PROMPT =
  "You write the notices of a small museum by the sea. Describe the old lighthouse, the keeper's garden and " +
  "the wreck that lies behind the second sandbank, for visitors who have an hour and two tired children. ";

const ABORTS = FOREIGN_PAIRS.flatMap((pair) =>
  [3, 20].flatMap((chunks) =>
    (["reported", "omitted"] as const).map((usage) => ({ ...pair, chunks, usage })),
  ),
);

describe("M6 and S2, a caller leaves amid a translated stream", () => {
  let world: TranslatedWorld;
  beforeAll(async () => {
    world = await startTranslatedWorld();
  });
  afterAll(() => world.stop());

  it.each(ABORTS)(
    "is charged what was produced, and the upstream sees it leave: $client to $upstream, $chunks chunks, usage $usage",
    async ({ client, upstream, chunks, usage }) => {
      const tag = `${client}-${chunks}-${usage}`;
      // The stream stands still after so many chunks, so that both sides saw the same ones.
      const directive = `tag=${tag} tokens=400 chunks=40 stall=${chunks}${usage === "omitted" ? " usage=omit" : ""}`;
      const heard = await call(
        world.url,
        {
          protocol: client,
          streamed: true,
          model: MODEL_OF[upstream],
          prompt: `${PROMPT}[[sandbox: ${directive}]]`,
        },
        { resetWhen: (text) => contentChunks(client, text) >= chunks },
      );
      expect(heard).toMatchObject({ status: 200, complete: false });
      const line = await waitFor("the upstream to see it leave", async () =>
        (await world.upstreams[upstream].journal()).find((each) => each["tag"] === tag),
      );
      // A stall is what the sandbox calls it, however the silence ends.
      expect(line.outcome).toMatch(/aborted-by-client|stall/);
      const receipt = await receiptOf(heard.requestId);
      expect(receipt).toMatchObject({ reason: "client_aborted", status: 200 });
      const charge = BigInt(receipt.charge_nanos);
      if (upstream === "generate-content" && usage === "reported") {
        // This vendor tells the usage so far with every chunk.
        expect(receipt.estimated).toBe(false);
        expect(charge).toBe(nanosOf(line.usage, PRICE));
      } else {
        expect(receipt.estimated).toBe(true);
        expectWithin5Percent(charge, line);
      }
    },
  );

  it.each(FOREIGN_PAIRS)(
    "is charged nothing who leaves before it began: $client to $upstream",
    async ({ client, upstream }) => {
      const tag = `${client}-early`;
      const leaving = new AbortController();
      const seen = (await world.upstreams[upstream].journal()).length;
      const running = call(
        world.url,
        {
          protocol: client,
          streamed: true,
          model: MODEL_OF[upstream],
          prompt: `${PROMPT}[[sandbox: tag=${tag} stall=0]]`,
        },
        { signal: leaving.signal },
      );
      await waitFor("the upstream to have it", async () => {
        const status = await (await fetch(`${world.upstreams[upstream].url}/_sandbox/status`)).json();
        return (status as { open: number }).open > 0;
      });
      leaving.abort();
      await running;
      const journal = await waitFor("the upstream to see it leave", async () => {
        const lines = await world.upstreams[upstream].journal();
        return lines.length > seen ? lines : undefined;
      });
      const headers = journal.at(-1)?.["headers"] as Record<string, string>;
      expect(await receiptOf(headers["x-request-id"])).toMatchObject({
        reason: "client_aborted_before_output",
        charge_nanos: "0",
      });
    },
  );

  it("leaves clean books", async () => {
    expect(await world.gateway.end()).toBe(0);
    await cleanLedger(world.gateway);
  });

  // biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
  const receiptOf = (requestId: string | undefined): Promise<any> =>
    waitFor("the receipt", async () => {
      const { json } = await world.ask(`/v1/receipts/${requestId}`);
      return json.state === "pending" || json.state === "posted" ? json : undefined;
    });
});

/** Two kernels' buffers on either side of the gateway come to about 8 MB; ours is to be 1 MB at most. */
const MAX_EACH_BYTES = 16 * 1024 * 1024;

describe("S1, callers of translated streams that never read", () => {
  const flood = new Flood();
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream((each) => flood.pour(each));
    gateway = await startGateway({
      catalog: modelsFile({
        models: TEXT_PROTOCOLS.map((protocol) => MODEL_OF[protocol]),
        upstreams: TEXT_PROTOCOLS.map((protocol) => ({
          name: protocol,
          url: vendor.url,
          protocols: [protocol],
          models: [MODEL_OF[protocol]],
        })),
      }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  it("stop the flood at its source, over all pairs", async () => {
    const sockets = [];
    for (const { client, upstream } of FOREIGN_PAIRS) {
      const wish = { protocol: client, model: MODEL_OF[upstream], prompt: "Hello" };
      sockets.push(await deafCaller(gateway.url, wish));
    }
    await waitFor("all floods", () => vendor.calls.length === FOREIGN_PAIRS.length);
    const sent = await settled(() => flood.sent, 2_000);
    const each = sent / FOREIGN_PAIRS.length;
    report(`S1 translated: callers that never read let the upstream send ${(each / 1e6).toFixed(1)} MB each`);
    expect(each).toBeLessThan(MAX_EACH_BYTES);
    for (const socket of sockets) socket.destroy();
    await waitFor("the upstream's connections to close", () => vendor.sockets.size === 0);
  });
});

function expectWithin5Percent(charge: bigint, line: JournalLine): void {
  const exact = Number(nanosOf(line.usage, PRICE));
  expect(Math.abs(Number(charge) - exact) / exact).toBeLessThan(0.05);
}
