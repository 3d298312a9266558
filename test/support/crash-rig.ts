import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { Failpoint } from "../../src/base/failpoint.ts";
import { verifyLedger } from "../../src/billing/ledger/verify.ts";
import { catalogFile } from "./catalog-file.ts";
import { createTestDatabase } from "./database.ts";
import { startGateway, type TestGateway } from "./gateway.ts";
import { cleanLedger, expectNothingOpen, ODD_PRICE, priceYaml, readUsageLog } from "./money-books.ts";
import { faultsOf, journalsLeft, type LoadOptions, startLoad, type Told } from "./money-crash.ts";
import { startSandbox } from "./sandbox.ts";
import { waitFor } from "./wait.ts";

type Modes = LoadOptions["modes"];

/** One data folder and one database, on which gateways die and are started again. */
export interface CrashRig {
  /** Starts a gateway that dies at the nth pass of a point, and loads it until it has. */
  crashAt(point: Failpoint, options: { readonly modes: Modes; readonly pass: number }): Promise<void>;
  /** Starts a gateway and kills it as soon as it has answered so many requests. */
  killAfter(responses: number, modes: Modes): Promise<void>;
  /** Starts it again, stops it in order, and gives all that is wrong with the books; [] = nothing. */
  recover(): Promise<string[]>;
  /** `faregate ledger verify`. */
  expectCleanLedger(): Promise<void>;
  stop(): Promise<void>;
}

export async function startCrashRig(): Promise<CrashRig> {
  const dataDir = await mkdtemp(join(tmpdir(), "faregate-crash-"));
  const [sandbox, database] = await Promise.all([startSandbox(), createTestDatabase()]);
  const catalog = catalogFile({ upstreams: [{ url: sandbox.url }], price: priceYaml(ODD_PRICE) });
  const told: Told[] = [];
  let loads = 0;
  let last: TestGateway | undefined;

  const start = async (env: Record<string, string> = {}): Promise<TestGateway> => {
    last = await startGateway({ dataDir, database, catalog, env });
    return last;
  };

  /** Loads a gateway until it is dead. */
  const loadToDeath = async (
    gateway: TestGateway,
    modes: Modes,
    ending?: { readonly afterResponses: number; readonly signal: NodeJS.Signals },
  ): Promise<void> => {
    loads += 1;
    const load = startLoad(() => gateway.url, { name: `load${loads}`, modes });
    if (ending !== undefined) {
      await waitFor("answers before the kill", () => load.answered() >= ending.afterResponses);
      gateway.child.kill(ending.signal);
    }
    await gateway.ended;
    const all = await load.stop();
    told.push(...all);
    expect(gateway.child.signalCode).toBe("SIGKILL");
  };

  return {
    async crashAt(point, { modes, pass }) {
      if (point === "journal.recover.before-close") {
        // Met only by the start after a death, before it listens.
        const victim = await start();
        await loadToDeath(victim, modes, { afterResponses: 10, signal: "SIGKILL" });
        const env = { FAREGATE_CRASH_AT: point };
        await expect(startGateway({ dataDir, database, catalog, env })).rejects.toThrow(
          "before it was ready",
        );
        return;
      }
      if (point === "journal.segment.before-delete") {
        // A journal this small has one segment, which is deleted at its end.
        await loadToDeath(await start({ FAREGATE_CRASH_AT: point }), modes, {
          afterResponses: 10,
          signal: "SIGTERM",
        });
        return;
      }
      const started = await start({ FAREGATE_CRASH_AT: `${point}:${pass}` }).catch((error: unknown) => {
        // The first flushes run before it listens, so it may be dead by then.
        if (!String(error).includes("before it was ready")) throw error;
      });
      if (started) await loadToDeath(started, modes);
    },
    async killAfter(responses, modes) {
      const gateway = await start();
      await loadToDeath(gateway, modes, { afterResponses: responses, signal: "SIGKILL" });
    },
    async recover() {
      const gateway = await start();
      expect(await gateway.end()).toBe(0);
      await expectNothingOpen(database.url);
      expect(journalsLeft(gateway)).toEqual([]);
      expect((await verifyLedger(database.database)).breaches).toEqual([]);
      await waitFor("the upstream to notice", async () => (await openAt(sandbox.url)) === 0);
      return faultsOf(told, await readUsageLog(database.url), await sandbox.journal(), ODD_PRICE);
    },
    async expectCleanLedger() {
      if (last !== undefined) await cleanLedger(last);
    },
    async stop() {
      if (last?.child.exitCode === null && last.child.signalCode === null) await last.end("SIGKILL");
      await database.drop();
      await sandbox.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The last point of each module, where most is done and least is known: `upstream.after-last-byte` of `upstream`. */
export function onePerModule(points: readonly Failpoint[]): readonly Failpoint[] {
  return [...new Map(points.map((point) => [point.slice(0, point.lastIndexOf(".")), point])).values()];
}

async function openAt(sandboxUrl: string): Promise<number> {
  const { open } = (await (await fetch(`${sandboxUrl}/_sandbox/status`)).json()) as { open: number };
  return open;
}
