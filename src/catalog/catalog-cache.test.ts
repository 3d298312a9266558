import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import type { AccountId, KeyId } from "../accounts/caller.ts";
import { createSeals } from "../base/seal.ts";
import type { Database, Queryable, Subscription } from "../storage/database.ts";
import type { Catalog } from "./catalog.ts";
import { type CatalogCache, createCatalogCache } from "./catalog-cache.ts";
import { deleteGroup, readGroups, upsertGroup, writeSettings } from "./catalog-store.ts";
import {
  deleteModel,
  type ModelDeclaration,
  readModels,
  readPriceHistory,
  upsertModel,
  upsertModels,
} from "./models-store.ts";
import { NO_DIMENSIONS } from "./price-table.ts";
import {
  type CredentialDeclaration,
  deleteUpstream,
  readUpstreams,
  setCredentialEnabled,
  setUpstreamEnabled,
  UPSTREAM_DEFAULTS,
  type UpstreamDeclaration,
  upsertUpstream,
} from "./upstreams-store.ts";

let test: TestDatabase;
const seals = createSeals("the master key of this test");
const kindOf = () => ({ protocols: ["chat-completions"] as const, families: [], needsKey: true });

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const PRICE = { rates: { input: 3_000_000_000n, output: 15_000_000_000n }, media: {} };

function model(id: string, changes: Partial<ModelDeclaration> = {}): ModelDeclaration {
  return {
    id,
    family: null,
    variant: null,
    ownedBy: "acme",
    endpoints: ["chat-completions"],
    groups: null,
    contextTokens: 200_000,
    maxOutputTokens: 32_000,
    price: PRICE,
    quirks: {},
    ...changes,
  };
}

function credential(secret: string, changes: Partial<CredentialDeclaration> = {}): CredentialDeclaration {
  return { name: "1", secret, reference: null, enabled: true, ...changes };
}

function upstream(name: string, changes: Partial<UpstreamDeclaration> = {}): UpstreamDeclaration {
  return {
    ...UPSTREAM_DEFAULTS,
    name,
    kind: "openai",
    baseUrl: "https://api.example/v1",
    models: new Map([["text", "their-text"]]),
    credentials: [credential("vendor-key-1")],
    ...changes,
  };
}

describe("what is written", () => {
  it("is read back exactly: models, every amount of a price, settings", async () => {
    const declared = model("odd/model:1", {
      family: "imagegen",
      created: 1_754_000_000,
      endpoints: ["images", "messages"],
      groups: new Set(["default"]),
      contextTokens: null,
      quirks: { outputLimit: "max_completion_tokens" },
      price: {
        rates: {
          input: 0n,
          cacheRead: 9_007_199_254_740_993n,
          cacheWrite: 1n,
          cacheWrite1h: 2n,
          reasoning: 3n,
        },
        dimensions: {
          ...NO_DIMENSIONS,
          calls: { web_search: { per: "use", nanos: 10_000_000_000_000_001n } },
        },
        media: { perImage: { "1k": 40_000_001n }, perSecond: { "720p": 1n } },
      },
    });
    await upsertModel(test.database, declared);
    const [read] = await readModels(test.database);
    expect({ ...read, price: { ...read?.price, id: undefined } }).toEqual({
      ...declared,
      price: { ...declared.price, id: undefined },
    });
    expect(await deleteModel(test.database, declared.id)).toBe(true);
    expect(await readPriceHistory(test.database, declared.id)).toHaveLength(1);
  });

  it("writes any number of models and prices in three statements, each as it would be by itself", async () => {
    const dearer = { ...PRICE, rates: { ...PRICE.rates, output: 9_007_199_254_740_993n } };
    await upsertModel(test.database, model("m-0", { created: 1_754_000_000 }));
    const [known] = await readModels(test.database);
    const statements: string[] = [];
    const heard: Queryable = {
      ...test.database,
      query: (text, values) => test.database.query(heardOf(text), values),
      execute: (text, values) => test.database.execute(heardOf(text), values),
    };
    const heardOf = (text: string): string => {
      statements.push(text);
      return text;
    };
    const many = Array.from({ length: 300 }, (_, index) => model(`m-${index}`, { groups: new Set(["a"]) }));
    await upsertModels(heard, [
      ...many,
      model("dear", { price: dearer }),
      model("unpriced", { price: null }),
    ]);
    expect(statements).toHaveLength(3);
    const read = new Map((await readModels(test.database)).map((each) => [each.id, each]));
    expect(read.size).toBe(302);
    expect(read.get("m-0")).toEqual({ ...known, groups: new Set(["a"]) });
    expect(read.get("m-299")).toMatchObject({ price: PRICE, groups: new Set(["a"]) });
    expect([read.get("dear")?.price, read.get("unpriced")?.price]).toMatchObject([dearer, null]);
    for (const id of read.keys()) await deleteModel(test.database, id);
  });

  it("keeps when a model was first applied", async () => {
    await upsertModel(test.database, model("m"));
    const [first] = await readModels(test.database);
    expect(first?.created).toBeGreaterThan(1_600_000_000);
    await upsertModel(test.database, model("m", { ownedBy: "other" }));
    expect(await readModels(test.database)).toMatchObject([{ created: first?.created, ownedBy: "other" }]);
    await deleteModel(test.database, "m");
  });

  it("is read back exactly: upstreams, with names no object key should have", async () => {
    const declared = upstream("main", {
      models: new Map([
        ["__proto__", "a"],
        ["b", "constructor"],
      ]),
      groups: new Set(["default"]),
      protocols: ["messages"],
      weight: 0.5,
      timeouts: { connectMs: 1 },
      credentials: [
        credential("one", { reference: "ONE" }),
        credential("two", { name: "2", enabled: false }),
      ],
    });
    await upsertUpstream(test.database, seals, declared);
    expect(await readUpstreams(test.database, seals)).toMatchObject([declared]);
    await deleteUpstream(test.database, "main");
    expect(await readUpstreams(test.database, seals)).toEqual([]);
  });

  it("keeps the id of a credential whose secret stays", async () => {
    const write = (...secrets: string[]) =>
      upsertUpstream(
        test.database,
        seals,
        upstream("pinned", { credentials: secrets.map((each) => credential(each)) }),
      );
    const idOf = async (secret: string) =>
      (await readUpstreams(test.database, seals))[0]?.credentials.find((each) => each.secret === secret)?.id;
    await write("one", "two");
    const two = await idOf("two");
    await write("three", "two");
    expect(await idOf("two")).toBe(two);
    expect(await idOf("one")).toBeUndefined();
    expect(await idOf("three")).not.toBe(two);
    await deleteUpstream(test.database, "pinned");
  });

  it("does not open under another master key", async () => {
    await upsertUpstream(test.database, seals, upstream("sealed"));
    await expect(readUpstreams(test.database, createSeals("another master key"))).rejects.toMatchObject({
      reason: "wrong-key",
    });
    await deleteUpstream(test.database, "sealed");
  });

  it("does not lose a group that accounts are in", async () => {
    await test.database.execute("insert into accounts (name, group_name) values ('member', 'default')");
    await expect(deleteGroup(test.database, "default")).rejects.toMatchObject({
      constraint: "accounts_group_exists",
    });
    expect(await readGroups(test.database)).toEqual([{ name: "default", factorPpm: 1_000_000n }]);
  });
});

describe("the price book", () => {
  it("adds a row for a change and none for the same price", async () => {
    const dearer = { ...PRICE, rates: { ...PRICE.rates, output: 16_000_000_000n } };
    for (const price of [PRICE, PRICE, dearer, dearer, null, dearer, PRICE]) {
      await upsertModel(test.database, model("priced", { price }));
      const [read] = await readModels(test.database);
      expect(read?.price?.rates ?? null).toEqual(price?.rates ?? null);
    }
    const history = await readPriceHistory(test.database, "priced");
    expect(history.map(({ rates }) => rates.output)).toEqual([
      15_000_000_000n,
      16_000_000_000n,
      15_000_000_000n,
    ]);
    await deleteModel(test.database, "priced");
  });

  it("keeps the rows that are to come while they stay as they are, and drops those that are withdrawn before they held", async () => {
    const cheaper = { ...PRICE, rates: { ...PRICE.rates, output: 14_000_000_000n } };
    const at = (year: number) => Date.UTC(year, 11, 1);
    const coming = [
      { ...cheaper, fromMs: at(2100) },
      { ...PRICE, fromMs: at(2101) },
    ];
    const idsOf = async () => (await readPriceHistory(test.database, "ahead")).map(({ id }) => id);
    await upsertModel(test.database, model("ahead", { coming }));
    const [read] = await readModels(test.database);
    expect(read).toMatchObject({ price: PRICE, coming });
    const first = await idsOf();
    expect(first).toHaveLength(3);

    await upsertModel(test.database, model("ahead", { coming, ownedBy: "other" }));
    expect(await idsOf()).toEqual(first);
    await upsertModel(test.database, model("ahead", { coming: coming.slice(1) }));
    expect(await idsOf()).toEqual([first[0], first[2]]);
    await upsertModel(test.database, model("ahead", { coming: [{ ...cheaper, fromMs: at(2101) }] }));
    expect((await readModels(test.database))[0]).toMatchObject({
      coming: [{ ...cheaper, fromMs: at(2101) }],
    });
    await deleteModel(test.database, "ahead");
    expect(await idsOf()).toEqual([first[2]]);
  });

  it("has a row that was written ahead in force from its moment on, and takes that for the model's price then", async () => {
    const dearer = { ...PRICE, rates: { ...PRICE.rates, output: 17_000_000_000n } };
    const begun = Date.now() - 60_000;
    await upsertModel(test.database, model("begun", { coming: [{ ...dearer, fromMs: begun }] }));
    expect((await readModels(test.database, begun - 1))[0]).toMatchObject({ price: PRICE });
    expect((await readModels(test.database, begun))[0]).toMatchObject({ price: dearer, coming: [] });
    const before = await readPriceHistory(test.database, "begun");
    await upsertModel(test.database, model("begun", { price: dearer }));
    expect(await readPriceHistory(test.database, "begun")).toEqual(before);
    await deleteModel(test.database, "begun");
    expect(await readPriceHistory(test.database, "begun")).toEqual(before);
  });

  it.each(["update prices set media = default", "delete from prices", "truncate prices cascade"])(
    "refuses: %s",
    async (statement) => {
      const before = await test.database.query("select * from prices order by id");
      await expect(test.database.execute(statement)).rejects.toThrow(/never changed or removed/);
      expect(await test.database.query("select * from prices order by id")).toEqual(before);
    },
  );
});

describe("the cache", () => {
  const caller = {
    accountId: 1n as AccountId,
    accountName: "acme",
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
  const listed = (cache: CatalogCache) =>
    cache
      .current()
      .listed(caller)
      .map(({ id }) => id);

  it("follows every change in another process", async () => {
    const cache = await createCatalogCache({ database: test.database, seals, kindOf });
    const soon = (holds: () => void) => vi.waitFor(holds, { timeout: 20_000, interval: 20 });
    await upsertModel(test.database, model("text"));
    await upsertUpstream(test.database, seals, upstream("first"));
    await soon(() => expect(listed(cache)).toEqual(["text"]));
    const before = cache.current();

    await setUpstreamEnabled(test.database, "first", false);
    await soon(() => expect(listed(cache)).toEqual([]));
    expect(before.listed(caller)).toHaveLength(1); // who holds a state keeps it

    await setUpstreamEnabled(test.database, "first", true);
    await soon(() => expect(listed(cache)).toEqual(["text"]));
    const id = cache.current().upstreams[0]?.credentials[0]?.id ?? 0n;
    await setCredentialEnabled(test.database, id, false);
    await soon(() => expect(listed(cache)).toEqual([]));

    await upsertGroup(test.database, { name: "partners", factorPpm: 850_000n });
    await soon(() => expect(cache.current().groups.get("partners")?.factorPpm).toBe(850_000n));
    await writeSettings(test.database, { usage_retention_days: 7 });
    await soon(() => expect(cache.current().settings.usageRetentionDays).toBe(7));
    await cache.close();
    await deleteUpstream(test.database, "first");
    await deleteModel(test.database, "text");
  });

  it("has a price that was written ahead from its moment on, without a word of the database; who holds a state keeps its price", async () => {
    const fromMs = Date.UTC(2100, 11, 1);
    const dearer = { ...PRICE, rates: { ...PRICE.rates, output: 16_000_000_000n } };
    await upsertModel(test.database, model("text", { coming: [{ ...dearer, fromMs }] }));
    await upsertUpstream(test.database, seals, upstream("first"));
    let nowMs = fromMs - 1;
    const silent: Database = { ...test.database, listen: async () => async () => undefined };
    const clock = { nowMs: () => nowMs };
    const cache = await createCatalogCache({ database: silent, seals, kindOf, clock });
    const priceOf = (catalog: Catalog) => catalog.callable(caller, "text")?.price;
    const before = cache.current();
    expect(priceOf(before)).toMatchObject(PRICE);
    expect(cache.current()).toBe(before);
    nowMs = fromMs;
    expect(priceOf(cache.current())).toMatchObject(dearer);
    expect(cache.current()).toBe(cache.current());
    expect([priceOf(before), before.version]).toMatchObject([PRICE, cache.current().version]);
    await deleteUpstream(test.database, "first");
    await deleteModel(test.database, "text");
  });

  it("sees a change whose message was lost on the next beat, and nothing by halves", async () => {
    let beat = async (): Promise<void> => undefined;
    const listen = async (subscription: Subscription) => {
      beat = async () => subscription.refresh?.();
      return async () => undefined;
    };
    const deaf: Database = { ...test.database, listen };
    const cache = await createCatalogCache({ database: deaf, seals, kindOf });
    const before = cache.current();
    await beat();
    expect(cache.current()).toBe(before);
    await test.database.transaction(async (tx) => {
      await upsertModel(tx, model("text"));
      await cache.refresh();
      expect(cache.current()).toBe(before);
      await upsertUpstream(tx, seals, upstream("second"));
    });
    expect(cache.current()).toBe(before);
    await beat();
    expect(listed(cache)).toEqual(["text"]);
    expect(cache.current().version).toBeGreaterThan(before.version);
    await deleteUpstream(test.database, "second");
    await deleteModel(test.database, "text");
  });
});
