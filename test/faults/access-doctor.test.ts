import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { removeDataDir } from "../support/embedded.ts";
import { runFaregate } from "../support/gateway.ts";
import { vendorUpstream } from "../support/vendor-upstream.ts";

/** Nobody's secret stands in it: only the secret behind all API keys tells whether the master key is the right one. */
const CATALOG = "version: 1\naccounts:\n  - { name: acme, keys: [{ name: ci, key: sk-a-key-of-sixteen }] }\n";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "faregate-doctor-"));
});
afterEach(() => removeDataDir(dataDir));

const run = (env: Record<string, string>, ...args: string[]) =>
  runFaregate({ FAREGATE_DATA_DIR: dataDir, ...env }, ...args);

it("tells the master key that the database was filled with from any other, and from none", async () => {
  const file = join(dataDir, "faregate.yaml");
  await writeFile(file, CATALOG);
  await run({}, "migrate");
  expect((await run({}, "apply", file)).code).toBe(0);

  expect((await run({}, "doctor")).stdout).toMatch(/ok +master key: /);

  const other = await run({ FAREGATE_MASTER_KEY: "the key of another installation" }, "doctor");
  expect([other.code, other.stdout]).toEqual([
    1,
    expect.stringMatching(/FAIL +master key: .*another master key/),
  ]);
  expect(other.stdout).toMatch(/ok +schema: /);

  // Lost, as after a restore that left the file behind.
  await rename(join(dataDir, "master.key"), join(dataDir, "master.key.elsewhere"));
  const lost = await run({}, "doctor");
  expect([lost.code, lost.stdout]).toEqual([
    1,
    expect.stringMatching(/FAIL +master key: master\.key is missing in .*Restore it/),
  ]);
});

it("names each model that nobody could call, and which upstream is the matter", async () => {
  const vendor = await vendorUpstream();
  const file = join(dataDir, "faregate.yaml");
  const model = (id: string) =>
    `  - { id: ${id}, context_tokens: 1000, max_output_tokens: 100, price: { input: 1, output: 1 } }`;
  const upstream = (name: string, url: string, models: string) =>
    `  - { name: ${name}, kind: sandbox, base_url: "${url}", models: [${models}] }`;
  const catalog = (ids: readonly string[]) => `version: 1
models:
${ids.map(model).join("\n")}
  - { id: best, alias_of: well }
upstreams:
${upstream("there", vendor.url, "well")}
${ids.length > 1 ? upstream("nobody", "http://127.0.0.1:9", "well, away") : ""}
`;
  await run({}, "migrate");
  await writeFile(file, catalog(["well"]));
  expect((await run({}, "apply", file)).code).toBe(0);
  const sound = await run({}, "doctor");
  expect([sound.code, sound.stdout]).toEqual([
    0,
    expect.stringMatching(/ok +models: 1 model, each with a price and a working upstream/),
  ]);
  await writeFile(file, catalog(["well", "away", "lonely"]));
  expect((await run({}, "apply", file)).code).toBe(0);
  const { code, stdout } = await run({}, "doctor");
  expect(code).toBe(1);
  expect(stdout).toMatch(/FAIL +model away: has no working upstream \(nobody\)\n/);
  expect(stdout).toMatch(/FAIL +model lonely: has no enabled upstream; add it to/);
  expect(stdout).not.toMatch(/FAIL +model well/);
  await vendor.close();
});

it("calls a master key file that is empty or cannot be read a failure of the master key", async () => {
  const file = join(dataDir, "master.key");
  await run({}, "migrate");
  await writeFile(file, "\n");
  const empty = await run({}, "doctor");
  expect(empty.stdout).toMatch(/ok +database: /);
  expect(empty.stdout).toMatch(/FAIL +master key: .*master\.key contains no key\. Restore it/);

  await rm(file);
  await mkdir(file);
  const folder = await run({}, "doctor");
  expect([folder.code, folder.stdout]).toEqual([
    1,
    expect.stringMatching(/FAIL +master key: .*\n\n1 check failed\./),
  ]);
});
