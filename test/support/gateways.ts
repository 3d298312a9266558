import { rm } from "node:fs/promises";
import { type StartOptions, startGateway, type TestGateway } from "./gateway.ts";

/** For tests that start whole gateways several times: what a busy machine needs, and no promise. */
export const PATIENCE_MS = 240_000;

/** Gateways that share one database. */
export interface Gateways {
  readonly first: TestGateway;
  readonly urls: readonly string[];
  /** Those that run, in the order of their urls. */
  readonly running: readonly TestGateway[];
  /** Starts one more: on the data folder of one that has died, else on a folder of its own. */
  add(options?: StartOptions): Promise<TestGateway>;
  /** Ends all that run with SIGTERM, and gives their exit codes. */
  end(): Promise<(number | null)[]>;
  /** Ends what runs, removes the database and all data folders. */
  clean(): Promise<void>;
}

/** Starts `count` separate gateways on one database. */
export async function startGateways(count: number, options: StartOptions): Promise<Gateways> {
  const first = await startGateway(options);
  const all = [first];
  // Only the first one's end removes what they share.
  const shared =
    first.database === undefined ? {} : { database: { ...first.database, drop: async () => undefined } };
  const gateways: Gateways = {
    first,
    get urls() {
      return all.filter(runs).map(({ url }) => url);
    },
    get running() {
      return all.filter(runs);
    },
    async add(more = {}) {
      const gateway = await startGateway({ ...options, ...shared, ...more });
      all.push(gateway);
      return gateway;
    },
    end: () => Promise.all(all.filter(runs).map((gateway) => gateway.end())),
    async clean() {
      for (const gateway of all.filter(runs)) gateway.child.kill("SIGKILL");
      await Promise.all(all.map(({ ended }) => ended));
      for (const { dataDir } of all)
        if (dataDir !== first.dataDir) await rm(dataDir, { recursive: true, force: true });
      await first.clean();
    },
  };
  try {
    while (all.length < count) await gateways.add();
  } catch (error) {
    await gateways.clean();
    throw error;
  }
  return gateways;
}

function runs({ child }: TestGateway): boolean {
  return child.exitCode === null && child.signalCode === null;
}
