import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { UPSTREAM_DEFAULTS } from "../catalog/upstreams-store.ts";
import { KIND_NAMES, kindOf } from "../upstreams/kinds.ts";
import { PRESET_NAMES, presetOf } from "../upstreams/vendor-presets.ts";
import { parseManifest } from "./file/read.ts";
import { standInFor } from "./file/stand-ins.ts";

const PAGES = ["README.md", "docs/moving.md", "docs/vendors.md"];

it.each(PAGES)("each whole catalog file in %s is valid", (page) => {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block]) => block ?? "");
  const files = blocks.filter((block) => /^version: 1$/m.test(block));
  expect(files).not.toEqual([]);
  for (const file of files) {
    expect(parseManifest(file, {}, page, { kept: standInFor }).models).not.toEqual([]);
  }
});

const root = new URL("../../", import.meta.url);
const written = ["README.md", ...readdirSync(new URL("docs", root)).map((name) => `docs/${name}`)];
const fits = new Ajv2020({ strict: false, validateFormats: false }).compile(
  JSON.parse(readFileSync(new URL("faregate.schema.json", root), "utf8")) as object,
);
const faultsOf = (file: string): unknown => (fits(parse(file)) ? [] : fits.errors);

it.each(written.filter((page) => page.endsWith(".md")))("editors accept each catalog file in %s", (page) => {
  const text = readFileSync(new URL(page, root), "utf8");
  for (const [, block = ""] of text.matchAll(/^```yaml\n(.*?)^```$/gms))
    if (/^version: 1$/m.test(block)) expect(faultsOf(block)).toEqual([]);
});

it("editors accept faregate.example.yaml", () => {
  expect(faultsOf(readFileSync(new URL("faregate.example.yaml", root), "utf8"))).toEqual([]);
});

it("docs/catalog-file.md says which protocols each kind speaks, and the defaults", () => {
  const text = readFileSync(new URL("../../docs/catalog-file.md", import.meta.url), "utf8");
  const [, table = ""] = /### Kinds of upstreams for text\n([^#]*)/.exec(text) ?? [];
  const told = new Map<string, string[]>();
  for (const line of table.split("\n")) {
    const [, kinds = "", protocols = ""] = line.split("|");
    const own = protocols.split(";")[0] ?? "";
    for (const [, kind = ""] of kinds.matchAll(/`([\w-]+)`/g))
      told.set(
        kind,
        [...own.matchAll(/`([\w-]+)`/g)].map(([, protocol = ""]) => protocol),
      );
  }
  const spoken = KIND_NAMES.map((name): [string, string[]] => [name, [...(kindOf(name)?.protocols ?? [])]]);
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(spoken.filter(([, list]) => list.length > 0)));
  const { priority, weight, maxConcurrency } = UPSTREAM_DEFAULTS;
  expect(text).toContain(`tried first, default \`${priority}\``);
  expect(text).toContain(`within one priority, default \`${weight}\``);
  expect(text).toContain(`per process; default \`${maxConcurrency}\``);
});

it("docs/vendors.md has a row for each preset", () => {
  const text = readFileSync(new URL("../../docs/vendors.md", import.meta.url), "utf8");
  const rows = PRESET_NAMES.map((name) => {
    const { baseUrl = "", protocols = [], needsKey, keysUrl, source = "" } = presetOf(name) ?? {};
    const required = keysUrl === undefined ? "required" : `[required](${keysUrl})`;
    const words = protocols.map((protocol) => `\`${protocol}\``).join(", ");
    return `| [\`${name}\`](${source}) | \`${baseUrl}\` | ${words} | ${needsKey ? required : "optional"} |`;
  });
  expect(text.split("\n").filter((line) => line.startsWith("| [`"))).toEqual(rows);
});
