import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../test/support/database.ts";
import { openSeals } from "./accounts/master-key.ts";
import { Lifecycle, type Stop } from "./base/async/lifecycle.ts";
import { composeGateway, composeWorker } from "./compose.ts";
import { readConfig } from "./config.ts";
import { silentLog } from "./observe/log.ts";
import type { Database } from "./storage/database.ts";

// Each step's failure is a start of its own, and each start a dozen statements: a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000 });

let own: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  own = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "faregate-compose-"));
});
afterAll(async () => {
  await own.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** A list whose step of this name fails: its start does not happen, its stop does and throws afterwards. */
class Failing extends Lifecycle {
  readonly started: string[] = [];
  readonly stopped: string[] = [];
  readonly drained: string[] = [];
  readonly #at: "start" | "stop" | undefined;
  readonly #name: string | undefined;

  constructor(at?: "start" | "stop", name?: string) {
    super({ error: () => undefined });
    this.#at = at;
    this.#name = name;
  }

  override start<T>(name: string, begin: () => T | Promise<T>, stop: Stop<T>): Promise<T> {
    const fails = (at: string) => at === this.#at && name === this.#name;
    return super.start(
      name,
      async () => {
        if (fails("start")) throw new Error(`no ${name}`);
        const started = await begin();
        this.started.push(name);
        return started;
      },
      async (started, graceMs) => {
        this.stopped.push(name);
        await stop(started, graceMs);
        if (fails("stop")) throw new Error(`no end of ${name}`);
      },
    );
  }

  override drain(name: string, stop: (graceMs: number) => unknown): void {
    super.drain(name, async (graceMs) => {
      await stop(graceMs);
      this.drained.push(name);
      if (this.#at === "stop" && name === this.#name) throw new Error(`no end of ${name}`);
    });
  }
}

/** Subscriptions that the database still has. */
let listening: number;
function counted(database: Database): Database {
  listening = 0;
  return {
    ...database,
    async listen(subscription) {
      const unlisten = await database.listen(subscription);
      listening += 1;
      return async () => {
        listening -= 1;
        await unlisten();
      };
    },
  };
}

async function run(role: "gateway" | "worker", lifecycle: Failing): Promise<unknown> {
  const config = readConfig({ FAREGATE_DATA_DIR: dataDir, PORT: "0", HOST: "127.0.0.1" });
  const database = counted(own.database);
  const seals = await openSeals({ dataDir, configured: undefined, database });
  const parts = { config, database, seals, log: silentLog, lifecycle };
  try {
    if (role === "worker") await composeWorker(parts);
    else await (await composeGateway({ ...parts, version: "0", works: true })).listen();
    await lifecycle.stop(1_000);
    return "stopped";
  } catch (error) {
    await lifecycle.stop(0).catch(() => undefined);
    return (error as Error).message;
  }
}

async function stepsOf(role: "gateway" | "worker"): Promise<readonly string[]> {
  const lifecycle = new Failing();
  expect(await run(role, lifecycle)).toBe("stopped");
  expect(lifecycle.stopped).toEqual(lifecycle.started.toReversed());
  return lifecycle.started;
}

const nothingLeft = async () => {
  expect(listening).toBe(0);
  expect(await readdir(join(dataDir, "journal")).catch(() => [])).toEqual([]);
};

describe.each(["gateway", "worker"] as const)("a %s", (role) => {
  it("that cannot start one of its parts stops those before it, in reverse, and says which one it was", async () => {
    for (const name of await stepsOf(role)) {
      const lifecycle = new Failing("start", name);
      expect(await run(role, lifecycle)).toBe(`no ${name}`);
      expect(lifecycle.stopped).toEqual(lifecycle.started.toReversed());
      await nothingLeft();
    }
  });

  it("that cannot stop one of its parts stops all others all the same, and says which one it was", async () => {
    const steps = await stepsOf(role);
    for (const name of [...steps, "tasks", "webhooks", ...(role === "gateway" ? ["requests"] : [])]) {
      const lifecycle = new Failing("stop", name);
      expect(await run(role, lifecycle)).toBe(`no end of ${name}`);
      expect(lifecycle.stopped).toEqual(steps.toReversed());
      await nothingLeft();
    }
  });
});

describe("a gateway's stop", () => {
  it("ends requests and tasks, posts and closes the journal, and only then what these stood on", async () => {
    const lifecycle = new Failing();
    await run("gateway", lifecycle);
    expect(lifecycle.drained.toSorted()).toEqual(["requests", "tasks", "webhooks"]);
    const at = (name: string) => lifecycle.stopped.indexOf(name);
    expect(at("journal")).toBeGreaterThan(at("mirror"));
    for (const name of ["issued ids", "transport", "authenticator", "catalog", "master key watch"])
      expect(at(name)).toBeGreaterThan(at("journal"));
  });
});
