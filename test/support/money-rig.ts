import { catalogFile } from "./catalog-file.ts";
import { startGateway, type TestGateway } from "./gateway.ts";
import { ODD_PRICE, postedRow, priceYaml, requestIdOf, type UsageRow } from "./money-books.ts";
import { type JournalLine, startSandbox, type TestSandbox } from "./sandbox.ts";
import { waitFor } from "./wait.ts";

/** A gateway with odd prices in front of a sandbox, and what both wrote down about each request. */
export interface MoneyRig {
  readonly url: string;
  readonly gateway: TestGateway;
  readonly sandbox: TestSandbox;
  readonly databaseUrl: string;
  /** The account of the request whose prompt carried `[[sandbox: tag=...]]`; waits until both sides have written. */
  accountOf(tag: string): Promise<Account>;
  /** The same by the id that a response told. */
  accountOfId(requestId: string | undefined): Promise<Account>;
  stop(): Promise<void>;
}

export interface Account {
  /** The upstream's record. */
  readonly line: JournalLine;
  /** The gateway's charge. */
  readonly row: UsageRow;
}

/**
 * Call in beforeAll, one rig per file; stop it in afterAll. `timeouts`: of additional models like `text`, by
 * name, each over an upstream of its own, so that no other model's responses depend on speed.
 */
export async function startMoneyRig(timeouts: Readonly<Record<string, string>> = {}): Promise<MoneyRig> {
  const sandbox = await startSandbox();
  const impatient = Object.entries(timeouts).map(([name, limits]) => ({
    name,
    url: sandbox.url,
    models: [name],
    timeouts: limits,
  }));
  const catalog = catalogFile({
    upstreams: [{ url: sandbox.url }, ...impatient],
    likeText: Object.keys(timeouts),
    price: priceYaml(ODD_PRICE),
  });
  const gateway = await startGateway({ catalog }).catch(async (error: unknown) => {
    await sandbox.stop();
    throw error;
  });
  const databaseUrl = gateway.database?.url ?? "";
  const find = (name: string, isIt: (line: JournalLine) => boolean): Promise<Account> =>
    waitFor(`the sandbox's word on ${name}`, async () => (await sandbox.journal()).find(isIt)).then(
      async (line) => ({ line, row: await postedRow(gateway, requestIdOf(line)) }),
    );
  return {
    url: gateway.url,
    gateway,
    sandbox,
    databaseUrl,
    accountOf: (tag) => find(tag, (line) => line["tag"] === tag),
    accountOfId: (id) => find(String(id), (line) => requestIdOf(line) === id),
    async stop() {
      await gateway.clean();
      await sandbox.stop();
    },
  };
}
