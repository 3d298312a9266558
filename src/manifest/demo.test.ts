import { expect, it } from "vitest";
import { createTestDatabase } from "../../test/support/database.ts";
import { upsertAccount } from "../accounts/accounts-store.ts";
import { openKeyHasher } from "../accounts/key-hasher.ts";
import { createSeals } from "../base/seal.ts";
import { readSettings, upsertGroup, writeSettings } from "../catalog/catalog-store.ts";
import { familyOf } from "../families/table.ts";
import { applyManifest } from "./apply.ts";
import { demoManifest } from "./demo.ts";

it("the demo offers every model of pictures and videos that the families know, each wholly priced", () => {
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

it("the demo moves its sandbox at each start and leaves settings, factors and accounts as they were made", async () => {
  const { database, drop } = await createTestDatabase();
  try {
    const seals = createSeals("a master key for tests of the demo");
    const deps = { database, seals, hasher: await openKeyHasher(database, seals) };
    const startAt = (sandboxUrl: string, bootstrapKey?: string) =>
      applyManifest(deps, demoManifest({ sandboxUrl, bootstrapKey }));
    await startAt("http://127.0.0.1:1", "bootstrap-0123456789");
    await writeSettings(database, { trusted_proxies: ["10.0.0.1"] });
    await upsertGroup(database, { name: "default", factorPpm: 1_200_000n });
    await upsertGroup(database, { name: "partners", factorPpm: 900_000n });
    await upsertAccount(database, { name: "demo", group: "partners" });
    const { changes } = await startAt("http://127.0.0.1:2");
    expect(changes.map(({ subject, name }) => `${subject} ${name}`)).toEqual(["upstream sandbox"]);
    expect(await readSettings(database)).toEqual({ trusted_proxies: ["10.0.0.1"] });
  } finally {
    await drop();
  }
});
