import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TASK_FAILPOINTS } from "../../src/base/failpoint.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { PATIENCE_MS } from "../support/gateways.ts";
import { cleanLedger } from "../support/money-books.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { taskCatalog } from "../support/task-load.ts";
import { waitFor } from "../support/wait.ts";

interface Heard {
  readonly path: string;
  readonly body: string;
  readonly signature: string;
  readonly delivery: string;
}

describe("webhooks", { timeout: PATIENCE_MS }, () => {
  let sandbox: TestSandbox;
  let database: TestDatabase;
  let receiver: Server;
  let origin: string;
  const heard: Heard[] = [];
  const gateways: TestGateway[] = [];
  beforeAll(async () => {
    sandbox = await startSandbox();
    receiver = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { "x-faregate-signature": signature, "x-faregate-delivery": delivery } = request.headers;
      heard.push({
        path: request.url ?? "",
        body: Buffer.concat(chunks).toString(),
        signature: String(signature),
        delivery: String(delivery),
      });
      response.writeHead(204).end();
    });
    receiver.listen(0, "127.0.0.1");
    await once(receiver, "listening");
    origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await sandbox.stop();
    receiver.close();
  });
  // A delivery that one test leaves due again, or a gateway that it leaves running, would be in the way of the next.
  beforeEach(async () => {
    database = await createTestDatabase();
    heard.length = 0;
  });
  afterEach(async () => {
    for (const gateway of gateways.splice(0)) await gateway.clean();
    await database.drop();
  });

  const start = async (settings: string, env: Record<string, string> = {}): Promise<TestGateway> => {
    const gateway = await startGateway({
      database: { ...database, drop: () => Promise.resolve() },
      catalog: taskCatalog({ url: sandbox.url, settings }),
      env,
    });
    gateways.push(gateway);
    return gateway;
  };
  const allowed = (): string => `egress_allow: ["127.0.0.0/8"]`;

  it("hear of a task's end in its own words, signed with the account's secret", async () => {
    const gateway = await start(allowed());
    const id = await submit(gateway.url, `${origin}/signed`);
    const told = await waitFor("the delivery", () => heard.find(({ path }) => path === "/signed"));
    const { secret } = await get(gateway.url, "/v1/webhooks/secret");
    const [, at, mac] = /^t=(\d+),v1=(\w+)$/.exec(told.signature) ?? [];
    expect(mac).toBe(createHmac("sha256", String(secret)).update(`${at}.${told.body}`).digest("hex"));
    const record = await get(gateway.url, `/v2/videos/generations/${id}`);
    expect(record["status"]).toBe("SUCCESS");
    expect(JSON.parse(told.body)).toMatchObject({ id: told.delivery, type: "task.finished", data: record });
    await isDelivered(gateway.url, id);
    expect(await log(gateway.url, id)).toMatchObject({
      task_id: id,
      attempts: [{ attempt: 1, status: 204 }],
    });
    expect(await gateway.end()).toBe(0);
  });

  it("inside the operator's network hear nothing, and the log says so without a word about that network", async () => {
    const gateway = await start("egress_allow: []");
    const id = await submit(gateway.url, `${origin}/forbidden`);
    const attempt = await waitFor(
      "an attempt",
      async () => ((await log(gateway.url, id))["attempts"] as object[])?.[0],
    );
    expect(attempt).toMatchObject({
      status: null,
      failure: expect.stringContaining("settings.egress_allow"),
    });
    expect(heard.some(({ path }) => path === "/forbidden")).toBe(false);
    expect(await gateway.end()).toBe(0);
  });

  it.each(TASK_FAILPOINTS.filter((point) => point.startsWith("task.webhook")))(
    "are told at least once, the same, by a gateway that dies at %s",
    async (point) => {
      const victim = await start(allowed(), { FAREGATE_CRASH_AT: point });
      const id = await submit(victim.url, `${origin}/${point}`);
      await victim.ended;
      // The claim of the dead one is over in a minute; this test need not wait for it.
      await database.database.execute(
        "update webhook_deliveries set due_at = now() where due_at is not null",
      );
      const next = await start(allowed());
      await isDelivered(next.url, id);
      const mine = heard.filter(({ path }) => path === `/${point}`);
      expect(mine.length).toBeGreaterThan(0);
      expect(new Set(mine.map(({ body, delivery }) => `${delivery} ${body}`)).size).toBe(1);
      await cleanLedger(next);
      expect(await next.end()).toBe(0);
    },
  );
});

async function submit(url: string, webhook: string): Promise<string> {
  const response = await fetch(`${url}/v2/videos/generations`, {
    method: "POST",
    headers: { authorization: `Bearer ${TEST_KEY}` },
    body: JSON.stringify({
      model: "videob-3.0-video",
      prompt: "A fox [[sandbox: takes=0]]",
      duration: 2,
      resolution: "480P",
      webhook_url: webhook,
    }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { id: string }).id;
}

async function get(url: string, path: string): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${TEST_KEY}` } });
  return (await response.json()) as Record<string, unknown>;
}

async function isDelivered(url: string, id: string): Promise<void> {
  await waitFor("the log", async () => typeof (await log(url, id))["delivered_at"] === "string");
}

function log(url: string, id: string): Promise<Record<string, unknown>> {
  return get(url, `/v1/webhooks/deliveries/${id}`);
}
