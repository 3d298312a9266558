import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { createSeals } from "../base/seal.ts";
import type { Database, Subscription } from "../storage/database.ts";
import { setAccountDisabled, upsertAccount } from "./accounts-store.ts";
import { type Authenticator, createAuthenticator } from "./authenticator.ts";
import type { AccountId } from "./caller.ts";
import { generateKey } from "./key-form.ts";
import { type KeyHasher, openKeyHasher } from "./key-hasher.ts";
import { createKey, revokeKey, rotateKey, setKeyDisabled, setKeyExpiry } from "./keys-store.ts";

let test: TestDatabase;
let hasher: KeyHasher;
let accountId: AccountId;
let names = 0;
const clock = {
  wallMs: Date.parse("2030-01-01T00:00:00Z"),
  steadyMs: 0,
  nowMs: () => clock.wallMs,
  monotonicMs: () => clock.steadyMs,
};

beforeAll(async () => {
  test = await createTestDatabase();
  hasher = await openKeyHasher(test.database, createSeals("the master key of this test"));
  accountId = (await upsertAccount(test.database, { name: "acme", group: "default" })).id;
});
afterAll(() => test.drop());

async function addKey(credential = generateKey(), terms: { expiresAt?: Date } = {}) {
  names += 1;
  const name = `key ${names}`;
  const id = await test.database.transaction((tx) =>
    createKey(tx, hasher, { accountId, name, credential, ...terms }),
  );
  return { id, credential };
}

interface Seen {
  statements: number;
  away?: "refused" | "silent" | undefined;
  /** Does what the database's regular round does. */
  beat(): Promise<void>;
}

/** The test database seen by a process of its own, which counts statements and may lose messages or the server. */
function processOn(database: Database, settings: { deaf?: boolean } = {}) {
  const seen: Seen = { statements: 0, beat: async () => undefined };
  const query: Database["query"] = (text, values) => {
    seen.statements += 1;
    if (seen.away === "refused")
      return Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
    if (seen.away === "silent") return new Promise(() => undefined);
    return database.query(text, values);
  };
  const listen = async (subscription: Subscription) => {
    seen.beat = async () => subscription.refresh?.();
    return settings.deaf ? async () => undefined : database.listen({ ...subscription });
  };
  return { seen, database: { ...database, query, listen } };
}

function signal(): { given: Promise<void>; give: () => void } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

async function soon(holds: () => Promise<boolean> | boolean): Promise<void> {
  await vi.waitFor(async () => expect(await holds()).toBe(true), { timeout: 20_000, interval: 20 });
}

async function opened(
  database: Database,
  options: { capacity?: number; lookupLimitMs?: number } = {},
): Promise<Authenticator> {
  return createAuthenticator({ database, hasher, clock, ...options });
}

describe("a good key", () => {
  it("is answered at once after the first time, without the database", async () => {
    const { credential, id } = await addKey();
    const { seen, database } = processOn(test.database);
    const authenticator = await opened(database);
    expect((await authenticator.authenticate(credential))?.keyId).toBe(id);
    const before = seen.statements;
    const caller = authenticator.authenticate(credential);
    expect(caller).toMatchObject({ keyId: id, accountName: "acme" });
    expect(Object.isFrozen(caller)).toBe(true);
    expect(seen.statements).toBe(before);
    await authenticator.close();
  });

  it("is taken whole: no other key that begins or ends alike", async () => {
    const { credential } = await addKey("the-key-of-a-customer");
    const authenticator = await opened(test.database);
    expect(await authenticator.authenticate(credential)).toBeDefined();
    for (const near of [`${credential} `, `${credential}x`, credential.slice(1), credential.toUpperCase()]) {
      expect(await authenticator.authenticate(near), near).toBeUndefined();
    }
    await authenticator.close();
  });

  it("is refused from the moment it expires, though it is cached", async () => {
    const { credential } = await addKey(generateKey(), { expiresAt: new Date(clock.wallMs + 1_000) });
    const authenticator = await opened(test.database);
    expect(await authenticator.authenticate(credential)).toBeDefined();
    clock.wallMs += 1_000;
    expect(await authenticator.authenticate(credential)).toBeUndefined();
    expect(authenticator.endOf(credential)?.end).toBe("expired");
    expect(await authenticator.authenticate(credential)).toBeUndefined();
    await authenticator.close();
  });
});

describe("a change", () => {
  it("counts at once in the process that made it", async () => {
    const { credential, id } = await addKey();
    const authenticator = await opened(processOn(test.database, { deaf: true }).database);
    await authenticator.authenticate(credential);
    await setKeyDisabled(test.database, id, true);
    authenticator.forget({ keyId: id });
    expect(await authenticator.authenticate(credential)).toBeUndefined();
    await setKeyDisabled(test.database, id, false);
    authenticator.forget({ keyId: id });
    await authenticator.authenticate(credential);
    await setAccountDisabled(test.database, "acme", true);
    authenticator.forget({ accountId });
    expect(await authenticator.authenticate(credential)).toBeUndefined();
    await setAccountDisabled(test.database, "acme", false);
    await authenticator.close();
  });

  it.each(["revoked", "disabled", "expired", "rotated", "account suspended"])(
    "reaches other processes: %s",
    async (change) => {
      const { credential, id } = await addKey();
      const authenticator = await opened(test.database);
      expect(await authenticator.authenticate(credential)).toBeDefined();
      if (change === "revoked") await revokeKey(test.database, id);
      if (change === "disabled") await setKeyDisabled(test.database, id, true);
      if (change === "expired") await setKeyExpiry(test.database, id, new Date(0));
      if (change === "rotated") {
        const rotation = { id, credential: generateKey(), oldUntil: new Date(0) };
        await test.database.transaction((tx) => rotateKey(tx, hasher, rotation));
      }
      if (change === "account suspended") await setAccountDisabled(test.database, "acme", true);
      await soon(async () => (await authenticator.authenticate(credential)) === undefined);
      // Callers with the key are told its end; a key that never existed has none.
      await soon(async () => {
        await authenticator.authenticate(credential);
        const ended = authenticator.endOf(credential);
        return ended?.end === change.replace(" ", "_") && ended.caller.keyId === id;
      });
      const near = `${credential.slice(0, -1)}${credential.endsWith("x") ? "y" : "x"}`;
      expect(await authenticator.authenticate(near)).toBeUndefined();
      expect(authenticator.endOf(near)).toBeUndefined();
      await setAccountDisabled(test.database, "acme", false);
      await authenticator.close();
    },
  );

  it("whose message is lost counts from the next beat on", async () => {
    const { credential, id } = await addKey();
    const { seen, database } = processOn(test.database, { deaf: true });
    const authenticator = await opened(database);
    await authenticator.authenticate(credential);
    await revokeKey(test.database, id);
    expect(authenticator.authenticate(credential)).toBeDefined(); // shows that the message was lost indeed
    await seen.beat();
    expect(await authenticator.authenticate(credential)).toBeUndefined();
    await authenticator.close();
  });

  it("that the database has forgotten, as a standby that had lost the last commits, is forgotten from the next beat on", async () => {
    const { credential, id } = await addKey();
    const { seen, database } = processOn(test.database, { deaf: true });
    const authenticator = await opened(database);
    await authenticator.authenticate(credential);
    await test.database.execute("delete from api_key_secrets where key_id = $1", [id]);
    await test.database.execute("delete from api_keys where id = $1", [id]);
    await test.database.execute("update change_counters set version = version - 20 where name = 'keys'");
    await seen.beat();
    expect(await authenticator.authenticate(credential)).toBeUndefined();
    const other = await addKey();
    await authenticator.authenticate(other.credential);
    await revokeKey(test.database, other.id);
    await seen.beat();
    expect(await authenticator.authenticate(other.credential)).toBeUndefined();
    await authenticator.close();
  });

  it("is not undone by a look-up that began before it", async () => {
    const { credential, id } = await addKey();
    const [read, resume] = [signal(), signal()];
    const { database } = processOn(test.database, { deaf: true });
    const query = async <Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> => {
      const rows = await test.database.query<Row>(text, values);
      read.give();
      await resume.given;
      return rows;
    };
    const authenticator = await opened({ ...database, query });
    const early = authenticator.authenticate(credential);
    await read.given;
    await revokeKey(test.database, id);
    authenticator.forget({ keyId: id });
    resume.give();
    await early;
    expect(await authenticator.authenticate(credential)).toBeUndefined();
    await authenticator.close();
  });

  it("makes a key work that was refused a moment ago", async () => {
    const credential = generateKey();
    const authenticator = await opened(test.database);
    expect(await authenticator.authenticate(credential)).toBeUndefined();
    await addKey(credential);
    await soon(async () => (await authenticator.authenticate(credential)) !== undefined);
    await authenticator.close();
  });
});

describe("garbage", () => {
  it("that cannot be a key is refused without the database", async () => {
    const { seen, database } = processOn(test.database, { deaf: true });
    const authenticator = await opened(database);
    const before = seen.statements;
    const typo = generateKey().replace(/.$/, (last) => (last === "x" ? "y" : "x"));
    for (const text of ["", "short", "x".repeat(201), "with a space in it", typo]) {
      expect(authenticator.authenticate(text)).toBeUndefined();
    }
    expect(seen.statements).toBe(before);
    await authenticator.close();
  });

  it("is looked up together, remembered for a while, and pushes no good key out", async () => {
    const { credential } = await addKey();
    const { seen, database } = processOn(test.database, { deaf: true });
    const authenticator = await opened(database, { capacity: 2 });
    await authenticator.authenticate(credential);
    const before = seen.statements;
    const garbage = Array.from({ length: 300 }, () => generateKey());
    const responses = await Promise.all(garbage.map((each) => authenticator.authenticate(each)));
    expect(responses.every((response) => response === undefined)).toBe(true);
    expect(seen.statements).toBe(before + 1);
    for (const each of garbage) expect(authenticator.authenticate(each)).toBeUndefined();
    expect(authenticator.authenticate(credential)).toMatchObject({ accountName: "acme" });
    expect(seen.statements).toBe(before + 1);
    await authenticator.close();
  });

  it("of a generated key's form is looked up only where such a key was brought along", async () => {
    const brought = `sk-${"A".repeat(48)}`;
    const fresh = await createTestDatabase();
    try {
      const freshHasher = await openKeyHasher(fresh.database, createSeals("the master key of this test"));
      const account = await upsertAccount(fresh.database, { name: "a", group: "default" });
      const authenticator = await createAuthenticator({
        database: fresh.database,
        hasher: freshHasher,
        clock,
      });
      expect(authenticator.authenticate(brought)).toBeUndefined();
      await createKey(fresh.database, freshHasher, {
        accountId: account.id,
        name: "old",
        credential: brought,
      });
      await soon(async () => (await authenticator.authenticate(brought)) !== undefined);
      await authenticator.close();
    } finally {
      await fresh.drop();
    }
  });

  it("cannot make the cache grow: what was used longest ago makes room", async () => {
    const keys = await Promise.all([addKey(), addKey(), addKey()]);
    const { seen, database } = processOn(test.database, { deaf: true });
    const authenticator = await opened(database, { capacity: 2 });
    for (const { credential } of keys) await authenticator.authenticate(credential);
    const before = seen.statements;
    for (const { credential } of keys.slice(1)) expect(authenticator.authenticate(credential)).toBeDefined();
    expect(seen.statements).toBe(before);
    await authenticator.authenticate(keys[0]?.credential ?? "");
    expect(seen.statements).toBe(before + 1);
    await authenticator.close();
  });
});

describe("an outage of the database", () => {
  it.each(["refused", "silent"] as const)(
    "answers 503 to unseen keys and goes on for seen ones: %s",
    async (away) => {
      const [known, unseen] = [await addKey(), await addKey()];
      const { seen, database } = processOn(test.database, { deaf: true });
      // No outage to a database that is only slow, as on a busy machine.
      const authenticator = await opened(database, { lookupLimitMs: 2_000 });
      await authenticator.authenticate(known.credential);
      seen.away = away;
      await expect(authenticator.authenticate(unseen.credential)).rejects.toMatchObject({
        reason: "service_unavailable",
        status: 503,
        retryAfterSeconds: 1,
      });
      expect(authenticator.authenticate(known.credential)).toMatchObject({ keyId: known.id });
      seen.away = undefined;
      expect(await authenticator.authenticate(unseen.credential)).toMatchObject({ keyId: unseen.id });
      await authenticator.close();
    },
  );
});
