import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { type Gateways, PATIENCE_MS, startGateways } from "../support/gateways.ts";
import { balanceOf, cleanLedger } from "../support/money-books.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";
import { ask, type Reply } from "../support/world.ts";

const MODEL = "videob-3.0-video";
const VIDEOS = "/v2/videos/generations";
/** Two seconds at this price. */
const PRICE_NANOS = 50_000_000n;
const BALANCE_NANOS = 100_000_000_000n;
const TASKS = 6;

const catalog = (sandboxUrl: string): string => `version: 1
groups: [{ name: default, factor: 1 }]
models: [{ id: ${MODEL}, family: videob, price: { per_second: { 480p: 0.05, 720p: 1, 1080p: 1 } } }]
upstreams: [{ name: main, kind: sandbox, base_url: "${sandboxUrl}", api_key: good-key, models: [${MODEL}] }]
accounts: [{ name: acme, group: default, balance: 100, keys: [{ name: main, key: ${TEST_KEY} }] }]
`;

/** A gateway is stopped and started while videos are made, and the work is shared out among processes. */
describe("tasks", { timeout: PATIENCE_MS }, () => {
  let sandbox: TestSandbox;
  let gateways: Gateways | undefined;
  beforeEach(async () => {
    sandbox = await startSandbox();
  });
  afterEach(async () => {
    await gateways?.clean();
    gateways = undefined;
    await sandbox.stop();
  });

  const start = async (args: readonly string[], embedded = false): Promise<TestGateway> => {
    gateways = await startGateways(1, { catalog: catalog(sandbox.url), args, embedded });
    return gateways.first;
  };
  const addTo = async (args: readonly string[], dataDir?: string): Promise<TestGateway> => {
    if (gateways === undefined) throw new Error("no gateway to add to");
    return gateways.add({ args, ...(dataDir !== undefined && { dataDir }) });
  };
  const submitAll = async (url: string, takesMs: number): Promise<string[]> => {
    const prompt = `[[sandbox: takes=${takesMs}]] a cat`;
    const body = { model: MODEL, prompt, duration: 2, resolution: "480P" };
    const replies = await Promise.all(Array.from({ length: TASKS }, () => ask(url, VIDEOS, body)));
    return replies.map(({ status, json }) => {
      expect(status).toBe(200);
      return json.id;
    });
  };
  const read = (url: string, id: string, wait = 10): Promise<Reply> =>
    ask(url, `${VIDEOS}/${id}?wait=${wait}`);
  const submitsArrived = async (): Promise<number> =>
    (await sandbox.journal()).filter(({ protocol }) => protocol === "video-submit").length;
  const expectAllMadeOnce = async (gateway: TestGateway, url: string, ids: readonly string[]) => {
    for (const id of ids)
      expect(
        await waitFor(`the end of ${id}`, async () => {
          const { status } = (await read(url, id)).json;
          return /^(SUCCESS|FAILURE)$/.test(status) && status;
        }),
      ).toBe("SUCCESS");
    expect(await submitsArrived()).toBe(ids.length);
    expect(balanceOf(await cleanLedger(gateway))).toBe(BALANCE_NANOS - BigInt(ids.length) * 2n * PRICE_NANOS);
  };

  it.each([
    { name: "one process", args: [] },
    { name: "--processes 2", args: ["--processes", "2"] },
  ])(
    "run on at the upstream while a gateway of $name is stopped, and the next start ends them",
    async ({ args }) => {
      const gateway = await start(args);
      const ids = await submitAll(gateway.url, 4_000);
      await waitFor("all submits upstream", async () => (await submitsArrived()) === TASKS);
      // Who waits for a task is answered with its state of the moment, not with a broken line.
      const waiting = read(gateway.url, ids[0] ?? "", 60);
      await waitFor("the first read", async () => (await read(gateway.url, ids[0] ?? "", 0)).status === 200);
      expect(await gateway.end()).toBe(0);
      expect((await waiting).status).toBe(200);
      const next = await addTo(args, gateway.dataDir);
      await expectAllMadeOnce(next, next.url, ids);
      expect(await next.end()).toBe(0);
    },
  );

  it("survive a kill -9 on the embedded database", async () => {
    const gateway = await start([], true);
    const ids = await submitAll(gateway.url, 3_000);
    // A submit whose response dies with the gateway is another promise's matter: it waits for its deadline.
    for (const id of ids)
      await waitFor(
        `the submit of ${id}`,
        async () => (await read(gateway.url, id, 0)).json.status !== "NOT_START",
      );
    expect(await gateway.end("SIGKILL")).toBeNull();
    const next = await addTo([], gateway.dataDir);
    await expectAllMadeOnce(next, next.url, ids);
    expect(await next.end()).toBe(0);
  });

  it("that a --role gateway accepts wait for a --role worker, which serves no callers", async () => {
    const gateway = await start(["--role", "gateway"]);
    const ids = await submitAll(gateway.url, 0);
    expect((await read(gateway.url, ids[0] ?? "", 1)).json.status).toBe("NOT_START");
    expect(await submitsArrived()).toBe(0);
    const worker = await addTo(["--role", "worker"]);
    expect(worker.url).toBe("");
    await expectAllMadeOnce(gateway, gateway.url, ids);
    expect(await worker.end()).toBe(0);
    const late = await submitAll(gateway.url, 0);
    expect((await read(gateway.url, late[0] ?? "", 1)).json.status).toBe("NOT_START");
    expect(await gateway.end()).toBe(0);
  });

  it("are made by a gateway of both roles, and a role that is none is refused with those there are", async () => {
    const gateway = await start(["--role", "gateway,worker"]);
    await expectAllMadeOnce(gateway, gateway.url, await submitAll(gateway.url, 0));
    const { code, stderr } = await gateway.run("start", "--role", "painter");
    expect([code, stderr]).toEqual([2, expect.stringContaining("--role takes all, gateway, worker")]);
  });
});
