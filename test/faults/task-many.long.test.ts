import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runSql } from "../support/embedded.ts";
import { type Gateways, startGateways } from "../support/gateways.ts";
import { cleanLedger } from "../support/money-books.ts";
import { residentBytes } from "../support/proc.ts";
import { report } from "../support/report.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { seededRandom } from "../support/seed.ts";
import {
  type AcceptedTask,
  allFinal,
  submitTask,
  taskCatalog,
  taskFaults,
  taskRows,
} from "../support/task-load.ts";

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

describe("T1: an accepted task is never lost", () => {
  it("of 1,000 whose gateway is killed right after the last was accepted", async () => {
    const all = await start(1, {});
    const accepted = await submitMany(() => all.urls[0] ?? "", 1_000, "takes=500");
    await kill(all, 0);
    await all.add();
    await allFinal(databaseUrl(), 150_000);
    await expectNothingWrong(accepted);
  });

  it("over 25 kills at random moments", async () => {
    const random = seededRandom("FAREGATE_TASK_SEED");
    const all = await start(1, {});
    const accepted: AcceptedTask[] = [];
    for (let kills = 0; kills < 25; kills += 1) {
      const url = all.urls[0] ?? "";
      const submitting = submitMany(() => url, 10, "takes=800").catch(() => []);
      await sleep(random.whole(0, 2_500));
      await kill(all, 0);
      accepted.push(...(await submitting));
      await all.add();
    }
    await allFinal(databaseUrl(), 150_000);
    await expectNothingWrong(accepted);
  });
});

describe("T2, T3: 1,000 tasks among three gateways", () => {
  it("end in time although gateways die, the upstream flaps and the database drops connections", async () => {
    const random = seededRandom("FAREGATE_TASK_SEED");
    const all = await start(3, {});
    await sandbox.script({ match: { path: "/v2/videos/generations" }, directive: "polls=503,cut,html" });
    const accepted = await submitMany(() => pick(all.urls, random.whole(0, 1_000)), 1_000, "takes=20000");
    for (let trouble = 0; trouble < 6; trouble += 1) {
      await sleep(4_000);
      if (trouble % 2 === 0) {
        await kill(all, random.whole(0, 2));
        await all.add();
      } else {
        await runSql(
          databaseUrl(),
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
        );
      }
    }
    await allFinal(databaseUrl(), 180_000);
    await expectNothingWrong(accepted);
  });
});

describe("T5: a worker that stands still", () => {
  it("is replaced within 45 s, and changes nothing that is decided when it goes on", async () => {
    const all = await start(1, { deadlineMinutes: 3 });
    const [standing] = [all.first];
    // Some it is submitting, some it looks at.
    const looked = await submitMany(() => standing.url, 20, "takes=12000");
    await sleep(3_000);
    const submitting = await submitMany(() => standing.url, 10, "delay=6000 takes=1000");
    await sleep(2_000);
    standing.child.kill("SIGSTOP");
    const second = await all.add();
    const stoppedAt = performance.now();
    const isOver = async (): Promise<boolean> => {
      const rows = await taskRows(databaseUrl());
      return looked.every(({ id }) => rows.some((row) => row.id === id && row.state === "SUCCESS"));
    };
    while (!(await isOver()) && performance.now() - stoppedAt < 45_000) await sleep(200);
    expect(await isOver()).toBe(true);
    await sleep(Math.max(0, 60_000 - (performance.now() - stoppedAt)));
    standing.child.kill("SIGCONT");
    await allFinal(databaseUrl(), 240_000);
    await expectNothingWrong([...looked, ...submitting], second);
  });
});

describe("10,000 tasks in flight", () => {
  it("are no burden: bounded calls at the upstream, flat memory, one submit each, clean books", async () => {
    const all = await start(3, { deadlineMinutes: 15, balance: 5_000 });
    const sizes: number[] = [];
    const watching = setInterval(async () => {
      sizes.push(await residentBytes(all.first.child.pid ?? 0));
    }, 2_000);
    try {
      const accepted = await submitMany(inTurn(all), 10_000, "delay=500 takes=120000", 32);
      expect(accepted).toHaveLength(10_000);
      await allFinal(databaseUrl(), 900_000);
      await expectNothingWrong(accepted);
      const { peak } = (await (await fetch(`${sandbox.url}/_sandbox/status`)).json()) as { peak: number };
      // All tasks are in flight in both halves. Within each the collector breathes, so only their peaks compare.
      const half = Math.floor(sizes.length / 2);
      const [early, late] = [Math.max(...sizes.slice(0, half)), Math.max(...sizes.slice(half))];
      const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
      report(
        `10,000 tasks: at most ${peak} calls upstream at once; ${megabytes(early)} MB at most in the first half of the time, ${megabytes(late)} MB in the second`,
      );
      // Per process 64 submits and 16 looks, and no fewer than one process's submits or nothing was bounded here.
      expect(peak).toBeGreaterThanOrEqual(64);
      expect(peak).toBeLessThanOrEqual(3 * 80);
      expect(late).toBeLessThan(1.3 * early + 50e6);
    } finally {
      clearInterval(watching);
    }
  });
});

async function start(
  count: number,
  options: { readonly deadlineMinutes?: number; readonly balance?: number },
): Promise<Gateways> {
  gateways = await startGateways(count, { catalog: taskCatalog({ url: sandbox.url, ...options }) });
  return gateways;
}

function databaseUrl(): string {
  return gateways?.first.database?.url ?? "";
}

async function kill(all: Gateways, index: number): Promise<void> {
  const url = all.urls[index];
  const victim = all.running[index];
  if (url === undefined || victim === undefined) throw new Error("there is nobody to kill");
  victim.child.kill("SIGKILL");
  await victim.ended;
}

/** Submits so many, a few at a time; gives those that were accepted. */
async function submitMany(
  url: () => string,
  count: number,
  directive: string,
  atOnce = 8,
): Promise<AcceptedTask[]> {
  const accepted: AcceptedTask[] = [];
  let left = count;
  const run = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const medium = left % 2 === 0 ? "image" : "video";
      const told = await submitTask(url(), medium, directive).catch(() => undefined);
      if (told?.id !== undefined) accepted.push({ id: told.id, medium });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  return accepted;
}

async function expectNothingWrong(accepted: readonly AcceptedTask[], asked = gateways?.first): Promise<void> {
  expect(taskFaults(accepted, await taskRows(databaseUrl()), await sandbox.journal())).toEqual([]);
  if (asked !== undefined) await cleanLedger(asked);
}

function pick(urls: readonly string[], drawn: number): string {
  return urls[drawn % urls.length] ?? "";
}

function inTurn(all: Gateways): () => string {
  let turn = 0;
  return () => {
    turn += 1;
    return pick(all.urls, turn);
  };
}
