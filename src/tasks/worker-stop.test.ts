import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../observe/log.ts";
import type { Claim } from "./board.ts";
import type { WorkDeps } from "./work-deps.ts";
import { createWorker } from "./worker.ts";

it("a worker that is stopped while it asks the board ends with the answer, not with the next beat", async () => {
  let answer = (_: Claim[]): void => undefined;
  const worker = createWorker({
    board: {
      claim: () =>
        new Promise<Claim[]>((resolve) => {
          answer = resolve;
        }),
      nextDueMs: (mostMs: number) => Promise.resolve(mostMs),
    },
    clock: systemClock,
    // No beat ever comes.
    timers: { after: () => () => undefined, defer: () => undefined },
    log: silentLog,
  } as unknown as WorkDeps);
  let stopped = false;
  void worker.stop(0).then(() => {
    stopped = true;
  });
  answer([]);
  await nextTurn();
  expect(stopped).toBe(true);
});
