import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { cleanLedger, readUsageLog, type UsageRow } from "../support/money-books.ts";
import { call, type Heard, TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";
import { expectErrorForm } from "../support/text-errors.ts";
import { PAIRS } from "../support/translated-world.ts";
import { type VendorCall, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";
import { waitFor } from "../support/wait.ts";

/** By the name of the model. */
const CONDUCT: Readonly<Record<string, (call: VendorCall) => void>> = {
  // Knows no streams, or no streams of this model.
  "in-one-piece": ({ protocol, model, response }) => {
    response.writeHead(200, { "content-type": "application/json" }).end(VENDOR_WIRES[protocol].plain(model));
  },
};

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

  const rowOf = ({ requestId }: Heard): Promise<UsageRow> =>
    waitFor(`the usage log to hold ${requestId}`, async () =>
      (await readUsageLog(gateway.database?.url ?? "")).find((row) => row.requestId === requestId),
    );

  it.each(PAIRS)(
    "a stream of $client that $upstream answers in one piece is refused as that, and the upstream stays in service",
    async (pair) => {
      // More often than a breaker bears failures.
      for (let round = 0; round < 6; round += 1) {
        const heard = await ask("in-one-piece", pair, true);
        expect(heard.status).toBe(502);
        const { error } = expectErrorForm(pair.client, heard.text, { status: 502, code: "upstream_error" });
        expect(error.message).toContain("in one piece although a stream was asked for");
        expect(await rowOf(heard)).toMatchObject({ chargeNanos: 0n });
      }
      expect(await ask("in-one-piece", pair, false)).toMatchObject({ status: 200, complete: true });
    },
  );

  it("leave clean books", async () => {
    await cleanLedger(gateway);
  });
});
