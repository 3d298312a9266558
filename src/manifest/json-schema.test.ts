import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { catalogFileJsonSchema } from "./json-schema.ts";
import { readManifest } from "./read.ts";

const root = new URL("../../", import.meta.url);

// After a change of the schema: npx vitest run --project unit src/manifest/json-schema.test.ts -u
it("faregate.schema.json is what the validating code says", async () => {
  await expect(catalogFileJsonSchema()).toMatchFileSnapshot("../../faregate.schema.json");
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

it("the example file is valid and points editors to the schema", async () => {
  const file = new URL("faregate.example.yaml", root);
  const text = await readFile(file, "utf8");
  expect(text.split("\n")[0]).toBe("# yaml-language-server: $schema=./faregate.schema.json");
  const variables = [...text.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => name ?? "");
  const env = Object.fromEntries(variables.map((name) => [name, `sk-a-secret-called-${name}`]));
  const manifest = await readManifest(file.pathname, env);
  expect(manifest.models.map(({ id }) => id)).toContain("text-large");
  expect(manifest.upstreams.length).toBeGreaterThan(2);
});
