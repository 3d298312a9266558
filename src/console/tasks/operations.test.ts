import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { storeAccount, storeTask } from "../../../test/support/stored-tasks.ts";
import { FAMILIES } from "../../families/table.ts";
import { requestOf, watchTasks } from "./operations.ts";

const PUBLIC = "https://example.com/a";
const CASES = [
  ["imagegen", "imagegen-2", { prompt: "a", size: "640x480" }],
  ["imagegen", "imagegen-2.5-flare", { prompt: "a", size: "16:9", resolution: "4K", image_urls: [PUBLIC] }],
  ["videoa", "videoa-2.5", { content: [{ type: "text", text: "a" }], duration: -1, seed: 4 }],
  [
    "videoa",
    "videoa-2.0",
    {
      content: [
        { type: "text", text: "a" },
        { type: "image_url", image_url: { url: PUBLIC }, role: "first_frame" },
      ],
      watermark: true,
      return_last_frame: true,
      tools: [{ type: "web_search" }],
    },
  ],
  ["videob", "videob-3.0-video", { prompt: "a", duration: 5, image_urls: [PUBLIC, `${PUBLIC}2`] }],
  ["videob", "videob-3.0-video", { prompt: "a", duration: 5, link_url: PUBLIC, audio_url: PUBLIC, seed: 3 }],
  ["videoc", "videoc-H3-Comfy", { prompt: "a", duration: 3, image_urls: [PUBLIC], resolution: "480p" }],
] as const;

describe("a task's request", () => {
  it.each(CASES)("of %s, sent again (%s, %j), asks for the very same", (family, id, body) => {
    const model = { id, variant: null };
    const { order } = FAMILIES[family].read(model, body);
    const { request, shortened } = requestOf(JSON.stringify(order), id);
    expect(request["model"]).toBe(id);
    expect(FAMILIES[family].read(model, request).order).toEqual(order);
    expect(shortened).toBe(0);
  });

  it("says how many of its images are too large to be shown", () => {
    const data = (letters: number) => `data:image/png;base64,${"A".repeat(letters)}`;
    const body = { prompt: "a", image_urls: [data(1_000), data(400_000), `DATA${data(400_000).slice(4)}`] };
    const { order } = FAMILIES.imagegen.read({ id: "imagegen-2", variant: null }, body);
    expect(requestOf(JSON.stringify(order), "imagegen-2")).toMatchObject({
      request: { image_urls: [data(1_000), "data:image/png;base64,...", "data:image/png;base64,..."] },
      shortened: 2,
    });
  });
});

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
});

afterAll(() => test.drop());

it("tells of what runs, of what is new and of each change, of one account only, until the reader goes", async () => {
  const { database } = test;
  const [own, other] = [await storeAccount(database, "own"), await storeAccount(database, "other")];
  const over = { state: "SUCCESS", finished_at: new Date(), charge_nanos: 1n, due_at: null };
  await storeTask(database, { id: "running", account: own });
  await storeTask(database, { id: "long-over", account: own, ...over, accepted_at: new Date("2020-01-01") });
  await storeTask(database, { id: "foreign", account: other });

  const gone = new AbortController();
  const watched = watchTasks(database, own, gone.signal);
  const next = async () => {
    const { value } = await watched.next();
    return value === undefined ? undefined : `${value.id} ${value.state} ${value.progressPercent}`;
  };
  expect(await next()).toBe("running NOT_START 0");
  await database.execute("update tasks set state = 'IN_PROGRESS', progress = 40 where id = 'running'");
  expect(await next()).toBe("running IN_PROGRESS 40");
  // Accepted and refused between two beats.
  await storeTask(database, { id: "new", account: own, ...over, state: "FAILURE", charge_nanos: 0n });
  expect(await next()).toBe("new FAILURE 0");
  await database.execute(
    "update tasks set state = 'SUCCESS', progress = 100, finished_at = now(), charge_nanos = 1, due_at = null where id = 'running'",
  );
  expect(await next()).toBe("running SUCCESS 100");
  gone.abort();
  expect(await next()).toBeUndefined();
});
