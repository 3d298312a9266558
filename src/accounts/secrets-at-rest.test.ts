import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { createSeals } from "../base/seal.ts";
import { UPSTREAM_DEFAULTS, upsertUpstream } from "../catalog/upstreams-store.ts";
import { upsertAccount } from "./accounts-store.ts";
import { generateKey } from "./key-form.ts";
import { openKeyHasher } from "./key-hasher.ts";
import { createKey, rotateKey } from "./keys-store.ts";
import { announceMasterKey } from "./master-key-store.ts";

const MASTER = "the master key of this test";
const NEXT = "the next master key of this test";
let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

/** Every row of every table as text: what a dump shows. */
async function dump(): Promise<string> {
  const tables = await test.database.query<{ name: string }>(
    "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  );
  const rows = [];
  for (const { name } of tables) {
    rows.push(...(await test.database.query<{ text: string }>(`select t::text as text from ${name} t`)));
  }
  return rows.map(({ text }) => text).join("\n");
}

it("a dump of the whole database holds no API key, no vendor's key and no master key, in any coding", async () => {
  const seals = createSeals(MASTER);
  const hasher = await openKeyHasher(test.database, seals);
  const { id: accountId } = await upsertAccount(test.database, { name: "acme", group: "default" });
  const secrets = [
    generateKey(),
    generateKey(),
    "a-fixed-key-of-the-file",
    "vendor-secret-0123456789",
    NEXT,
    MASTER,
  ];
  const [first = "", second = "", fixed = "", vendor = ""] = secrets;
  const id = await createKey(test.database, hasher, { accountId, name: "generated", credential: first });
  await rotateKey(test.database, hasher, { id, credential: second, oldUntil: new Date(0) });
  await createKey(test.database, hasher, {
    accountId,
    name: "fixed",
    credential: fixed,
    reference: "ACME_KEY",
  });
  await upsertUpstream(test.database, seals, {
    ...UPSTREAM_DEFAULTS,
    name: "main",
    kind: "openai",
    baseUrl: "https://api.example/v1",
    models: new Map(),
    credentials: [{ name: "1", secret: vendor, reference: "OPENAI_API_KEY", enabled: true }],
  });
  await announceMasterKey(test.database, MASTER, NEXT);

  const text = await dump();
  expect(text).toContain("OPENAI_API_KEY"); // it is the dump indeed
  expect(text).toContain(hasher.hash(fixed).toString("hex"));
  for (const secret of secrets) {
    const bytes = Buffer.from(secret);
    for (const coded of [
      secret,
      secret.slice(3, -6),
      bytes.toString("hex"),
      bytes.toString("base64url").slice(0, -2),
    ]) {
      expect(text).not.toContain(coded);
    }
  }
});
