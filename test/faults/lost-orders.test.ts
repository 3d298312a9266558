import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { readTask, submitTask } from "../support/task-load.ts";
import { ask } from "../support/world.ts";

const BALANCE_NANOS = 1_000_000_000_000n;
const HTML = "<html>502 Bad Gateway</html>";

/** What a vendor of pictures, and one of videos, does with an order that it may or may not have taken. */
const FAULTS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "a 502 of a proxy": (response) => response.writeHead(502).end(HTML),
  "a 500 of its own": (response) =>
    response.writeHead(500).end('{"error":{"message":"database","code":500}}'),
  "a 503 of its own": (response) => response.writeHead(503).end('{"error":{"message":"busy"}}'),
  "a reset": (response) => response.destroy(),
  "a page under 200": (response) => response.writeHead(200).end(HTML),
  "events without an end under 200": (response) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).end(": hello\n\ndata: {}\n\n"),
  "an answer that breaks off": (response) => {
    response.writeHead(200, { "content-length": "1000" }).write("{");
    setTimeout(() => response.destroy(), 20);
  },
};

let server: Server;
let orders: string[] = [];
let reply: (response: ServerResponse) => void;
let gateway: TestGateway;
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on("end", () => {
      if (request.method === "POST") orders.push(request.url ?? "");
      reply(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  gateway = await startGateway({
    catalog: `version: 1
models:
  - { id: imagegen-2, family: imagegen, price: { per_image: { 1k: 0.04, 2k: 0.08, 4k: 0.16 } } }
  - { id: videob-3.0-video, family: videob, price: { per_second: { 480p: 0.05, 720p: 0.09, 1080p: 0.18 } } }
upstreams:
  - { name: painter, kind: openai, base_url: "${url}/v1", api_key: k, models: [imagegen-2] }
  - { name: painter-2, kind: openai, base_url: "${url}/v1", api_key: k2, priority: 1, models: [imagegen-2] }
  - { name: filmer, kind: apimart, base_url: "${url}", api_key: k, models: [videob-3.0-video] }
  - { name: filmer-2, kind: apimart, base_url: "${url}", api_key: k2, priority: 1, models: [videob-3.0-video] }
accounts:
  - { name: acme, balance: 1000, keys: [{ name: test, key: "${TEST_KEY}" }] }
`,
  });
});
afterAll(async () => {
  await gateway?.end();
  await gateway?.clean();
  server?.closeAllConnections();
  server?.close();
});

describe("an order whose answer is lost", () => {
  const rows = Object.keys(FAULTS).flatMap((fault) => [["image", fault] as const, ["video", fault] as const]);
  it.each(rows)("of a %s, by %s: fails at once, is refunded, and goes out once", async (medium, fault) => {
    reply = FAULTS[fault] ?? reply;
    orders = [];
    const { id = "" } = await submitTask(gateway.url, medium, "takes=0");
    const record = await readTask(gateway.url, medium, id, 60);
    expect(record).toMatchObject({
      status: medium === "image" ? "FAILED" : "FAILURE",
      fail_reason: expect.stringMatching(/^The vendor's response to the submit was lost/),
      data: medium === "image" ? [] : null,
    });
    expect(orders).toHaveLength(1);
    const { accounts } = await cleanLedger(gateway);
    expect(BigInt(accounts[0]?.balance_nanos ?? 0)).toBe(BALANCE_NANOS);
  });

  it("is counted by upstream", async () => {
    const { text } = await ask(gateway.url, "/metrics", undefined, { key: null });
    // One that fails comes after the other, so that both have some.
    for (const name of ["painter", "filmer"]) {
      const counts = text.matchAll(
        new RegExp(`tasks_fate_unknown_total\\{upstream="${name}[^"]*"\\} (\\d+)`, "g"),
      );
      const sum = [...counts].reduce((total, [, count]) => total + Number(count), 0);
      expect(sum, name).toBe(Object.keys(FAULTS).length);
    }
  });
});

describe("a picture that comes as events", () => {
  it("is the task's result", async () => {
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const event = { type: "image_generation.completed", b64_json: png };
    reply = (response) =>
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    const { id = "" } = await submitTask(gateway.url, "image", "takes=0");
    expect(await readTask(gateway.url, "image", id, 60)).toMatchObject({ status: "SUCCESS" });
    await cleanLedger(gateway);
  });
});
