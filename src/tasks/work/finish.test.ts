import { describe, expect, it } from "vitest";
import type { TaskResult } from "../../upstreams/task-apis/task-api.ts";
import type { Claim, TaskEnd, TaskStore } from "../store/task-store.ts";
import { createFinisher } from "./finish.ts";

/** Ends a video of 5 s at 720p, or one of at most 15 s whose length its model chooses, with this result. */
async function end(made: Partial<TaskResult>, openEnded = false) {
  const alarms: object[] = [];
  const ends: TaskEnd[] = [];
  const store = { finish: async (_: Claim, ending: TaskEnd) => void ends.push(ending) };
  const finisher = createFinisher(
    store as unknown as TaskStore,
    async () => undefined,
    Math.random,
    undefined,
    { error: (about: object) => void alarms.push(about) },
  );
  const claim = {
    id: "task-1",
    openEnded,
    place: null,
    msToDeadline: 1_000,
    holdNanos: 10_000n,
    units: { videoSeconds: { "720p": openEnded ? 15 : 5 } },
    price: { unitNanos: { videoSeconds: { "720p": 100n } }, factor: "1" },
  };
  const result = { outputs: [{ url: "https://v.example/1.mp4" }], ...made };
  await finisher.succeed(claim as unknown as Claim, result as TaskResult).catch(() => undefined);
  return alarms;
}

describe("a vendor that made more than was ordered", () => {
  it.each([
    [{ durationSeconds: 12, resolution: "720p" }, false],
    [{ durationSeconds: 5, resolution: "1080p" }, false],
    [{ durationSeconds: 12, resolution: "1080p" }, true],
  ])("is the operator's to hear of: %j", async (made, openEnded) => {
    expect(await end(made, openEnded)).toMatchObject([
      { task: "task-1", alarm: true, made: { seconds: made.durationSeconds } },
    ]);
  });

  it.each([
    [{}, false],
    [{ durationSeconds: 5.04, resolution: "720P" }, false],
    [{ durationSeconds: 4, resolution: "480p" }, false],
    [{ durationSeconds: 12, resolution: "720p" }, true],
  ])("is none that kept to the order, or does not say: %j", async (made, openEnded) => {
    expect(await end(made, openEnded)).toEqual([]);
  });
});
