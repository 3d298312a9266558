import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { createSeals } from "../../base/seal.ts";
import type { Log } from "../../observe/log.ts";
import { createCallStates } from "./call-states.ts";

const log = { warn: () => undefined } as unknown as Log;
const seals = createSeals("a master key for tests only");
const CALL = '["c1","look",[]]';

describe("states of calls that clients do not send back", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  it("are known to every process, to their own account alone, and sealed", async () => {
    const one = createCallStates(test.database, seals, log);
    one.remember(1n, CALL, "gw1.state");
    one.remember(1n, CALL, "gw1.latest");
    expect(await one.find(1n, [CALL, "other"])).toEqual(new Map([[CALL, "gw1.latest"]]));
    await one.close();
    const other = createCallStates(test.database, seals, log);
    expect(await other.find(1n, [CALL])).toEqual(new Map([[CALL, "gw1.latest"]]));
    expect(await other.find(2n, [CALL])).toEqual(new Map());
    const rows = await test.database.query<{ sealed: string }>(
      "select sealed_state as sealed from call_states",
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.sealed).not.toContain("latest");
    await other.close();
  });

  it("are looked for once where there are none, and found when they come after all", async () => {
    const states = createCallStates(test.database, seals, log);
    expect(states.find(1n, ["none"])).toBeInstanceOf(Promise);
    await states.find(1n, ["none"]);
    expect(states.find(1n, ["none"])).toEqual(new Map());
    states.remember(1n, "none", "gw1.now");
    expect(states.find(1n, ["none"])).toEqual(new Map([["none", "gw1.now"]]));
    await states.close();
  });

  it("are not kept beyond 8 KB, nor for longer than a day", async () => {
    const states = createCallStates(test.database, seals, log);
    states.remember(1n, "large", "x".repeat(8 * 1024 + 1));
    states.remember(1n, "old", "gw1.old");
    await states.close();
    await test.database.execute("update call_states set created_at = now() - interval '25 hours'");
    const later = createCallStates(test.database, seals, log);
    expect(await later.find(1n, ["large", "old"])).toEqual(new Map());
    await later.close();
  });

  it("are done without where the database does not answer", async () => {
    const hung = { ...test.database, query: () => new Promise(() => undefined) } as typeof test.database;
    const states = createCallStates(hung, seals, log);
    states.remember(1n, "here", "gw1.here");
    expect(await states.find(1n, ["here", "there"])).toEqual(new Map([["here", "gw1.here"]]));
    const broken = {
      ...test.database,
      query: () => Promise.reject(new Error("away")),
    } as typeof test.database;
    expect(await createCallStates(broken, seals, log).find(1n, ["there"])).toEqual(new Map());
  });
});
