import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { dumpSchema, SCHEMA_DUMP } from "../../test/support/schema-dump.ts";
import { PACKAGE_FILES } from "../base/package-files.ts";
import { readFunctions } from "./migrator.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

describe("the schema", () => {
  it("is the committed dump: `npm run docs:schema` writes it anew", async () => {
    expect(await dumpSchema(test.database)).toBe(readFileSync(SCHEMA_DUMP, "utf8"));
  });

  it("has each function of a file of that name, and no other", async () => {
    const { all } = await readFunctions(PACKAGE_FILES.migrations);
    const rows = await test.database.query<{ name: string }>(
      "select proname::text as name from pg_proc where pronamespace = current_schema()::regnamespace",
    );
    expect(rows.map(({ name }) => name).sort()).toEqual(all.map(({ name }) => name).sort());
    const declared = all.flatMap(({ text }) => [...text.matchAll(/^create or replace function (\w+)\(/gm)]);
    expect(declared.map(([, name]) => name).sort()).toEqual(all.map(({ name }) => name).sort());
  });
});
