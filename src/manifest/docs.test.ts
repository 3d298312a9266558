import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseManifest } from "./read.ts";

const PAGES = ["README.md", "docs/moving.md"];

it.each(PAGES)("each whole catalog file in %s is valid", (page) => {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block]) => block ?? "");
  const files = blocks.filter((block) => /^version: 1$/m.test(block));
  expect(files).not.toEqual([]);
  for (const file of files) {
    const names = [...file.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name ?? "");
    const env = Object.fromEntries(names.map((name) => [name, `sk-a-secret-called-${name}`]));
    expect(parseManifest(file, env, page).models).not.toEqual([]);
  }
});
