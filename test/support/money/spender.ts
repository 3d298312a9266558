/**
 * A program for tests to kill: a gateway's billing that serves requests of one account. Reads commands on
 * standard input (`begin <id> <tokens>`, `serve <id> <tokens>`, `drain`) and says `<command> <id> done` once its promise is
 * kept; a crash point may be armed by FAREGATE_CRASH_AT.
 *
 *   node --import tsx spender.ts <database url> <data dir> <account id>
 */
import { createInterface } from "node:readline";
import type { AccountId, KeyId } from "../../../src/accounts/caller.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { armFailpoint } from "../../../src/base/failpoint.ts";
import { createTextBilling } from "../../../src/billing/text-billing.ts";
import { readConfig } from "../../../src/config.ts";
import { silentLog } from "../../../src/observe/log.ts";
import { openDatabase } from "../../../src/storage/open-database.ts";
import { completed, order, TOKEN_NANOS } from "../billing.ts";

const [url = "", dataDir = "", accountId = ""] = process.argv.slice(2);
const { crashAt } = readConfig({ FAREGATE_CRASH_AT: process.env["FAREGATE_CRASH_AT"] });
const database = await openDatabase({
  databaseUrl: url,
  dataDir,
  role: "guest",
  applicationName: "spender",
  // A machine that is busy with other tests is no silent server.
  timeoutMs: 12_000,
  log: silentLog,
});
// Adoption is a crash point too, so it is armed before.
if (crashAt) armFailpoint(crashAt.name, crashAt.pass);
const billing = await createTextBilling({ database, dataDir, clock: systemClock, log: silentLog });
const caller = {
  accountId: BigInt(accountId) as AccountId,
  accountName: "spender",
  group: "default",
  keyId: 1n as KeyId,
  keyName: "key",
  models: null,
  spendingLimit: null,
  budgets: [],
  tagKeys: [],
  rateLimits: null,
  allowedAddresses: null,
};

process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const [command, id = "", tokens = "0"] = line.split(" ");
  if (command === "drain") {
    const clean = await billing.drain();
    await database.close();
    process.stdout.write(`drain ${clean}\n`);
    process.exit(clean ? 0 : 1);
  }
  void carry(command === "serve", id, Number(tokens));
}

async function carry(settles: boolean, id: string, tokens: number): Promise<void> {
  const hold = await billing.take(order(caller, BigInt(tokens) * TOKEN_NANOS, id));
  await hold.begun;
  if (settles) await hold.settle(completed(tokens));
  process.stdout.write(`${settles ? "serve" : "begin"} ${id} done\n`);
}
