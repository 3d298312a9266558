import { expect, type TestContext } from "vitest";
import { type Gateways, startGateways } from "./gateways.ts";
import { cleanLedger } from "./money-books.ts";
import { startSandbox, type TestSandbox } from "./sandbox.ts";
import { type AcceptedTask, submitTask, taskCatalog, taskFaults, taskRows } from "./task-load.ts";

/** A sandbox, the gateways before it, and tasks by the thousand. */
export interface TaskCrowd {
  readonly sandbox: TestSandbox;
  /** Once per crowd. */
  start(count: number, options?: { deadlineMinutes?: number; balance?: number }): Promise<Gateways>;
  /** The database of the gateways that were started. */
  databaseUrl(): string;
  /** Every task of the journal and the log is one of these and ended well; the books of `asked` are clean. */
  expectNothingWrong(accepted: readonly AcceptedTask[], asked?: Gateways["first"]): Promise<void>;
}

/** Everything ends, and the database goes, with the test that opened it. */
export async function openCrowd({ onTestFinished }: Pick<TestContext, "onTestFinished">): Promise<TaskCrowd> {
  const sandbox = await startSandbox();
  let gateways: Gateways | undefined;
  onTestFinished(async () => {
    await gateways?.clean();
    await sandbox.stop();
  });
  const databaseUrl = (): string => gateways?.first.database?.url ?? "";
  return {
    sandbox,
    databaseUrl,
    async start(count, options = {}) {
      gateways = await startGateways(count, { catalog: taskCatalog({ url: sandbox.url, ...options }) });
      return gateways;
    },
    async expectNothingWrong(accepted, asked = gateways?.first) {
      expect(taskFaults(accepted, await taskRows(databaseUrl()), await sandbox.journal())).toEqual([]);
      if (asked !== undefined) await cleanLedger(asked);
    },
  };
}

/** Kills the gateway that stands at this place. */
export async function kill(all: Gateways, index: number): Promise<void> {
  const url = all.urls[index];
  const victim = all.running[index];
  if (url === undefined || victim === undefined) throw new Error("there is nobody to kill");
  victim.child.kill("SIGKILL");
  await victim.ended;
}

/**
 * Starts one more in the place of one that was killed. Where the machine is so busy that its first connections to the
 * database time out, it is started anew, as a supervisor does.
 */
export async function startAnew(all: Gateways): Promise<Gateways["first"]> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await all.add();
    } catch (error) {
      if (starts === MOST_STARTS || !TIMED_OUT.test(String(error))) throw error;
    }
  }
}

const MOST_STARTS = 5;
const TIMED_OUT = /^faregate: .*(?:connection timeout|timeout exceeded when trying to connect)/m;

/** Submits so many, a few at a time; gives those that were accepted. */
export async function submitMany(
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

export function pick(urls: readonly string[], drawn: number): string {
  return urls[drawn % urls.length] ?? "";
}
