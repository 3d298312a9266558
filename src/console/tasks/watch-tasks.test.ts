import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { storeAccount, storeTask } from "../../../test/support/stored-tasks.ts";
import { watchTasks } from "./watch-tasks.ts";

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
