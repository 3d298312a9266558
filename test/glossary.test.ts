import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Words that docs/glossary.md has replaced, as they would stand in a name, and where they may not. */
const RETIRED: readonly [word: string, under: RegExp][] = [
  ["purse", /^src\//],
  ["spool", /^src\//],
  ["tick", /^src\//],
  ["ticker", /^src\//],
  ["posting", /^src\/billing\//],
  ["passage", /^src\//],
  ["station", /^src\//],
  ["flight", /^src\//],
  ["roster", /^src\//],
  ["minter", /^src\//],
  ["visit", /^src\/http\//],
  ["board", /^src\/tasks\//],
  ["lanes", /^src\/tasks\//],
  ["shelf", /^src\/mirror\//],
  ["traits", /^src\//],
  ["most", /^src\//],
  ["beat", /^src\//],
  ["answer", /^src\//],
  ["thought", /^src\/(conversation|relay|routing|billing)\//],
  ["sound", /^src\//],
  ["film", /^src\//],
  ["picture", /^src\//],
  ["beholder", /^src\//],
  ["arrival", /^src\//],
  ["given", /^src\//],
  ["recall", /^src\/billing\//],
  ["look", /^src\/tasks\//],
  ["dearest", /^src\//],
  ["tell", /^src\//],
  ["told", /^src\//],
  ["apart", /^src\//],
  ["extra", /^src\/(relay|billing)\//],
  ["inner", /^src\/(relay|billing|protocols)\//],
  ["further", /^src\//],
  ["wish", /^src\//],
  ["wished", /^src\//],
  ["wishes", /^src\//],
  ["moot", /^src\//],
  ["anew", /^src\//],
  ["ladder", /^src\//],
  ["crossing", /^src\//],
  ["luck", /^src\//],
  ["riding", /^src\//],
  ["broken", /^src\//],
  ["unasked", /^src\/(relay|billing)\//],
  ["wanted", /^src\/(relay|billing|protocols|conversation|routing)\//],
  ["machine", /^src\/(protocols|conversation)\//],
  ["silent", /^src\/conversation\//],
  ["bridge", /^src\/relay\//],
  ["announcement", /^src\/relay\//],
  ["fact", /^src\/(relay|protocols)\//],
  ["tally", /^src\/(relay|billing|protocols|routing|tasks)\//],
  ["trouble", /^src\/routing\//],
  ["mint", /^src\//],
  ["note", /^src\/(protocols|relay|tasks)\//],
  ["weight", /^src\/(conversation|protocols)\//],
  ["rider", /^src\/conversation\//],
  ["stray", /^src\/conversation\//],
  ["neighbour", /^src\/conversation\//],
  ["keeper", /^src\/relay\//],
  ["untagged", /^src\/relay\//],
];

/** Words that no metric, no field of an API and no local name may have either. */
const RETIRED_EVERYWHERE = /(?<![A-Za-z])(stations?|upkeep|minting|minted|pictures?|whitelist)(?![a-z])/gi;
const RETIRED_IN_METRICS = ["answer", "station", "spool", "tick", "purse", "passage", "posting"];

describe("the glossary", () => {
  it("names files and folders that are there", () => {
    const rows = readFileSync(join(root, "docs/glossary.md"), "utf8").match(/^\| .* \|$/gm) ?? [];
    const places = rows.flatMap(
      (row) =>
        row
          .split("|")
          .at(-2)
          ?.match(/`[^`]+`/g) ?? [],
    );
    expect(places.length).toBeGreaterThan(30);
    const missing = places
      .map((place) => place.slice(1, -1))
      .filter((place) => !existsSync(join(root, "src", place)) && !existsSync(join(root, place)));
    expect(missing).toEqual([]);
  });

  it("has retired words that no file and no exported name uses", () => {
    const names = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts"))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .flatMap((file) => {
        const exported = readFileSync(join(root, file), "utf8").matchAll(EXPORTED);
        return [file, ...[...exported].map(([, name]) => `${file}#${name}`)];
      });
    const used = names.filter((name) => {
      const words = wordsOf(name.split(/[/#]/).at(-1) ?? "");
      return RETIRED.some(([word, under]) => under.test(name) && words.includes(word));
    });
    expect(used).toEqual([]);
  });
});

describe("what callers and operators read", () => {
  const sources = ["src", "dashboard/src"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /(?<!\.test)\.tsx?$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  );

  it("has no retired word in fields of the console, in local names, in comments, in the example and in names of pages", () => {
    const files = [...sources, "faregate.example.yaml", "AGENTS.md"];
    const used = files.flatMap((file) =>
      (readFileSync(join(root, file), "utf8").match(RETIRED_EVERYWHERE) ?? []).map(
        (word) => `${file}: ${word}`,
      ),
    );
    expect(used).toEqual([]);
    const pages = sources.filter((file) =>
      /^dashboard\/src\/pages\/.*\b(people|minting|station)\b/.test(dirname(file)),
    );
    expect(pages).toEqual([]);
  });

  it("has no retired word in the name of a metric", () => {
    const metrics = sources.flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(METRIC)].map(([, name = ""]) => name),
    );
    expect(metrics.length).toBeGreaterThan(9);
    const documented =
      readFileSync(join(root, "docs/operations.md"), "utf8").match(/faregate_[a-z_]+/g) ?? [];
    const used = [...metrics, ...documented].filter((name) =>
      name.split("_").some((word) => RETIRED_IN_METRICS.includes(word)),
    );
    expect(used).toEqual([]);
  });
});

/** The name of a counter, a gauge or a histogram, wherever it is declared. */
const METRIC = /\.(?:counter|gauge|histogram)s?\(\s*"([a-z_]+)"/g;

describe("the schema", () => {
  it("has no retired word in its names and comments", () => {
    const folder = join(root, "migrations");
    const used = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".sql"))
      .map((entry) => join(entry.parentPath, entry.name))
      .flatMap((file) =>
        (readFileSync(file, "utf8").match(RETIRED_IN_SQL) ?? []).map(
          (word) => `${relative(root, file)}: ${word}`,
        ),
      );
    expect(used).toEqual([]);
  });
});

/** Also as a part of a name, such as tick_spool. */
const RETIRED_IN_SQL =
  /(?<![a-z])(spool|tick|purse|recall|recalled|rounds|begin_line|end_line|picture|pictures|film|house)(?![a-z])/gi;

const EXPORTED = /^export (?:async )?(?:class|interface|type|function|const) (\w+)/gm;

/** The words of a name in any case; what flies is still in flight. */
function wordsOf(name: string): readonly string[] {
  const words = name.replace(/[Ii]n-?[Ff]light|IN_FLIGHT/g, "").match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
  return words.map((word) => word.toLowerCase().replace(/s$/, "")).flatMap((word) => [word, `${word}s`]);
}
