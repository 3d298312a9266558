import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { askBySdk } from "../support/sdk-caller.ts";
import { call, type Heard, TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";
import { expectErrorForm, expectStreamErrorForm } from "../support/text-errors.ts";
import { FOREIGN_PAIRS } from "../support/translated-world.ts";
import {
  CALLERS_FAULT,
  FAULT_CASES,
  type FaultCase,
  failByModel,
  faultModel,
  VENDOR_SECRET,
} from "../support/vendor-faults.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";

const CELLS = FOREIGN_PAIRS.flatMap((pair) => FAULT_CASES.map((each) => ({ ...pair, ...each })));

/** Retries are rationed by upstream, so SDKs have upstreams of their own. */
const prefixOf = (upstream: TextProtocol, asker: "raw" | "sdk"): string => `${asker}-${upstream}-`;

describe("S5, an upstream's faults in the form of a caller of another protocol", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream(failByModel);
    const upstreams = TEXT_PROTOCOLS.flatMap((protocol) =>
      (["raw", "sdk"] as const).map((asker) => {
        const prefix = prefixOf(protocol, asker);
        return {
          name: `${prefix}faulty`,
          url: vendor.url,
          protocols: [protocol],
          models: [`${prefix}well`, ...FAULT_CASES.map((each) => faultModel(each, prefix))],
        };
      }),
    );
    gateway = await startGateway({
      catalog: modelsFile({ models: upstreams.flatMap(({ models }) => models), upstreams }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  it("a vendor without fault is answered whole, so that the faults are what the rest shows", async () => {
    for (const { client, upstream } of FOREIGN_PAIRS) {
      for (const streamed of [false, true]) {
        const model = `${prefixOf(upstream, "raw")}well`;
        const heard = await call(gateway.url, { protocol: client, streamed, model, prompt: "Hello" });
        expect(heard, `${client} to ${upstream}`).toMatchObject({ status: 200, complete: true });
      }
    }
  });

  it.concurrent.each(CELLS)(
    "an error that cannot be taken for an answer: $client to $upstream, $fault $when the first byte, streamed: $streamed",
    async ({ client, upstream, ...each }) => {
      const model = faultModel(each, prefixOf(upstream, "raw"));
      const heard = await call(gateway.url, {
        protocol: client,
        streamed: each.streamed,
        model,
        prompt: "Hello",
      });
      expect(heard.complete, heard.text).toBe(false);
      expect(heard.text).not.toContain("<html>");
      expect(heard.text).not.toContain(VENDOR_SECRET);
      if (each.streamed && each.when === "after") expectBroken(client, upstream, each, heard);
      else expectRefused(client, each, heard);
    },
  );

  it.concurrent.each(CELLS)(
    "the official SDK raises an error: $client to $upstream, $fault $when the first byte, streamed: $streamed",
    async ({ client, upstream, ...each }) => {
      const model = faultModel(each, prefixOf(upstream, "sdk"));
      const asked = askBySdk(gateway.url, { protocol: client, streamed: each.streamed, model });
      await expect(asked).rejects.toThrow();
    },
  );
});

function expectRefused(client: TextProtocol, { fault }: FaultCase, heard: Heard): void {
  if (fault === "callers-fault") {
    expect(heard.status).toBe(400);
    expect(JSON.parse(heard.text).error.message).toContain(CALLERS_FAULT?.message);
    return;
  }
  const told = toldOf(client, fault);
  expect(heard.status).toBe(told.status);
  expectErrorForm(client, heard.text, told);
}

function expectBroken(
  client: TextProtocol,
  upstream: TextProtocol,
  { fault }: FaultCase,
  heard: Heard,
): void {
  expect(heard.status).toBe(200);
  if (fault === "callers-fault") {
    expect(heard.text).toContain(CALLERS_FAULT?.message);
    return;
  }
  // An event of responses names its fault by a word alone, and this one is not a word of that vendor.
  const unnamed = upstream === "responses" && fault === "status-529";
  const told = toldOf(client, unnamed ? "status-500" : fault);
  expectStreamErrorForm(client, heard.text, { ...told, responseId: expect.stringMatching(/^resp_\w+$/) });
}

function toldOf(client: TextProtocol, fault: FaultCase["fault"]): { status: number; code: string } {
  if (fault === "rate-limit") return { status: 429, code: "upstream_rate_limited" };
  if (fault === "status-529" && client === "messages") return { status: 529, code: "upstream_overloaded" };
  return { status: 502, code: "upstream_error" };
}
