import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateKey } from "../../src/accounts/key-form.ts";
import { complaints } from "../support/complaints.ts";
import { runSql } from "../support/embedded.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { ask } from "../support/world.ts";

describe("A5, generated keys", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  let databaseUrl: string;
  beforeAll(async () => {
    vendor = await vendorUpstream();
    gateway = await startGateway({
      catalog: modelsFile({ models: ["text", "other"], upstreams: [{ name: "vendor", url: vendor.url }] }),
      env: { LOG_LEVEL: "trace" },
    });
    databaseUrl = gateway.database?.url ?? "";
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  const create = async (...options: string[]): Promise<string> => {
    const result = await gateway.run("keys", "create", "--account", "acme", ...options);
    expect([result.code, complaints(result)]).toEqual([0, []]);
    return result.stdout.trim();
  };

  it("have the form sk- and 48 characters, no two alike, and work at once", async () => {
    const keys = await Promise.all([create(), create("--name", "ci"), create("--models", "text")]);
    for (const key of keys) {
      expect(key).toMatch(/^sk-[0-9A-Za-z]{48}$/);
      expect((await ask(gateway.url, "/v1/models", undefined, { key })).status).toBe(200);
    }
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("are named key-1, key-2 ... however many are made at once", async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, () => create()));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("carry a checksum: no single slip of the keyboard gives another key", async () => {
    const key = await create();
    for (let at = 3; at < key.length; at += 1) {
      const wrong = `${key.slice(0, at)}${key[at] === "a" ? "b" : "a"}${key.slice(at + 1)}`;
      const reply = await ask(gateway.url, "/v1/models", undefined, { key: wrong });
      expect([at, reply.status]).toEqual([at, 401]);
    }
    const stranger = await ask(gateway.url, "/v1/models", undefined, { key: generateKey() });
    expect(stranger.status).toBe(401);
  });

  it("stand nowhere in the database, in the log or in an export, whole or in part", async () => {
    const key = await create("--name", "canary");
    expect((await ask(gateway.url, "/v1/models", undefined, { key })).status).toBe(200);
    expect((await ask(gateway.url, "/v1/models", undefined, { key: `${key}x` })).status).toBe(401);
    expect((await ask(gateway.url, `/v1beta/models?key=${key}`)).status).toBe(401); // two keys of one account
    const exported = await gateway.run("export");
    expect(exported.code).toBe(0);
    const secrets = [key, TEST_KEY].flatMap((each) => [
      ...[each, Buffer.from(each).toString("hex"), Buffer.from(each).toString("base64").replace(/=+$/, "")],
      // Both ends are shown as a hint; what lies between would be the key.
      each.slice(9, -5),
    ]);
    const dump = await dumpOf(databaseUrl);
    for (const text of [dump, gateway.output(), exported.stdout, exported.stderr]) {
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    }
    expect(dump).toContain("canary");
  });

  it("refuse a second key of the same name, an unknown account and an unknown model", async () => {
    for (const [options, code, sentence] of [
      [["--account", "acme", "--name", "test"], 1, /already has a key named "test"/],
      [["--account", "nobody"], 1, /there is no account "nobody"/],
      [["--account", "acme", "--models", "text,nothing"], 1, /there is no model "nothing"/],
      [[], 2, /missing option --account NAME/],
    ] as const) {
      const result = await gateway.run("keys", "create", ...options);
      expect([result.code, result.stdout]).toEqual([code, ""]);
      expect(complaints(result)).toEqual([expect.stringMatching(sentence)]);
    }
  });
});

/** Every row of every table as text, bytes in hex. */
async function dumpOf(url: string): Promise<string> {
  const tables = await runSql(
    url,
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  );
  let dump = "";
  for (const { name } of tables) {
    const rows = await runSql(url, `select t::text as row from ${name} t`);
    dump += `${name}\n${rows.map(({ row }) => row).join("\n")}\n`;
  }
  return dump;
}
