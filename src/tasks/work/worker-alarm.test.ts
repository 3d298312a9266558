import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../observe/log.ts";
import type { Claim } from "../store/task-store.ts";
import type { WorkDeps } from "./work-deps.ts";
import { createWorker } from "./worker.ts";

/** A worker at a store that answers when it is told to, and for whom no timer ever ends. */
function openWorker() {
  const asked: ((claims: Claim[]) => void)[] = [];
  const worker = createWorker({
    store: {
      claim: () => new Promise<Claim[]>((resolve) => asked.push(resolve)),
      nextDueMs: (maxMs: number) => Promise.resolve(maxMs),
    },
    clock: systemClock,
    timers: { after: () => () => undefined, defer: () => undefined },
    log: silentLog,
  } as unknown as WorkDeps);
  return { worker, asked };
}

it("a worker that is stopped while it asks for work ends with the answer, not with the next interval", async () => {
  const { worker, asked } = openWorker();
  let stopped = false;
  void worker.stop(0).then(() => {
    stopped = true;
  });
  asked[0]?.([]);
  await nextTurn();
  expect(stopped).toBe(true);
});

it("a worker that is told of work while it asks for work asks once more, and then sleeps", async () => {
  const { worker, asked } = openWorker();
  worker.wake();
  asked[0]?.([]);
  await nextTurn();
  expect(asked).toHaveLength(2);
  asked[1]?.([]);
  await nextTurn();
  expect(asked).toHaveLength(2);
  worker.wake();
  await nextTurn();
  expect(asked).toHaveLength(3);
  const over = worker.stop(0);
  asked[2]?.([]);
  await over;
});
