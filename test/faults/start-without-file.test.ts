import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { createTestDatabase } from "../support/database.ts";
import {
  runFaregate,
  type StartOptions,
  startGateway,
  TEST_KEY,
  type TestGateway,
} from "../support/gateway.ts";
import { ask } from "../support/world.ts";

const env = { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD };
const LIMITS = "endpoints: [oa], context_tokens: 128000, max_output_tokens: 16000";
const FILE = `version: 1
models: [{ id: text-large, ${LIMITS}, price: { input: 1.25, output: 10 } }]
upstreams: [{ name: real, kind: sandbox, base_url: "http://127.0.0.1:1", models: [text-large] }]
accounts: [{ name: acme, balance: 5, keys: [{ name: main, key: ${TEST_KEY} }] }]
`;

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.clean();
  gateway = undefined;
});

async function start(options: StartOptions): Promise<{ gateway: TestGateway; admin: SignedIn }> {
  const started = await startGateway({ env, ...options });
  gateway = started;
  return { gateway: started, admin: await signIn(started) };
}

/** Stops the gateway and starts another on what it leaves, without a catalog file. */
async function startAgain({ database, dataDir, end }: TestGateway): ReturnType<typeof start> {
  await end();
  return start({ dataDir, ...(database === undefined ? {} : { database }) });
}

const catalogOf = async (admin: SignedIn): Promise<string> =>
  JSON.stringify((await admin.get("/operator/catalog/file")).body);

describe("a start without FAREGATE_CONFIG", () => {
  it("serves the catalog of a file that was applied before, as it is", async () => {
    const first = await start({ catalog: FILE });
    const before = await catalogOf(first.admin);
    const again = await startAgain(first.gateway);
    expect(await catalogOf(again.admin)).toBe(before);
    const said = again.gateway.output();
    expect(said).toContain("from the database; FAREGATE_CONFIG is not set");
    expect(said).toContain("catalog of the database served; FAREGATE_CONFIG is not set");
    expect(said).not.toContain("Sandbox ");
  });

  it("goes on with the demo, and keeps prices, deletions and what was switched off", async () => {
    const first = await start({});
    const key = /API key +(\S+)/.exec(first.gateway.output())?.[1] ?? "";
    const chat = { model: "text-small", messages: [{ role: "user", content: "Hi" }] };
    const file = join(first.gateway.dataDir, "dearer.yaml");
    await writeFile(
      file,
      `version: 1\nmodels: [{ id: text-small, ${LIMITS}, price: { input: 9, output: 9 } }]\n`,
    );
    expect((await first.gateway.run("apply", file)).code).toBe(0);
    await first.gateway.database?.database.execute("delete from models where id = 'rerank-1'");

    const second = await startAgain(first.gateway);
    expect(second.gateway.output()).toContain("Sandbox ");
    expect((await ask(second.gateway.url, "/v1/chat/completions", chat, { key })).status).toBe(200);
    const served = (await ask(second.gateway.url, "/v1/models", undefined, { key })).text;
    expect(served).not.toContain("rerank-1");
    expect(await catalogOf(second.admin)).toMatch(/text-small.{0,200}input: 9/);

    const [sandbox] = (await second.admin.get("/operator/upstreams")).body.data;
    const off = await second.admin.put(`/operator/upstreams/${sandbox.id}/state`, { enabled: false });
    expect(off.status).toBe(200);
    const before = await catalogOf(second.admin);
    const third = await startAgain(second.gateway);
    expect(await catalogOf(third.admin)).toBe(before);
    expect(third.gateway.output()).not.toContain("Sandbox ");
  });
});

describe("a start that fails", () => {
  it("because its port is taken leaves the database as it was", async () => {
    const squatter = createServer().listen(0, "127.0.0.1");
    await once(squatter, "listening");
    const { port } = squatter.address() as AddressInfo;
    const database = await createTestDatabase();
    try {
      const starting = startGateway({ database, env: { ...env, PORT: String(port) } });
      await expect(starting).rejects.toThrow(`Port ${port}`);
      expect(await database.database.query("select from accounts")).toEqual([]);
      expect(await database.database.query("select from upstreams")).toEqual([]);
    } finally {
      squatter.close();
      await database.drop();
    }
  });

  it("because its catalog file is not sound makes no database and migrates none", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "faregate-start-"));
    const folder = await mkdtemp(join(tmpdir(), "faregate-file-"));
    try {
      const file = join(folder, "bad.yaml");
      const mirror = "{ kind: s3, endpoint: 'https://s3.example', bucket: 'No Bucket' }";
      await writeFile(file, `version: 1\nsettings: { mirror: ${mirror} }\n`);
      const failed = await runFaregate(
        { FAREGATE_DATA_DIR: dataDir, FAREGATE_CONFIG: file, PORT: "0" },
        "start",
      );
      expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("mirror.bucket")]);
      expect(await readdir(dataDir)).toEqual([]);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe("what a command changes", () => {
  it("stands in the audit log, with the user of the machine and without secrets", async () => {
    const { gateway: running, admin } = await start({ catalog: FILE });
    const file = join(running.dataDir, "cheaper.yaml");
    await writeFile(file, FILE.replace("input: 1.25", "input: 0.5"));
    expect((await running.run("apply", file)).code).toBe(0);
    expect((await running.run("apply", file)).code).toBe(0); // changes nothing, so it leaves nothing
    const made = await running.run("keys", "create", "--account", "acme", "--name", "ci");
    const { data } = (await admin.get("/operator/audit")).body as { data: Record<string, unknown>[] };
    const entries = data.filter(({ action }) => action === "catalog.apply" || action === "key.create");
    expect(entries.map(({ action, subject, actor }) => [action, subject, actor])).toEqual([
      ["key.create", "ci", expect.stringMatching(/^cli \(.+\)$/)],
      ["catalog.apply", "cheaper.yaml", expect.stringMatching(/^cli \(.+\)$/)],
      ["catalog.apply", "catalog.yaml", expect.stringMatching(/^start \(.+\)$/)],
    ]);
    expect(JSON.stringify(entries[1]?.["after"])).toMatch(/price.*1\.25.*0\.5/);
    expect(JSON.stringify(data)).not.toContain(made.stdout.trim());
    expect(JSON.stringify(data)).not.toContain(TEST_KEY);
    const actor = encodeURIComponent(String(entries[0]?.["actor"]));
    expect((await admin.get(`/operator/audit?actor=${actor}`)).body.data).toHaveLength(2);
    const account = admin.session.accounts[0]?.id;
    expect((await admin.get(`/accounts/${account}/audit`)).body.data).toHaveLength(1);
  });
});
