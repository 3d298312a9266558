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

/** Ends an image of 2k with this result; `quality` is what was ordered. */
async function endImage(made: Partial<TaskResult>, quality: "high" | null = "high") {
  const alarms: { about: object; words: string }[] = [];
  const store = { finish: async () => true, order: async () => ({ medium: "image", quality }) };
  const finisher = createFinisher(
    store as unknown as TaskStore,
    async () => undefined,
    Math.random,
    undefined,
    { error: (about: object, words: string) => void alarms.push({ about, words }) },
  );
  const claim = {
    id: "task-1",
    openEnded: false,
    place: null,
    msToDeadline: 1_000,
    holdNanos: 10_000n,
    units: { images: { "2k": 1 } },
    price: { rates: { perImage: { "2k": 10_000n } }, factorPpm: 1_000_000n },
  };
  const result = { outputs: [{ url: "https://v.example/1.png" }], ...made };
  await finisher.succeed(claim as unknown as Claim, result as TaskResult);
  return alarms;
}

describe("an image that differs from its order", () => {
  const two = [{ url: "https://v.example/1.png" }, { url: "https://v.example/2.png" }];
  it.each<[Partial<TaskResult>, string]>([
    [{ picture: { size: "3840x2160" } }, "more"],
    [{ picture: { size: "1024x1024" } }, "less"],
    [{ resolution: "4k" }, "more"],
    [{ picture: { quality: "medium" } }, "less"],
    [{ outputs: two }, "more"],
    [{ outputs: two, picture: { size: "1024x1024" } }, "more"],
  ])("is the operator's to hear of: %j", async (made, than) => {
    const [alarm, ...others] = await endImage(made);
    expect(others).toEqual([]);
    expect(alarm?.about).toMatchObject({
      task: "task-1",
      alarm: true,
      ordered: { resolution: "2k", images: 1 },
    });
    expect(alarm?.words).toContain(`a vendor produced ${than} than was ordered`);
  });

  it.each<[Partial<TaskResult>, "high" | null]>([
    [{}, "high"],
    [{ picture: { size: "2048x1360", quality: "HIGH" } }, "high"],
    [{ picture: { size: "2048x2048", quality: "low" } }, null],
    [{ picture: { size: "auto", quality: "standard" } }, "high"],
    [{ resolution: "2K" }, "high"],
  ])("is none that kept to it, or of which nothing is known: %j", async (made, quality) => {
    expect(await endImage(made, quality)).toEqual([]);
  });
});
