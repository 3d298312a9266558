import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { PATIENCE_MS } from "../support/gateways.ts";
import { modelsFile } from "../support/models-file.ts";
import { balanceOf, cleanLedger, postedRow } from "../support/money-books.ts";
import { readTask, submitTask } from "../support/task-load.ts";
import { call, type Heard } from "../support/text-caller.ts";
import {
  serveWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";

const HTML = Buffer.from("<html><script>alert(1)</script></html>").toString("base64");
const SVG = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>").toString("base64");
const PNG = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1").toString("base64");
/** Of a picture by the file below, and of a text answer of 7 tokens in and 3 out. */
const NANOS = { image: 40_000_003n, text: 7n * 3_000n + 3n * 15_000n };
const STARTED = 1_000n * 1_000_000_000n;

/** Responses with what it calls a picture and then ends; the model's name says with which bytes. */
function draw({ model, streamed, response }: VendorCall): void {
  const data = model.endsWith("png") ? PNG : model.endsWith("svg") ? SVG : HTML;
  const parts = [{ text: "Here: " }, { inlineData: { mimeType: "image/jpeg", data } }];
  const answer = {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
  };
  response.writeHead(200, { "content-type": streamed ? "text/event-stream" : "application/json" });
  response.end(streamed ? `data: ${JSON.stringify(answer)}\n\n` : JSON.stringify(answer));
}

describe("bytes that are no picture, where a vendor says that they are one", { timeout: PATIENCE_MS }, () => {
  let painter: Server;
  let bytes: () => string;
  let orders = 0;
  let drawing: VendorUpstream;
  let healthy: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    painter = createServer((request, response) => {
      request.resume();
      orders += 1;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ created: 1, data: [{ b64_json: bytes() }], output_format: "png" }));
    });
    await new Promise<void>((resolve) => painter.listen(0, "127.0.0.1", resolve));
    const { port } = painter.address() as AddressInfo;
    drawing = await vendorUpstream(draw);
    healthy = await vendorUpstream(serveWell);
    const native = ["generate-content"];
    const models = ["rescued-html", "alone-html", "alone-svg", "alone-png"];
    const upstreams = [
      { name: "drawing", url: drawing.url, protocols: native },
      { name: "healthy", url: healthy.url, protocols: native, priority: 1, models: ["rescued-html"] },
    ];
    const catalog = modelsFile({ models, upstreams })
      .replace(
        "models:\n",
        "models:\n  - { id: imagegen-2, family: imagegen, price: { per_image: { 1k: 0.040000003, 2k: 0.08, 4k: 0.16 } } }\n",
      )
      .replace(
        "upstreams:\n",
        `upstreams:\n  - { name: painter, kind: openai, base_url: "http://127.0.0.1:${port}/v1", api_key: k, models: [imagegen-2] }\n`,
      );
    gateway = await startGateway({ catalog });
  }, PATIENCE_MS);
  afterAll(async () => {
    await gateway.end();
    await gateway.clean();
    painter.closeAllConnections();
    painter.close();
    await drawing.close();
    await healthy.close();
  });

  const charged = async ({ requestId }: Heard): Promise<bigint> =>
    (await postedRow(gateway, String(requestId))).chargeNanos;
  const finished = async (id: string): Promise<Record<string, unknown>> => {
    for (;;) {
      const record = await readTask(gateway.url, "image", id, 20);
      if (/^(SUCCESS|FAILED)$/.test(String(record["status"]))) return record;
    }
  };

  it("end their order at no charge, which is not sent again, as its vendor may bill it", async () => {
    bytes = () => SVG;
    const { id = "" } = await submitTask(gateway.url, "image", "");
    expect(await finished(id)).toMatchObject({ status: "FAILED" });
    expect(orders).toBe(1);
    bytes = () => PNG;
    const next = await submitTask(gateway.url, "image", "");
    const record = await finished(next.id ?? "");
    expect(record).toMatchObject({ status: "SUCCESS" });
    expect(JSON.stringify(record)).toMatch(/\/media\/[^"]+\.png"/);
    expect(STARTED - balanceOf(await cleanLedger(gateway))).toBe(NANOS.image);
  });

  for (const streamed of [false, true]) {
    const wish = { protocol: "chat-completions", streamed, prompt: `Draw, ${streamed}` } as const;
    const told = streamed ? "a streamed answer" : "a plain answer";

    it(`are another upstream's to make good in ${told}`, async () => {
      const heard = await call(gateway.url, { ...wish, model: "rescued-html" });
      expect(heard).toMatchObject({ status: 200, complete: true });
      expect(heard.text).not.toContain(HTML);
      expect(await charged(heard)).toBe(NANOS.text);
    });

    it.each(["alone-html", "alone-svg"])(`of %s fail ${told} and cost nothing`, async (model) => {
      const heard = await call(gateway.url, { ...wish, model });
      expect(heard.complete).toBe(false);
      expect(heard.text).toContain("contains an invalid image");
      if (!streamed) expect(heard.status).toBe(502);
      expect(await charged(heard)).toBe(0n);
    });

    it(`do not hinder those that are: ${told} has a picture of its true type`, async () => {
      const heard = await call(gateway.url, { ...wish, model: "alone-png" });
      expect(heard).toMatchObject({ status: 200, complete: true });
      expect(heard.text).toContain(`data:image/png;base64,${PNG}`);
    });
  }
});
