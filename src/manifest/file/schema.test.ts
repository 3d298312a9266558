import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { decodeSettings } from "../../catalog/settings.ts";
import { parseManifest } from "./read.ts";
import { catalogFileJsonSchema } from "./schema.ts";
import { key } from "./schema-accounts.ts";
import { standInFor } from "./stand-ins.ts";

/** A file of authorities that exists. */
const CA_FILE = fileURLToPath(new URL("../../../test/support/certificates/ca.pem", import.meta.url));

const root = new URL("../../../", import.meta.url);

// After a change of the schema: npx vitest run --project unit src/manifest/file/schema.test.ts -u
it("faregate.schema.json is what the validating code says", async () => {
  await expect(catalogFileJsonSchema()).toMatchFileSnapshot("../../../faregate.schema.json");
});

it("describes every field for editors", () => {
  const undescribed: string[] = [];
  const visit = (node: Record<string, unknown>, path: string): void => {
    for (const [name, field] of Object.entries((node["properties"] ?? {}) as Record<string, object>)) {
      const inner = field as Record<string, unknown>;
      const items = (inner["items"] ?? inner) as Record<string, unknown>;
      const described = inner["description"] ?? items["description"];
      // These say all by their name.
      if (!described && !SELF_EVIDENT.has(name)) undescribed.push(`${path}.${name}`);
      visit(items, `${path}.${name}`);
    }
  };
  visit(JSON.parse(catalogFileJsonSchema()) as Record<string, unknown>, "");
  expect(undescribed).toEqual([]);
});

it("has every setting, and every key of the other sections, in docs/catalog-file.md", async () => {
  const page = await readFile(new URL("docs/catalog-file.md", root), "utf8");
  const missing: string[] = [];
  const visit = (node: Record<string, unknown>): void => {
    for (const [name, field] of Object.entries((node["properties"] ?? {}) as Record<string, object>)) {
      if (!new RegExp(`\\b${name}\\b`).test(page)) missing.push(name);
      visit(((field as Record<string, unknown>)["items"] ?? field) as Record<string, unknown>);
    }
  };
  visit(JSON.parse(catalogFileJsonSchema()) as Record<string, unknown>);
  expect(missing).toEqual([]);
});

it("has no pattern that readers outside JavaScript cannot compile", () => {
  expect(catalogFileJsonSchema()).not.toMatch(/\\[pP]\{/);
});

const SELF_EVIDENT = new Set([
  "name",
  "image",
  "video",
  "kind",
  "requests_per_minute",
  "tokens_per_minute",
  "concurrency",
  "balance_waiting",
  "balance_wait_ms",
  "tasks_per_model",
]);

describe("the example file", () => {
  const file = new URL("faregate.example.yaml", root);
  const readAll = (text: string) => {
    // Those within a longer value; all others may be documents.
    const names = [...text.matchAll(/[^\s"]\$\{([A-Z_]+)\}/g)].map(([, name]) => name ?? "");
    const env = Object.fromEntries(names.map((name) => [name, `sk-a-secret-called-${name}`]));
    return parseManifest(text, env, "faregate.yaml", { kept: standInFor });
  };

  it("is valid and points editors to the schema", async () => {
    const text = await readFile(file, "utf8");
    expect(text.split("\n")[0]).toBe("# yaml-language-server: $schema=./faregate.schema.json");
    const manifest = readAll(text);
    expect(manifest.models.map(({ id }) => id)).toContain("text-large");
    expect(manifest.upstreams.length).toBeGreaterThan(2);
  });

  it("states defaults where it says so", async () => {
    const { settings } = readAll(await readFile(file, "utf8"));
    expect(decodeSettings(settings)).toEqual(decodeSettings({}));
  });

  it("names every key of the schema, as a value or behind a #", async () => {
    const text = await readFile(file, "utf8");
    const missing = keysOf(JSON.parse(catalogFileJsonSchema())).filter(
      (key) => !new RegExp(`(^|[ {])${key}:`, "m").test(text),
    );
    expect(missing).toEqual([]);
  });

  it("is valid with what stands behind a # too", async () => {
    const text = await readFile(file, "utf8");
    // If two lines have one key, the one behind the # counts.
    const lines = text.split("\n");
    const shown = lines.flatMap((line, index) => {
      const key = /^ *(\w+:)/.exec(line)?.[1];
      if (key !== undefined && lines[index + 1]?.trimStart().startsWith(`# ${key}`)) return [];
      return [line.replace(/^( +)# (?= *[a-z_]+:)/, "$1")];
    });
    const { models, settings } = readAll(shown.join("\n").replace("/etc/ssl/private-ca.pem", CA_FILE));
    expect(Object.keys(models[0]?.quirks ?? {}).length).toBeGreaterThan(20);
    expect(settings).toMatchObject({ mirror: { kind: "s3" }, foreign_ids: "refuse" });
  });
});

/** Every key that a file may have, at any depth. */
function keysOf(node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  const { properties } = node as { properties?: unknown };
  const own = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  return [...own, ...Object.values(node).flatMap(keysOf)];
}

it("a key of the catalog file ends in a year that an export gives back", () => {
  const faultOf = (expires_at: string) =>
    key.safeParse({ name: "ci", key: "0123456789abcdef", expires_at }).error?.issues[0]?.message ?? "";
  expect(faultOf("9999-12-31T23:59:59Z")).toBe("");
  for (const at of ["9999-12-31T23:59:59-08:00", "0000-01-01T00:00:00+05:00"])
    expect(faultOf(at)).toContain("four digits in UTC");
  expect(faultOf("soon")).toContain("must be a time with its zone");
});
