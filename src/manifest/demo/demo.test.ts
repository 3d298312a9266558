import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { openKeyHasher } from "../../accounts/key-hasher.ts";
import { createSeals } from "../../base/seal.ts";
import { upsertGroup, writeSettings } from "../../catalog/catalog-store.ts";
import { deleteModel } from "../../catalog/models-store.ts";
import { readUpstreams, setUpstreamEnabled } from "../../catalog/upstreams-store.ts";
import { familyOf } from "../../families/table.ts";
import type { ManifestDeps } from "../apply.ts";
import { readState } from "../diff/state.ts";
import { demoManifest } from "./demo.ts";
import { readDemoWarnings } from "./demo-warnings.ts";
import { startWithDemo, wantsDemo } from "./start.ts";

it("the demo offers every model of images and videos that the families know, each wholly priced", () => {
  const { models } = demoManifest({ sandboxUrl: "http://127.0.0.1:1" });
  const offered = new Set<string>();
  for (const { id, family: name, variant, price } of models) {
    const family = name === null ? undefined : familyOf(name);
    if (family === undefined) continue;
    offered.add(`${family.name}-${family.variantOf({ id, variant })}`);
    const words = Object.keys(price?.media.perImage ?? price?.media.perSecond ?? {});
    expect([id, words]).toEqual([id, family.priceWords({ id, variant })]);
  }
  const known = ["imagegen", "videoa", "videob", "videoc"].flatMap((name) =>
    (familyOf(name)?.variants ?? []).map((variant) => `${name}-${variant}`),
  );
  expect([...offered].sort()).toEqual(known.sort());
});

describe("a start without a catalog file", () => {
  let test: TestDatabase;
  let deps: ManifestDeps;
  const traces: string[] = [];
  beforeAll(async () => {
    test = await createTestDatabase();
    const { database } = test;
    const seals = createSeals("a master key for tests of the demo");
    deps = { database, seals, hasher: await openKeyHasher(database, seals) };
  });
  afterAll(() => test.drop());
  const startAt = (sandboxUrl: string) =>
    startWithDemo(deps, sandboxUrl, {
      bootstrapKey: undefined,
      trace: async (_tx, { rendered }) => void traces.push(rendered),
    });
  const place = async () => (await readUpstreams(deps.database, deps.seals))[0]?.baseUrl;

  it("puts the demo into an empty database, once, however many start together", async () => {
    expect(await wantsDemo(deps)).toBe(true);
    const outcomes = await Promise.all(["1", "2", "3"].map((port) => startAt(`http://127.0.0.1:${port}`)));
    expect(outcomes.map(({ type }) => type).sort()).toEqual(["made", "moved", "moved"]);
    expect(traces).toHaveLength(1);
  });

  it("warns of it beside upstreams of real vendors, and not before", async () => {
    const demo = await readUpstreams(deps.database, deps.seals);
    expect(await readDemoWarnings(deps.database, demo)).toEqual([]);
    const real = { name: "main", kind: "openai", models: new Map([["text-large", "large"]]) };
    expect(await readDemoWarnings(deps.database, [...demo, real])).toEqual([
      expect.stringContaining("text-large is also served by the sandbox"),
      expect.stringContaining("the demo account `demo` can spend its demo balance at real vendors"),
    ]);
  });

  it("moves the sandbox's port alone, and leaves what was made of the rest", async () => {
    const { database, seals } = deps;
    await writeSettings(database, { trusted_proxies: ["10.0.0.1"] });
    await upsertGroup(database, { name: "default", factorPpm: 1_200_000n });
    await deleteModel(database, "rerank-1");
    const before = await readState(database, seals);
    expect(await startAt("http://127.0.0.1:9")).toEqual({ type: "moved" });
    const upstreams = before.upstreams.map((each) => ({ ...each, baseUrl: "http://127.0.0.1:9" }));
    expect(await readState(database, seals)).toEqual({ ...before, upstreams });
    expect(traces).toHaveLength(1);
  });

  it("moves nothing that somebody has switched off or pointed elsewhere", async () => {
    const { database } = deps;
    await setUpstreamEnabled(database, "sandbox", false);
    expect([await wantsDemo(deps), await startAt("http://127.0.0.1:10")]).toEqual([
      false,
      { type: "untouched" },
    ]);
    await setUpstreamEnabled(database, "sandbox", true);
    await database.execute("update upstreams set base_url = 'http://127.0.0.1:4000'");
    expect([await wantsDemo(deps), await startAt("http://127.0.0.1:11")]).toEqual([
      false,
      { type: "untouched" },
    ]);
    expect(await place()).toBe("http://127.0.0.1:4000");
  });
});
