import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, renameSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BillingRig, createBillingRig, TOKEN_NANOS } from "../../../test/support/billing.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { Failpoint } from "../../base/failpoint.ts";
import { openJournalDisk } from "./journal-disk.ts";
import { createJournalStore } from "./journal-store.ts";
import { recoverJournal } from "./recovery.ts";

let rig: BillingRig;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  rig = await createBillingRig();
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await rig.close();
});

const BALANCE = 10_000n * TOKEN_NANOS;

describe("a process killed with kill -9", () => {
  it("loses no settled request, and what it only began is recorded as interrupted, at no charge", async () => {
    const caller = await rig.account(BALANCE);
    const spender = await startSpender("killed", caller);
    for (let count = 0; count < 20; count += 1) await spender.say(`serve killed-${count} 10`);
    await spender.say("begin killed-open 10");
    await spender.kill();
    const heir = await rig.start("killed");
    expect(await heir.drain()).toBe(true);
    expect(await recorded(caller)).toEqual({ completed: 20n, interrupted: 1n });
    expect((await rig.balance(caller)).availableNanos).toBe(BALANCE - 200n * TOKEN_NANOS);
    expect((await rig.verify()).breaches).toEqual([]);
    expect(readdirSync(`${rig.dataDir("killed")}/journal`)).toEqual([]);
  });

  it("is finished where it was left under the folder's old name", async () => {
    const caller = await rig.account(BALANCE);
    const spender = await startSpender("renamed", caller);
    for (let count = 0; count < 5; count += 1) await spender.say(`serve renamed-${count} 10`);
    await spender.say("begin renamed-open 10");
    await spender.kill();
    renameSync(`${rig.dataDir("renamed")}/journal`, `${rig.dataDir("renamed")}/spool`);
    const heir = await rig.start("renamed");
    expect(await heir.drain()).toBe(true);
    expect(await recorded(caller)).toEqual({ completed: 5n, interrupted: 1n });
    expect((await rig.balance(caller)).availableNanos).toBe(BALANCE - 50n * TOKEN_NANOS);
    expect(readdirSync(rig.dataDir("renamed"))).not.toContain("spool");
  });

  it("is finished once by two that recover it at the same time", async () => {
    const caller = await rig.account(BALANCE);
    const spender = await startSpender("raced", caller);
    for (let count = 0; count < 5; count += 1) await spender.say(`serve raced-${count} 10`);
    await spender.say("begin raced-open 10");
    await spender.kill();
    const disk = openJournalDisk(rig.dataDir("raced"));
    const [journal = ""] = disk.abandoned(new Set());
    const store = createJournalStore(rig.database);
    const contents = disk.read(journal);
    const recovered = await Promise.all(
      Array.from({ length: 4 }, () => recoverJournal(store, journal, contents)),
    );
    expect(recovered).toEqual([true, true, true, true]);
    expect(await recorded(caller)).toEqual({ completed: 5n, interrupted: 1n });
    expect((await rig.balance(caller)).availableNanos).toBe(BALANCE - 50n * TOKEN_NANOS);
  });

  it("is left alone while it lives, also by a process that shares its data dir", async () => {
    const caller = await rig.account(BALANCE);
    const spender = await startSpender("shared", caller);
    await spender.say("begin shared-open 10");
    const sibling = await rig.start("shared");
    expect(await recorded(caller)).toEqual({});
    expect(await sibling.drain()).toBe(true);
    await spender.kill();
  });

  const ownPoints: Failpoint[] = [
    "hold.taken",
    "journal.begin.before-write",
    "journal.begin.after-write",
    "journal.end.before-write",
    "journal.end.after-write",
    "flush.before-statement",
    "flush.after-statement",
  ];
  it.each(ownPoints)("at %s keeps every promise it made", async (point) => {
    const caller = await rig.account(BALANCE);
    const spender = await startSpender(point, caller, `${point}:3`);
    for (let count = 0; count < 5; count += 1) await spender.say(`serve ${point}-${count} 10`);
    await spender.died;
    const promised = spender.heard.filter((record) => record.endsWith(" done")).length;
    const heir = await rig.start(point);
    expect(await heir.drain()).toBe(true);
    const { completed = 0n } = await recorded(caller);
    // Its last record may have been written and not been promised any more.
    expect(Number(completed) - promised).toBeOneOf([0, 1]);
    expect((await rig.balance(caller)).availableNanos).toBe(BALANCE - completed * 10n * TOKEN_NANOS);
    expect((await rig.verify()).breaches).toEqual([]);
  });

  it.each<Failpoint>(["journal.recover.before-close", "journal.segment.before-delete"])(
    "while it adopts or deletes, at %s, is finished by the next",
    async (point) => {
      const caller = await rig.account(BALANCE);
      const first = await startSpender(point, caller);
      await first.say(`serve ${point}-1 10`);
      await first.say(`begin ${point}-2 10`);
      await first.kill();
      const second = await startSpender(point, caller, point);
      void second.say("drain");
      await second.died;
      const heir = await rig.start(point);
      expect(await heir.drain()).toBe(true);
      expect(await recorded(caller)).toEqual({ completed: 1n, interrupted: 1n });
      expect((await rig.balance(caller)).availableNanos).toBe(BALANCE - 10n * TOKEN_NANOS);
      expect((await rig.verify()).breaches).toEqual([]);
    },
  );
});

interface Spender {
  /** Sends a command and waits for its promise, or for the death. */
  say(command: string): Promise<void>;
  kill(): Promise<void>;
  readonly died: Promise<void>;
  readonly heard: string[];
}

async function startSpender(name: string, caller: Caller, crashAt = ""): Promise<Spender> {
  const program = fileURLToPath(new URL("../../../test/support/money/spender.ts", import.meta.url));
  const child = spawn(
    process.execPath,
    ["--import", "tsx", program, rig.url, rig.dataDir(name), String(caller.accountId)],
    { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, FAREGATE_CRASH_AT: crashAt } },
  );
  children.add(child);
  const heard: string[] = [];
  let onRecord = (): void => undefined;
  const died = new Promise<void>((resolve) => {
    child.once("exit", () => {
      children.delete(child);
      resolve();
      onRecord();
    });
  });
  child.stdin.on("error", () => undefined); // it may be dead by now
  createInterface({ input: child.stdout }).on("line", (record) => {
    heard.push(record);
    onRecord();
  });
  const hear = (record: string): Promise<void> =>
    new Promise((resolve) => {
      onRecord = () => {
        if (child.exitCode !== null || child.signalCode !== null || heard.includes(record)) resolve();
      };
      onRecord();
    });
  await hear("ready");
  return {
    heard,
    died,
    async say(command) {
      child.stdin.write(`${command}\n`);
      const [what, id] = command.split(" ");
      await hear(`${what} ${id} done`);
    },
    async kill() {
      child.kill("SIGKILL");
      await died;
    },
  };
}

async function recorded(caller: Caller): Promise<Record<string, bigint>> {
  const rows = await rig.database.query<{ reason: string; count: bigint }>(
    "select reason, count(*) as count from usage where account_id = $1 group by reason",
    [caller.accountId],
  );
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
}
