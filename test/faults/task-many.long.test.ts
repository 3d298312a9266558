import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { runSql } from "../support/embedded.ts";
import { seededRandom } from "../support/seed.ts";
import { kill, openCrowd, pick, startAnew, submitMany } from "../support/task-crowd.ts";
import { type AcceptedTask, allFinal, taskRows } from "../support/task-load.ts";

describe("T1: an accepted task is never lost", () => {
  it("of 1,000 whose gateway is killed right after the last was accepted", async (test) => {
    const crowd = await openCrowd(test);
    const all = await crowd.start(1);
    const accepted = await submitMany(() => all.urls[0] ?? "", 1_000, "takes=500");
    await kill(all, 0);
    await startAnew(all);
    await allFinal(crowd.databaseUrl(), 150_000);
    await crowd.expectNothingWrong(accepted);
  });

  it("over 25 kills at random moments", async (test) => {
    const crowd = await openCrowd(test);
    const random = seededRandom("FAREGATE_TASK_SEED");
    const all = await crowd.start(1);
    const accepted: AcceptedTask[] = [];
    for (let kills = 0; kills < 25; kills += 1) {
      const url = all.urls[0] ?? "";
      const submitting = submitMany(() => url, 10, "takes=800").catch(() => []);
      await sleep(random.whole(0, 2_500));
      await kill(all, 0);
      accepted.push(...(await submitting));
      await startAnew(all);
    }
    await allFinal(crowd.databaseUrl(), 150_000);
    await crowd.expectNothingWrong(accepted);
  });
});

describe("T2, T3: 1,000 tasks among three gateways", () => {
  it("end in time although gateways die, the upstream flaps and the database drops connections", async (test) => {
    const crowd = await openCrowd(test);
    const random = seededRandom("FAREGATE_TASK_SEED");
    const all = await crowd.start(3);
    await crowd.sandbox.script({
      match: { path: "/v2/videos/generations" },
      directive: "polls=503,cut,html",
    });
    const accepted = await submitMany(() => pick(all.urls, random.whole(0, 1_000)), 1_000, "takes=20000");
    for (let trouble = 0; trouble < 6; trouble += 1) {
      await sleep(4_000);
      if (trouble % 2 === 0) {
        await kill(all, random.whole(0, 2));
        await startAnew(all);
      } else {
        await runSql(
          crowd.databaseUrl(),
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
        );
      }
    }
    await allFinal(crowd.databaseUrl(), 180_000);
    await crowd.expectNothingWrong(accepted);
  });
});

describe("T5: a worker that stands still", () => {
  it("is replaced within 45 s, and changes nothing that is decided when it goes on", async (test) => {
    const crowd = await openCrowd(test);
    const all = await crowd.start(1, { deadlineMinutes: 3 });
    const [standing] = [all.first];
    // Some it is submitting, some it looks at.
    const looked = await submitMany(() => standing.url, 20, "takes=12000");
    await sleep(3_000);
    const submitting = await submitMany(() => standing.url, 10, "delay=6000 takes=1000");
    await sleep(2_000);
    standing.child.kill("SIGSTOP");
    const second = await startAnew(all);
    const stoppedAt = performance.now();
    const isOver = async (): Promise<boolean> => {
      const rows = await taskRows(crowd.databaseUrl());
      return looked.every(({ id }) => rows.some((row) => row.id === id && row.state === "SUCCESS"));
    };
    while (!(await isOver()) && performance.now() - stoppedAt < 45_000) await sleep(200);
    expect(await isOver()).toBe(true);
    await sleep(Math.max(0, 60_000 - (performance.now() - stoppedAt)));
    standing.child.kill("SIGCONT");
    await allFinal(crowd.databaseUrl(), 240_000);
    await crowd.expectNothingWrong([...looked, ...submitting], second);
  });
});
