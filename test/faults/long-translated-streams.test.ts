import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { cleanLedger, postedRow } from "../support/money-books.ts";
import { call, TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";
import { expectStreamErrorForm } from "../support/text-errors.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";
import { waitFor } from "../support/wait.ts";

/** More than any response has. */
const BLOCKS = 12_000;

/** A quarter of it is for long answers, and half of that for one account. */
const BODY_MEMORY_MB = 64;
const LETTERS = 9 * 1024 * 1024;

const FOREIGN = TEXT_PROTOCOLS.filter((protocol) => protocol !== "messages");

/** Calls that are begun and never ended. */
const MANY_CALLS = Array.from({ length: BLOCKS }, (_, at) => {
  const index = at + 1;
  const call = { type: "tool_use", id: `toolu_${index}`, name: "f", input: {} };
  const start = { type: "content_block_start", index, content_block: call };
  const piece = { type: "input_json_delta", partial_json: "{" };
  const delta = { type: "content_block_delta", index, delta: piece };
  return `data: ${JSON.stringify(start)}\n\ndata: ${JSON.stringify(delta)}\n\n`;
}).join("");

const TOLD = { code: "upstream_error", status: 502, responseId: expect.any(String) };

describe("a translated stream that has no end", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  beforeAll(async () => {
    const wire = VENDOR_WIRES.messages;
    const word = "words and more of them ".repeat(400);
    const words = wire.delta(word).repeat(Math.ceil(LETTERS / word.length));
    vendor = await vendorUpstream(({ model, response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(wire.opening(model) + wire.delta("there."));
      if (model === "calls") response.end(MANY_CALLS + wire.closing(model));
      else if (model === "short") response.end(wire.closing(model));
      else if (model === "later") response.end(words + wire.closing(model));
      else {
        response.write(words);
        void released.then(() => response.end(wire.closing(model)));
      }
    });
    gateway = await startGateway({
      catalog: modelsFile({
        models: ["calls", "short", "first", "later"],
        upstreams: [{ name: "vendor", url: vendor.url, protocols: ["messages"] }],
        settings: `{ body_memory_mb: ${BODY_MEMORY_MB} }`,
      }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  const ask = (protocol: TextProtocol, model: string) =>
    call(gateway.url, { protocol, streamed: true, model, prompt: `Tell me of ${model}.` });

  it.each(FOREIGN)(
    "of calls ends in an error of the caller's form, charged and logged: %s",
    async (protocol) => {
      const heard = await ask(protocol, "calls");
      expect(heard).toMatchObject({ status: 200, complete: false });
      expectStreamErrorForm(protocol, heard.text, TOLD);
      await expectBrokenOff(heard.requestId, /more than 10000/);
    },
  );

  it("of words keeps the memory of all within its bound: the oldest goes on, others end", async () => {
    const first = ask("responses", "first");
    const held = async (): Promise<number> => {
      const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
      return Number(/^faregate_response_memory_bytes (\d+)/m.exec(metrics)?.[1] ?? 0);
    };
    await waitFor("the first to be kept", async () => (await held()) >= LETTERS || undefined);
    for (const protocol of FOREIGN) {
      const heard = await ask(protocol, "later");
      expect(heard).toMatchObject({ status: 200, complete: false });
      expectStreamErrorForm(protocol, heard.text, { ...TOLD, code: "service_unavailable", status: 503 });
      expect(heard.text).toContain("memory for long responses is used up");
      await expectBrokenOff(heard.requestId, /memory/);
      expect(await ask(protocol, "short")).toMatchObject({ status: 200, complete: true });
    }
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain(`faregate_response_memory_refused_total{reason="account"} ${FOREIGN.length}`);
    expect(metrics).toContain('faregate_response_memory_refused_total{reason="total"} 0');
    release();
    expect(await first).toMatchObject({ status: 200, complete: true });
    expect(await held()).toBe(0);
  });

  it("leaves clean books", async () => {
    expect(await gateway.end()).toBe(0);
    await cleanLedger(gateway);
  });

  async function expectBrokenOff(requestId: string | undefined, why: RegExp): Promise<void> {
    const row = await postedRow(gateway, requestId);
    expect(row).toMatchObject({ reason: "upstream_failed_after_output" });
    expect(row.chargeNanos).toBeGreaterThan(0n);
    const line = await waitFor("the line", () =>
      gateway
        .output()
        .split("\n")
        .find((each) => each.includes(requestId ?? "-") && why.test(each)),
    );
    expect(line).toContain("mid-stream");
  }
});
