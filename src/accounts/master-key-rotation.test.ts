import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { createSeals, type Seals } from "../base/seal.ts";
import { readUpstreams, UPSTREAM_DEFAULTS, upsertUpstream } from "../catalog/upstreams-store.ts";
import { openKeyHasher } from "./key-hasher.ts";
import { openSeals } from "./master-key.ts";
import { rotateMasterKey, watchMasterKey } from "./master-key-rotation.ts";
import { announceMasterKey, resealAll } from "./master-key-store.ts";

const OLD = "the old master key of this test";
const NEW = "the new master key of this test";
let test: TestDatabase;

beforeEach(async () => {
  test = await createTestDatabase();
  await openKeyHasher(test.database, createSeals(OLD));
  await upsertUpstream(test.database, createSeals(OLD), {
    ...UPSTREAM_DEFAULTS,
    name: "main",
    kind: "openai",
    baseUrl: "https://api.example/v1",
    models: new Map(),
    options: { headers: { "x-team": { value: "team", reference: null } } },
    credentials: ["one", "two"].map((secret) => ({ name: secret, secret, reference: null, enabled: true })),
  });
});
afterEach(() => test.drop());

async function opensEverything(seals: Seals): Promise<boolean> {
  try {
    await openKeyHasher(test.database, seals);
    const [upstream] = await readUpstreams(test.database, seals);
    const secrets = upstream?.credentials.map(({ secret }) => secret);
    return [...(secrets ?? []), upstream?.options?.headers?.["x-team"]?.value].join() === "one,two,team";
  } catch {
    return false;
  }
}

const rotate = (
  dataDir = "/nonexistent",
  configured: string | undefined = OLD,
  newKey: string | undefined = NEW,
) => rotateMasterKey({ database: test.database, dataDir, configured, newKey, noticeMs: 0 });

describe("re-sealing", () => {
  it("reaches every column that holds a sealed secret, and changes no secret", async () => {
    const before = (await openKeyHasher(test.database, createSeals(OLD))).hash("k");
    expect(await resealAll(test.database, OLD, NEW)).toBe(4);
    expect(await opensEverything(createSeals(NEW))).toBe(true);
    expect(await opensEverything(createSeals(OLD))).toBe(false);
    expect((await openKeyHasher(test.database, createSeals(NEW))).hash("k")).toEqual(before);
    expect(await resealAll(test.database, OLD, NEW)).toBe(4);
    expect(await opensEverything(createSeals(NEW))).toBe(true);
  });

  it("with a wrong old key changes nothing", async () => {
    await expect(resealAll(test.database, "not the old key", NEW)).rejects.toMatchObject({
      reason: "wrong-key",
    });
    expect(await opensEverything(createSeals(OLD))).toBe(true);
  });
});

describe("a rotation", () => {
  it("is followed by a gateway that runs with the old key, at every moment", async () => {
    const seals = createSeals(OLD);
    const stop = await watchMasterKey(test.database, seals);
    await announceMasterKey(test.database, OLD, NEW);
    await vi.waitFor(
      () => expect(seals.seal("x", "y").split(".")[1]).toBe(createSeals(NEW).seal("x", "y").split(".")[1]),
      {
        timeout: 20_000,
        interval: 10,
      },
    );
    expect(await opensEverything(seals)).toBe(true);
    expect(await rotate()).toBe(4);
    expect(await opensEverything(seals)).toBe(true);
    await stop();
  });

  it("lets a gateway restart with the old key until one has started with the new", async () => {
    await rotate();
    const late = createSeals(OLD);
    await (await watchMasterKey(test.database, late))();
    expect(await opensEverything(late)).toBe(true);

    const renewed = createSeals(NEW);
    await (await watchMasterKey(test.database, renewed))();
    expect(await opensEverything(renewed)).toBe(true);

    const tooLate = createSeals(OLD);
    await (await watchMasterKey(test.database, tooLate))();
    expect(await opensEverything(tooLate)).toBe(false);
  });

  it("is not ended by a gateway that has the new key too early", async () => {
    await announceMasterKey(test.database, OLD, NEW);
    await (await watchMasterKey(test.database, createSeals(NEW)))();
    const running = createSeals(OLD);
    await (await watchMasterKey(test.database, running))();
    await resealAll(test.database, OLD, NEW);
    expect(await opensEverything(running)).toBe(true);
  });

  it("without a new key says what to set, before it changes anything", async () => {
    await expect(
      rotateMasterKey({
        database: test.database,
        dataDir: "/nonexistent",
        configured: OLD,
        newKey: undefined,
      }),
    ).rejects.toThrow(/FAREGATE_NEW_MASTER_KEY/);
    expect(await opensEverything(createSeals(OLD))).toBe(true);
  });

  it("of a key in the data dir leaves the new key there, and the old one worthless after a start", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "faregate-key-"));
    const source = { dataDir, configured: undefined };
    const fresh = await createTestDatabase();
    try {
      const before = await openSeals(source);
      const { hash } = await openKeyHasher(fresh.database, before);
      expect(
        await rotateMasterKey({ ...source, database: fresh.database, newKey: undefined, noticeMs: 0 }),
      ).toBe(1);
      const after = await openSeals(source);
      expect((await openKeyHasher(fresh.database, after)).hash("k")).toEqual(hash("k"));
      await (await watchMasterKey(fresh.database, after))();
      await expect(openKeyHasher(fresh.database, before)).rejects.toThrow(/another master key/);
    } finally {
      await fresh.drop();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
