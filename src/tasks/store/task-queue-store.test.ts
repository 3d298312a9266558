import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { storeAccount, storeTask } from "../../../test/support/stored-tasks.ts";
import { countQueue, countWatchedLate, listQueue, pollNow } from "./task-queue-store.ts";

let test: TestDatabase;

const ago = (seconds: number) => new Date(Date.parse("2025-01-01T00:00:00Z") - seconds * 1000);
const PLACED = { upstream_id: 1n, upstream_name: "vendor", upstream_model: "m", credential_id: 1n };

beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  const account = await storeAccount(database, "own");
  const ahead = new Date("2099-01-01");
  const task = (id: string, given: object) => storeTask(database, { id, account, due_at: ahead, ...given });
  await task("well", { ...PLACED, intended_at: ago(0), upstream_task: "u1", accepted_at: ago(5) });
  await task("waiting", { accepted_at: ago(4) });
  await task("overdue", {
    ...PLACED,
    intended_at: ago(0),
    upstream_task: "u2",
    deadline_at: ago(0),
    accepted_at: ago(3),
  });
  await task("stuck", { due_at: ago(60), accepted_at: ago(2) });
  await task("ambiguous", { ...PLACED, intended_at: ago(0), accepted_at: ago(1) });
  const failed = { state: "FAILURE", finished_at: ago(0), charge_nanos: 0n };
  await task("late", { ...PLACED, upstream_task: "u3", ...failed });
  await task("over", { ...failed, due_at: null });
});

afterAll(() => test.drop());

it("has the tasks that are not over, oldest first, each with its trouble", async () => {
  const { tasks, next } = await listQueue(test.database, {}, { limit: 10, above: undefined });
  const seen = tasks.map((each) => [
    each.id,
    ["overdue", "stuck", "ambiguous"].filter((word) => each[word as "stuck"]).join(),
  ]);
  expect(seen).toEqual([
    ["well", ""],
    ["waiting", ""],
    ["overdue", "overdue"],
    ["stuck", "stuck"],
    ["ambiguous", "ambiguous"],
  ]);
  expect(next).toBeUndefined();
  const first = await listQueue(test.database, {}, { limit: 2, above: undefined });
  const rest = await listQueue(test.database, {}, { limit: 2, above: first.next });
  expect(rest.tasks.map(({ id }) => id)).toEqual(["overdue", "stuck"]);
});

it("finds those in one kind of trouble, and counts them", async () => {
  for (const trouble of ["overdue", "stuck", "ambiguous"] as const) {
    const { tasks } = await listQueue(test.database, { trouble }, { limit: 10, above: undefined });
    expect(tasks.map(({ id }) => id)).toEqual([trouble]);
  }
  expect(await countQueue(test.database)).toEqual([
    { model: "videoa-2.5", state: "NOT_START", open: 5n, overdue: 1n, stuck: 1n, ambiguous: 1n },
  ]);
  expect(await countWatchedLate(test.database)).toBe(1n);
});

it("lets nothing but a task that an upstream has and that is not over be looked at now", async () => {
  for (const id of ["waiting", "ambiguous", "late", "over", "none"])
    expect(await pollNow(test.database, id)).toBeUndefined();
  expect(await pollNow(test.database, "well")).toMatchObject({ dueAt: new Date("2099-01-01") });
  const { due } = await test.database.one<{ due: boolean }>(
    "select due_at <= now() as due from tasks where id = 'well'",
  );
  expect(due).toBe(true);
});
