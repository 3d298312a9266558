import { createHmac } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../test/support/billing.ts";
import {
  createTaskRig,
  fakeVendor,
  type TaskRig,
  untilOver,
  videoRequest,
} from "../../test/support/tasks.ts";
import { systemClock } from "../base/clock.ts";
import { createSeals } from "../base/seal.ts";
import { silentLog } from "../observe/log.ts";
import type { Database } from "../storage/database.ts";
import { createWebhookSecrets, type WebhookSecretOf } from "./secrets.ts";
import { createWebhooks, type SendWebhook, type Webhooks } from "./webhooks.ts";
import { createDeliveryStore, findDelivery, insertDelivery } from "./webhooks-store.ts";

const URL = "https://hooks.example/done";

let rig: TaskRig;
let secretOf: WebhookSecretOf;
let running: Webhooks[];
beforeEach(async () => {
  rig = await createTaskRig([fakeVendor()]);
  secretOf = createWebhookSecrets(rig.database, createSeals("a master key of tests"));
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((each) => each.stop()));
  await rig.close();
});

describe("webhooks that look deliveries up", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("and are stopped meanwhile end with the answer, not with the next interval", async () => {
    const { webhooks, asked } = await atSlowDatabase();
    let stopped = false;
    void webhooks.stop().then(() => {
      stopped = true;
    });
    asked[0]?.([]);
    await nextTurn();
    expect(stopped).toBe(true);
  });

  it("and hear of one meanwhile claim once more, not with the next interval", async () => {
    const { webhooks, asked, tell } = await atSlowDatabase();
    tell();
    asked[0]?.([]);
    await nextTurn();
    expect(asked).toHaveLength(2);
    asked[1]?.([]);
    await nextTurn();
    expect(asked).toHaveLength(2);
    await webhooks.stop();
  });

  async function atSlowDatabase() {
    const asked: ((rows: object[]) => void)[] = [];
    let tell = (): void => undefined;
    const database = {
      query: () => new Promise<object[]>((resolve) => asked.push(resolve)),
      one: () => Promise.resolve({ dueMs: null }),
      execute: () => Promise.resolve(0),
      listen({ onMessage }: { onMessage: () => void }) {
        tell = onMessage;
        return Promise.resolve(() => Promise.resolve());
      },
    } as unknown as Database;
    const webhooks = await createWebhooks({
      database,
      clock: systemClock,
      log: silentLog,
      secretOf,
      sendMail,
      send: () => Promise.reject(new Error("nothing is sent")),
      recordOf: () => Promise.resolve(undefined),
    });
    return { webhooks, asked, tell: () => tell() };
  }
});

describe("a webhook", () => {
  it("is told of a task's end once, signed over its time and body", async () => {
    const heard: Parameters<SendWebhook>[] = [];
    const answering: SendWebhook = (...sent) => {
      heard.push(sent);
      return Promise.resolve({ status: 204 });
    };
    await Promise.all([start(answering), start(answering), start(answering)]);
    const { accountId, taskId } = await finishedTask();
    await eventually(async () => (await findDelivery(rig.database, accountId, taskId))?.deliveredAt != null);
    expect(heard).toHaveLength(1);
    const [url, headers, body] = heard[0] ?? ["", {}, ""];
    expect(url).toBe(URL);
    expect(JSON.parse(body)).toMatchObject({
      type: "task.finished",
      data: { id: taskId, account: String(accountId) },
    });
    const [, at = "", mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers["x-faregate-signature"] ?? "") ?? [];
    const secret = await secretOf(accountId);
    expect(secret).toMatch(/^whsec_\w{40}$/);
    expect(mac).toBe(createHmac("sha256", secret).update(`${at}.${body}`).digest("hex"));
    expect(headers["x-faregate-delivery"]).toBe(JSON.parse(body).id);
  });

  it("that does not answer 2xx is told again, the same, and the log says what became of each attempt", async () => {
    const responses: (number | Error)[] = [new Error("Its server refused the connection."), 500, 302, 200];
    const bodies = new Set<string>();
    await start((_url, _headers, body) => {
      bodies.add(body);
      const next = responses.shift() ?? 200;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve({ status: next });
    });
    const { accountId, taskId } = await finishedTask();
    await eventually(async () => {
      await hurry();
      return (await findDelivery(rig.database, accountId, taskId))?.deliveredAt != null;
    });
    const delivery = await findDelivery(rig.database, accountId, taskId);
    expect(delivery?.nextAt).toBeNull();
    expect(delivery?.attempts.map(({ attempt, status, failure }) => [attempt, status, failure])).toEqual([
      [1, null, "Its server refused the connection."],
      [2, 500, null],
      [3, 302, null],
      [4, 200, null],
    ]);
    expect(bodies.size).toBe(1);
  });

  it("is not kept waiting by another account's receivers that do not answer, however many", async () => {
    const heard: string[] = [];
    let speak: (response: { status: number }) => void = () => undefined;
    const silence = new Promise<{ status: number }>((resolve) => {
      speak = resolve;
    });
    const [slow, quick] = [await rig.account(0n), await rig.account(0n)];
    const deliver = ({ accountId }: typeof slow, url: string) =>
      insertDelivery(rig.database, { accountId, url, event: "balance.low", data: {} });
    for (let count = 0; count < 50; count += 1) await deliver(slow, `https://slow.example/${count}`);
    await start((url) => {
      heard.push(url);
      return url === URL ? Promise.resolve({ status: 200 }) : silence;
    });
    await eventually(() => heard.length >= 8);
    await deliver(quick, URL);
    await eventually(() => heard.includes(URL));
    speak({ status: 200 });
    await eventually(() => new Set(heard).size === 51);
  });

  it.each([
    { waits: "for its first attempt", attempts: 0, ahead: "61 s" },
    { waits: "for its second", attempts: 1, ahead: "61 s" },
    { waits: "for its last", attempts: 7, ahead: "12 h 1 s" },
  ])("is told in time though the database's clock went back while it waited $waits", async (each) => {
    const heard: string[] = [];
    const answering: SendWebhook = (url) => {
      heard.push(url);
      return Promise.resolve({ status: 200 });
    };
    const { accountId, taskId } = await finishedTask();
    await rig.database.execute(
      "update webhook_deliveries set attempts = $1, due_at = now() + $2::text::interval",
      [each.attempts, each.ahead],
    );
    await start(answering);
    await eventually(async () => (await findDelivery(rig.database, accountId, taskId))?.deliveredAt != null);
    expect(heard).toEqual([URL]);
  });

  it.each([
    { attempts: 0, ahead: "59 s" },
    { attempts: 1, ahead: "59 s" },
    { attempts: 7, ahead: "11 h 59 min" },
  ])("waits as long as is meant after $attempts attempts", async ({ attempts, ahead }) => {
    const { accountId, taskId } = await finishedTask();
    await rig.database.execute(
      "update webhook_deliveries set attempts = $1, due_at = now() + $2::text::interval",
      [attempts, ahead],
    );
    const waitsMs = [10_000, 0, 0, 0, 0, 0, 43_200_000];
    expect(await createDeliveryStore(rig.database, waitsMs, 60_000).clampDueTimes()).toBe(0);
    expect((await findDelivery(rig.database, accountId, taskId))?.nextAt).not.toBeNull();
  });

  it.each([
    ["has answered 410", 410, 1],
    ["was told eight times", 500, 8],
  ])("is told no more that %s", async (_, status, attempts) => {
    await start(() => Promise.resolve({ status }));
    const { accountId, taskId } = await finishedTask();
    await eventually(async () => {
      await hurry();
      return (await findDelivery(rig.database, accountId, taskId))?.nextAt === null;
    });
    expect((await findDelivery(rig.database, accountId, taskId))?.attempts).toHaveLength(attempts);
  });
});

const sendMail = (): Promise<never> => Promise.reject(new Error("no mail is expected"));

/** Lets the time until the next attempt pass. */
async function hurry(): Promise<void> {
  await rig.database.execute(
    `with hurried as (
       update webhook_deliveries set due_at = now() where attempts > 0 and due_at > now() + interval '1 s' returning id
     ) select pg_notify('webhooks', 'due') from hurried`,
  );
}

async function start(send: SendWebhook): Promise<void> {
  running.push(
    await createWebhooks({
      database: rig.database,
      clock: systemClock,
      log: silentLog,
      send,
      secretOf,
      sendMail,
      recordOf: (accountId, id) => Promise.resolve({ id, account: String(accountId) }),
    }),
  );
}

async function finishedTask(): Promise<{ accountId: bigint; taskId: string }> {
  const caller = await rig.account(1_000_000_000n);
  const engine = await rig.startEngine();
  const { id } = await engine.submit(videoRequest(caller, { webhookUrl: URL, violation: "nothing to make" }));
  await untilOver(engine, caller, id);
  return { accountId: caller.accountId, taskId: id };
}
