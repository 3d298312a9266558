import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { openKeyHasher } from "../accounts/key-hasher.ts";
import { createSeals } from "../base/seal.ts";
import { applyManifest, type ManifestDeps } from "./apply.ts";
import { exportManifest } from "./export.ts";
import { parseManifest } from "./file/read.ts";

let test: TestDatabase;
let deps: ManifestDeps;
beforeAll(async () => {
  test = await createTestDatabase();
  const seals = createSeals("a master key for tests of billing details");
  deps = { database: test.database, seals, hasher: await openKeyHasher(test.database, seals) };
});
afterAll(() => test.drop());

describe("billing details", () => {
  const file = (fields: string) => parseManifest(`version: 1\naccounts:\n  - name: payer\n${fields}`, {});

  it("are set, kept where the file does not name them, exported, and removed by null", async () => {
    const stated =
      "    legal_name: Payer Ltd.\n    address: |\n      1 Quay\n      Rotterdam\n    tax_id: NL123\n";
    const { rendered } = await applyManifest(deps, file(stated));
    expect(rendered).toContain('legal_name "Payer Ltd."');
    expect((await applyManifest(deps, file(""))).rendered).toBe("no changes");
    const exported = await exportManifest(deps);
    expect((await applyManifest(deps, parseManifest(exported, {}))).rendered).toBe("no changes");
    expect(exported).toContain("tax_id: NL123");
    const removed = await applyManifest(deps, file("    tax_id: null\n"));
    expect(removed.rendered).toContain("tax_id NL123 -> (unset)");
    const [{ legal_name, address, tax_id } = {} as Record<string, unknown>] = await deps.database.query<
      Record<string, unknown>
    >("select legal_name, address, tax_id from accounts where name = 'payer'");
    expect({ legal_name, address, tax_id }).toEqual({
      ...{ legal_name: "Payer Ltd.", address: "1 Quay\nRotterdam", tax_id: null },
    });
  });

  it.each([
    ['    legal_name: "two\\nlines"', "accounts[0].legal_name: must not contain control characters"],
    [`    tax_id: ${"x".repeat(101)}`, "accounts[0].tax_id: "],
    ['    address: " "', "accounts[0].address: must not be empty"],
  ])("that fit no page are refused by their field: %s", (field, message) => {
    expect(() => file(field)).toThrow(message);
  });
});
