import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { storeAccount, storeTask } from "../../../test/support/stored-tasks.ts";
import { listTasks, readTaskRecord, type StoredTaskPlace, type TaskFilter } from "./task-records-store.ts";

let test: TestDatabase;
let own: bigint;
let other: bigint;

beforeAll(async () => {
  test = await createTestDatabase();
  own = await storeAccount(test.database, "own");
  other = await storeAccount(test.database, "other");
});

afterAll(() => test.drop());

it("lists an account's tasks page by page, each once, newest first, and nobody else's", async () => {
  const at = new Date("2027-01-01T00:00:00Z");
  // Three at the very same moment: the id decides, and no page may lose or repeat one.
  for (const id of ["a1", "a2", "a3"]) await storeTask(test.database, { id, account: own, accepted_at: at });
  await storeTask(test.database, { id: "a4", account: own, accepted_at: new Date(at.getTime() + 1) });
  await storeTask(test.database, { id: "b1", account: other, accepted_at: at });
  expect(await ids(own, {}, 2)).toEqual([
    ["a4", "a3"],
    ["a2", "a1"],
  ]);
  expect(await ids(other, {}, 2)).toEqual([["b1"]]);
  expect(await readTaskRecord(test.database, other, "a1")).toBeUndefined();
});

it("keeps to the filter", async () => {
  const account = await storeAccount(test.database, "filters");
  const ended = { state: "FAILURE", finished_at: new Date(), charge_nanos: 0n, due_at: null };
  await storeTask(test.database, { id: "f1", account, medium: "image", model: "imagegen-2", key_id: 7n });
  await storeTask(test.database, { id: "f2", account, ...ended });
  await storeTask(test.database, { id: "f3", account, accepted_at: new Date("2027-02-01T00:00:00Z") });
  const found = async (filter: TaskFilter) => (await ids(account, filter, 10)).flat().sort();
  expect(await found({ medium: "image" })).toEqual(["f1"]);
  expect(await found({ model: "imagegen-2" })).toEqual(["f1"]);
  expect(await found({ keyId: 7n })).toEqual(["f1"]);
  expect(await found({ state: "open" })).toEqual(["f1", "f3"]);
  expect(await found({ state: "FAILURE" })).toEqual(["f2"]);
  expect(await found({ from: new Date("2027-01-31T00:00:00Z") })).toEqual(["f3"]);
  expect(await found({ to: new Date("2027-01-31T00:00:00Z") })).toEqual(["f1", "f2"]);
});

it("reads no more than so many tasks for a page, and goes on from there to those that pass", async () => {
  const account = await storeAccount(test.database, "many");
  await storeTask(test.database, {
    id: "rare",
    account,
    medium: "image",
    accepted_at: new Date("2020-01-01"),
  });
  await test.database.execute(
    `insert into tasks (id, request_id, account_id, key_id, group_name, medium, family, model, action, order_json, units,
                        open_ended, price_id, rates, factor_ppm, hold_nanos, ledgers, deadline_at, accepted_at)
     select 'many-' || n, 'r', $1, 1, 'default', 'video', 'videoa', 'v', 'generate', '{}', '{}',
            false, 1, '{}', 1, 0, '{}', now(), '2021-01-01'::timestamptz + n * interval '1 us'
       from generate_series(1, 10050) as n`,
    [account],
  );
  expect(await ids(account, { medium: "image" }, 5)).toEqual([[], ["rare"]]);
});

/** The ids of each page to the end of the list. */
async function ids(account: bigint, filter: TaskFilter, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  let below: StoredTaskPlace | undefined;
  do {
    const { tasks, next } = await listTasks(test.database, account, filter, { limit, below });
    pages.push(tasks.map(({ id }) => id));
    below = next;
  } while (below !== undefined);
  return pages;
}
