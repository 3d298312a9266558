import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { type Notifications, openNotifications } from "./notifications.ts";

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
// Far beyond any test, so that nothing in them is owed to the beat.
const NEVER_MS = 600_000;

let test: TestDatabase;
let notifications: Notifications;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
afterEach(() => notifications.close());

const notify = (channel: string, payload: string) =>
  test.database.query("select pg_notify($1, $2)", [channel, payload]);
const cutListener = () =>
  test.database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'faregate listen' and datname = current_database()",
  );

function subscriber(channel: string) {
  const messages: string[] = [];
  return { channel, messages, onMessage: (payload: string) => void messages.push(payload), refresh: vi.fn() };
}

describe("listening", () => {
  it("delivers each message to its channel's subscribers only, until they leave", async () => {
    notifications = openNotifications(test.url, quiet, NEVER_MS);
    const [a, b, alsoA] = [subscriber("a_changed"), subscriber("b_changed"), subscriber("a_changed")];
    const leave = await notifications.listen(a);
    await Promise.all([notifications.listen(b), notifications.listen(alsoA)]);
    await notify("a_changed", "1");
    await notify("b_changed", "2");
    await vi.waitFor(
      () => expect([a.messages, b.messages, alsoA.messages]).toEqual([["1"], ["2"], ["1"]]),
      20_000,
    );
    await leave();
    await notify("a_changed", "3");
    await vi.waitFor(() => expect(alsoA.messages).toEqual(["1", "3"]), 20_000);
    expect(a.messages).toEqual(["1"]);
  });

  it("reconnects after its connection is lost, and refreshes everyone since something may be missed", async () => {
    notifications = openNotifications(test.url, quiet, NEVER_MS);
    const a = subscriber("a_changed");
    await notifications.listen(a);
    await vi.waitFor(() => expect(a.refresh).toHaveBeenCalledTimes(1), 20_000);
    await cutListener();
    await vi.waitFor(() => expect(a.refresh).toHaveBeenCalledTimes(2), { timeout: 20_000 });
    await notify("a_changed", "after");
    await vi.waitFor(() => expect(a.messages).toEqual(["after"]), 20_000);
  });

  it("refreshes on a beat even if no message ever comes and the database is away", async () => {
    notifications = openNotifications("postgresql://nobody@127.0.0.1:9/none", quiet, 20);
    const a = subscriber("a_changed");
    void notifications.listen(a);
    await vi.waitFor(() => expect(a.refresh.mock.calls.length).toBeGreaterThan(3), { timeout: 20_000 });
  });

  it("refreshes one at a time, and once more for all that came meanwhile", async () => {
    notifications = openNotifications(test.url, quiet, 10);
    let running = 0;
    let most = 0;
    let calls = 0;
    await notifications.listen({
      channel: "a_changed",
      onMessage: () => undefined,
      refresh: async () => {
        running += 1;
        calls += 1;
        most = Math.max(most, running);
        await new Promise((done) => setTimeout(done, 50));
        running -= 1;
        if (calls === 2) throw new Error("a failed refresh does not end the beat");
      },
    });
    await vi.waitFor(() => expect(calls).toBeGreaterThan(3), { timeout: 20_000 });
    expect(most).toBe(1);
  });

  it("refuses what is not a channel name", async () => {
    notifications = openNotifications(test.url, quiet, NEVER_MS);
    await expect(notifications.listen(subscriber('a"; drop table keys'))).rejects.toThrow(
      "not a channel name",
    );
  });
});
