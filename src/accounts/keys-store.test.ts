import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { createSeals } from "../base/seal.ts";
import { constraintOf } from "../storage/failures.ts";
import { setAccountDisabled, upsertAccount } from "./accounts-store.ts";
import type { AccountId } from "./caller.ts";
import { findKeys } from "./caller-store.ts";
import { generateKey } from "./key-form.ts";
import { type KeyHasher, openKeyHasher } from "./key-hasher.ts";
import {
  createKey,
  readKeys,
  revokeKey,
  rotateKey,
  setKeyDisabled,
  setKeyExpiry,
  setKeyTerms,
} from "./keys-store.ts";

let test: TestDatabase;
let hasher: KeyHasher;
let accountId: AccountId;
const seals = createSeals("the master key of this test");

beforeAll(async () => {
  test = await createTestDatabase();
  hasher = await openKeyHasher(test.database, seals);
  accountId = (await upsertAccount(test.database, { name: "acme", group: "default" })).id;
});
afterAll(() => test.drop());

/** The stored facts of a key that works. */
const works = async (credential: string) => {
  const hash = hasher.hash(credential);
  const found = (await findKeys(test.database, [hash])).get(hash.toString("hex"));
  if (found === undefined || found.ended !== null) return undefined;
  const { ended: _none, ...known } = found;
  return known;
};

const PAST = new Date("2020-01-01T00:00:00Z");
const SOON = new Date("2090-01-01T00:00:00Z");
const FUTURE = new Date("2100-01-01T00:00:00Z");

describe("a key", () => {
  it("says on look-up what was declared", async () => {
    const credential = generateKey();
    const keyId = await createKey(test.database, hasher, {
      accountId,
      name: "full",
      credential,
      models: ["a", "b"],
      expiresAt: FUTURE,
      spendingLimit: { amountNanos: 9_007_199_254_740_993n, period: "week" },
      rateLimits: { requestsPerMinute: 60, concurrency: 2 },
      allowedAddresses: ["10.0.0.0/8"],
    });
    const found = await works(credential);
    const includes = (address: string) => found?.caller.allowedAddresses?.includes(address);
    expect(["10.1.2.3", "11.1.2.3"].map(includes)).toEqual([true, false]);
    expect(found).toEqual({
      expiresAtMs: FUTURE.getTime(),
      endsAs: "expired",
      caller: {
        accountId,
        accountName: "acme",
        group: "default",
        keyId,
        keyName: "full",
        models: new Set(["a", "b"]),
        spendingLimit: { amountNanos: 9_007_199_254_740_993n, period: "week" },
        budgets: [],
        tagKeys: [],
        rateLimits: { requestsPerMinute: 60, concurrency: 2 },
        allowedAddresses: { includes: expect.any(Function) },
      },
    });
    const [record] = await readKeys(test.database, accountId);
    expect(record).toMatchObject({
      name: "full",
      hash: hasher.hash(credential).toString("hex"),
      models: ["a", "b"],
    });
    await setKeyTerms(test.database, keyId, {});
    const bare = await works(credential);
    expect(bare).toMatchObject({ expiresAtMs: Number.POSITIVE_INFINITY });
    expect(bare?.caller).toMatchObject({ models: null, spendingLimit: null, rateLimits: null });
  });

  it("works or not as it and its account are enabled", async () => {
    const credential = generateKey();
    const id = await createKey(test.database, hasher, { accountId, name: "switch", credential });
    await setKeyDisabled(test.database, id, true);
    expect(await works(credential)).toBeUndefined();
    await setKeyDisabled(test.database, id, false);
    expect(await works(credential)).toBeDefined();
    await setAccountDisabled(test.database, "acme", true);
    expect(await works(credential)).toBeUndefined();
    await setAccountDisabled(test.database, "acme", false);
    await setKeyExpiry(test.database, id, PAST);
    expect((await works(credential))?.expiresAtMs).toBe(PAST.getTime());
  });

  it("once revoked never works again, and its name is free", async () => {
    const credential = generateKey();
    const id = await createKey(test.database, hasher, { accountId, name: "gone", credential });
    expect(await revokeKey(test.database, id)).toBe(true);
    expect(await revokeKey(test.database, id)).toBe(false);
    expect(await setKeyDisabled(test.database, id, false)).toBe(false);
    expect(await works(credential)).toBeUndefined();
    await expect(
      rotateKey(test.database, hasher, { id, credential: generateKey(), oldUntil: PAST }),
    ).rejects.toThrow();
    await createKey(test.database, hasher, { accountId, name: "gone", credential: generateKey() });
  });

  it("keeps its identity when rotated, and the old secret works until its grace ends", async () => {
    const [first, second, third] = [generateKey(), generateKey(), generateKey()];
    const id = await createKey(test.database, hasher, { accountId, name: "turning", credential: first });
    await test.database.transaction((tx) =>
      rotateKey(tx, hasher, { id, credential: second, oldUntil: FUTURE }),
    );
    expect((await works(first))?.expiresAtMs).toBe(FUTURE.getTime());
    expect((await works(second))?.caller.keyId).toBe(id);
    await test.database.transaction((tx) => rotateKey(tx, hasher, { id, credential: third, oldUntil: PAST }));
    expect((await works(second))?.expiresAtMs).toBe(PAST.getTime());
    const records = (await readKeys(test.database, accountId)).filter(({ name }) => name === "turning");
    expect(records).toMatchObject([{ id, hash: hasher.hash(third).toString("hex") }]);
  });

  it("lets no secret of before outlive what its last rotation says, however long an earlier one gave it", async () => {
    const [first, second] = [generateKey(), generateKey()];
    const id = await createKey(test.database, hasher, { accountId, name: "leaked", credential: first });
    const rotate = (credential: string, oldUntil: Date) =>
      test.database.transaction((tx) => rotateKey(tx, hasher, { id, credential, oldUntil }));
    await rotate(second, SOON);
    await rotate(generateKey(), FUTURE);
    expect((await works(first))?.expiresAtMs).toBe(SOON.getTime());
    await rotate(generateKey(), PAST);
    for (const secret of [first, second]) expect((await works(secret))?.expiresAtMs).toBe(PAST.getTime());
  });

  it("cannot share its name within the account, nor its text with any other", async () => {
    const credential = generateKey();
    await createKey(test.database, hasher, { accountId, name: "only", credential });
    const refusal = (name: string, text: string) =>
      test.database
        .transaction((tx) => createKey(tx, hasher, { accountId, name, credential: text }))
        .then(() => undefined, constraintOf);
    expect(await refusal("only", generateKey())).toBe("api_keys_name_unique");
    expect(await refusal("another", credential)).toBe("api_key_secrets_pkey");
  });
});

describe("the hashing secret", () => {
  it("is one for all processes that start at once", async () => {
    const fresh = await createTestDatabase();
    try {
      const hashers = await Promise.all([1, 2, 3, 4].map(() => openKeyHasher(fresh.database, seals)));
      expect(new Set(hashers.map((each) => each.hash("k").toString("hex"))).size).toBe(1);
    } finally {
      await fresh.drop();
    }
  });

  it("differs between installations, and does not open under another master key", async () => {
    const fresh = await createTestDatabase();
    try {
      const other = await openKeyHasher(fresh.database, seals);
      expect(other.hash("k").equals(hasher.hash("k"))).toBe(false);
      await expect(openKeyHasher(fresh.database, createSeals("not the master key"))).rejects.toMatchObject({
        reason: "wrong-key",
      });
    } finally {
      await fresh.drop();
    }
  });
});
