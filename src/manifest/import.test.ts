// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the file holds.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { openKeyHasher } from "../accounts/key-hasher.ts";
import { createSeals } from "../base/seal.ts";
import { readUpstreams } from "../catalog/upstreams-store.ts";
import { applyManifest, type ManifestDeps } from "./apply.ts";
import { exportManifest } from "./export.ts";
import { parseManifest } from "./file/read.ts";
import { applyImport, planImport } from "./import.ts";

const SECRETS = { VENDOR: "vendor-canary-1", CI_KEY: "ci-key-canary-0123456789" };
const FILE = `version: 1
models:
  - { id: text, context_tokens: 1000, max_output_tokens: 100, price: { input: 3, output: 15 } }
upstreams:
  - { name: main, kind: openai, base_url: "https://vendor.example/v1", models: [text], api_key: "\${VENDOR}" }
  - { name: second, kind: openai, base_url: "https://other.example/v1", models: [text], api_keys: [clear-canary-1, clear-canary-2] }
accounts:
  - { name: acme, balance: 25, keys: [{ name: ci, key: "\${CI_KEY}" }, { name: dev, key: dev-key-canary-0123456789 }] }
`;

let test: TestDatabase;
let deps: ManifestDeps;
let exported: string;
beforeAll(async () => {
  test = await createTestDatabase();
  const seals = createSeals("a master key for tests of the import");
  deps = { database: test.database, seals, hasher: await openKeyHasher(test.database, seals) };
  await applyManifest(deps, parseManifest(FILE, SECRETS));
  exported = await exportManifest(deps);
});
afterAll(() => test.drop());

const plan = (text: string) => planImport(deps, { text, prune: false });

describe("importing a catalog file", () => {
  it("changes nothing when the export comes back, though nobody has its secrets", async () => {
    const planned = await plan(exported);
    expect(planned.changes).toEqual([]);
    expect(await planImport(deps, { text: exported, prune: true })).toMatchObject({ changes: [] });
  });

  it("keeps stored credentials and their names where something else of the upstream changes", async () => {
    const before = await readUpstreams(test.database, deps.seals);
    const text = exported.replace("name: main", "name: main\n    weight: 2");
    const applied = await test.database.transaction((tx) => applyImport(tx, deps, { text, prune: false }));
    expect(applied.rendered).toBe("~ upstream main: weight 1 -> 2");
    const after = await readUpstreams(test.database, deps.seals);
    expect(after.map(({ credentials }) => credentials)).toEqual(before.map(({ credentials }) => credentials));
  });

  it("takes nothing from the environment and no secret into a field that is shown", async () => {
    const withOwner = (text: string) => exported.replace("- id: text", `- id: text\n    owned_by: ${text}`);
    await expect(plan(withOwner("${VENDOR}"))).rejects.toThrow(
      /:\d+:\d+: models\[0\]\.owned_by: .*a secret only/,
    );
    await expect(plan(exported.replace("${VENDOR}", "${PATH}"))).rejects.toThrow(
      /has no stored secret called PATH/,
    );
    await expect(plan(exported.replace("api_key: ${VENDOR}", "api_key: x-${VENDOR}"))).rejects.toThrow(
      /must be the whole value/,
    );
  });

  it("sends a stored credential to no address but those it was entered for", async () => {
    await expect(plan(exported.replace("https://vendor.example", "https://thief.example"))).rejects.toThrow(
      /entered for another server/,
    );
    const other = exported.replace("https://vendor.example/v1", "https://vendor.example/v2");
    expect((await plan(other)).rendered).toContain("/v1 -> https://vendor.example/v2");
  });

  it("shows no secret in a diff or a problem", async () => {
    const text = exported.replace("${VENDOR}", "brand-new-canary");
    const planned = await plan(text);
    expect(planned.rendered).toContain("credentials (changed)");
    expect(JSON.stringify(planned)).not.toMatch(/canary|stand-in/);
    const failed = await plan(text.replace("name: main", "name: main\n    wait: 2.5")).catch(String);
    expect(failed).toContain("unknown key");
    expect(failed).not.toMatch(/canary|stand-in/);
  });

  it("refuses to make another key of a key that it knows by its hash only", async () => {
    await expect(plan(exported.replace("name: ci", "name: moved"))).rejects.toThrow(
      /already exists as acme\/ci/,
    );
  });

  it("revokes no key for one of another name that it does not know", async () => {
    const text = exported.replace("name: dev", "name: moved");
    expect((await plan(text)).rendered).toContain("! key acme/moved is not created: ");
    await expect(planImport(deps, { text, prune: true })).rejects.toThrow(/acme\/dev would be revoked/);
  });
});
