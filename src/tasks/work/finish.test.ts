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
    price: { priceId: 1n, rates: { perSecond: { "720p": 100n } }, factorPpm: 1_000_000n },
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
    [{ imageTerms: { size: "3840x2160" } }, "more"],
    [{ imageTerms: { size: "1024x1024" } }, "less"],
    [{ resolution: "4k" }, "more"],
    [{ imageTerms: { quality: "medium" } }, "less"],
    [{ outputs: two }, "more"],
    [{ outputs: two, imageTerms: { size: "1024x1024" } }, "more"],
  ])("is the operator's to hear of: %j", async (made, than) => {
    const [alarm, ...others] = await endImage(made);
    expect(others).toEqual([]);
    expect(alarm?.about).toMatchObject({
      task: "task-1",
      alarm: true,
      ordered: { resolution: "2k", images: 1 },
    });
    expect(alarm?.words).toMatch(than === "more" ? /larger than ordered/ : /smaller than ordered/);
  });

  it.each<[Partial<TaskResult>, "high" | null]>([
    [{}, "high"],
    [{ imageTerms: { size: "2048x1360", quality: "HIGH" } }, "high"],
    [{ imageTerms: { size: "2048x2048", quality: "low" } }, null],
    [{ imageTerms: { size: "auto", quality: "standard" } }, "high"],
    [{ resolution: "2K" }, "high"],
  ])("is none that kept to it, or of which nothing is known: %j", async (made, quality) => {
    expect(await endImage(made, quality)).toEqual([]);
  });
});

describe("a success of which something can't be read or recorded", () => {
  const HOLD = 1_000n;
  const bomb = (): never => {
    throw new Error("a bug of ours");
  };
  const cases: Record<string, { made?: object; price?: object | undefined; store?: object }> = {
    "its tokens": {
      made: { tokens: Object.defineProperty({}, "imageOutput", { get: bomb, enumerable: true }) },
    },
    "its resolution": { made: { resolution: { toLowerCase: bomb } } },
    "its image's terms": { made: { imageTerms: Object.defineProperty({}, "size", { get: bomb }) } },
    "its price": { price: undefined },
    "the order": { made: { lastFrameUrl: "https://v.example/last.png" }, store: { order: bomb } },
    "its result, for the database": { made: { usage: { odd: true } } },
    "any result, for the database": { made: { usage: { odd: true } }, store: { refusesAll: true } },
  };

  it.each(Object.entries(cases))(
    "ends the task once: %s",
    async (_, { made = {}, store: odd = {}, ...other }) => {
      const ends: TaskEnd[] = [];
      const logged: object[] = [];
      const store = {
        order: async () => ({ medium: "image", quality: null }),
        async finish(_: Claim, ending: TaskEnd) {
          const refuses = "refusesAll" in odd ? ending.result !== null : ending.result?.usage !== undefined;
          if (refuses) bomb();
          ends.push(ending);
          return true;
        },
        ...odd,
      };
      const finisher = createFinisher(
        store as unknown as TaskStore,
        async () => undefined,
        Math.random,
        undefined,
        {
          error: (about: object) => void logged.push(about),
        },
      );
      const claim = {
        id: "task-1",
        requestId: "req-1",
        openEnded: false,
        place: null,
        msToDeadline: 1_000,
        holdNanos: HOLD,
        units: { images: { "2k": 1 } },
        price: {
          priceId: 1n,
          factorPpm: 1_000_000n,
          rates: { perImage: { "2k": 100n }, tokens: { imageOutput: 1n } },
        },
        ...other,
      };
      const result = { outputs: [{ url: "https://v.example/1.png" }], ...made };
      await finisher.succeed(claim as unknown as Claim, result as TaskResult);
      expect(ends).toHaveLength(1);
      const [end] = ends;
      expect(end?.chargeNanos).toBeLessThanOrEqual(HOLD);
      if (end?.state === "FAILURE") expect(end.chargeNanos).toBe(0n);
      expect(logged).toContainEqual(expect.objectContaining({ task: "task-1", requestId: "req-1" }));
    },
  );

  it("waits for a database that is away", async () => {
    const away = Object.assign(new Error("away"), { code: "ECONNREFUSED" });
    const store = { finish: () => Promise.reject(away) };
    const finisher = createFinisher(store as unknown as TaskStore, async () => undefined, Math.random);
    const claim = {
      id: "task-1",
      place: null,
      msToDeadline: 1_000,
      holdNanos: HOLD,
      units: { images: { "2k": 1 } },
      price: { priceId: 1n, factorPpm: 1_000_000n, rates: { perImage: { "2k": 100n } } },
    };
    const result = { outputs: [{ url: "https://v.example/1.png" }] };
    await expect(finisher.succeed(claim as unknown as Claim, result as TaskResult)).rejects.toBe(away);
  });
});
