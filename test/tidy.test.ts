import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { LONGEST } from "./support/longest-first.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = [...files("src"), ...files("sandbox/src"), ...files("dashboard/src")];
const production = sources.filter((file) => file.startsWith("src/") && !file.endsWith(".test.ts"));

/** Style that a reviewer should never have to say: each rule fails here, naming the place. */
describe("tidy", () => {
  it("keeps every file within 400 lines", () => {
    expect(sources.filter((file) => text(file).split("\n").length > 400)).toEqual([]);
  });

  it("names files in kebab-case and without banned words", () => {
    const banned = /\b(convert|manager|helper|helpers|util|utils|common|misc)\b/;
    const wrong = sources.filter((file) => {
      const name = file.split("/").at(-1) ?? "";
      return !/^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.tsx?$/.test(name) || banned.test(name.replaceAll("-", " "));
    });
    expect(wrong).toEqual([]);
  });

  it("cites only translation rules that docs/translation-rules.md lists", () => {
    const listed = new Set([...text("docs/translation-rules.md").matchAll(/^(\d+)\. /gm)].map(([, n]) => n));
    expect(listed.size).toBe(43);
    const cited = [...files("src"), ...files("test")].flatMap((file) =>
      [...text(file).matchAll(/\(rules? ([\d, and]+)\)/g)].flatMap(([, numbers = ""]) =>
        (numbers.match(/\d+/g) ?? []).map((number) => ({ file, number })),
      ),
    );
    expect(cited.length).toBeGreaterThan(100);
    expect(cited.filter(({ number }) => !listed.has(number))).toEqual([]);
  });

  it("names in its comments only files that exist", () => {
    const known = new Set([...files("src"), ...files("test"), ...files("sandbox"), ...files("dashboard")]);
    const ends = new Set(
      [...known].flatMap((file) => file.split("/").map((_, at, parts) => parts.slice(at).join("/"))),
    );
    const named = sources.flatMap((file) =>
      [...text(file).matchAll(/^\s*(?:\/\/|\/?\*).*$/gm)].flatMap(([comment]) =>
        [...comment.matchAll(/`([a-z0-9-]+(?:\/[a-z0-9-]+)*(?:\.test)?\.tsx?)`/g)].map(([, name = ""]) => ({
          file,
          name,
        })),
      ),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ name }) => !ends.has(name))).toEqual([]);
  });

  it("declares no function with a banned verb", () => {
    const banned = /\bfunction (convert|manage)[A-Z(]/;
    expect(places(production, banned)).toEqual([]);
  });

  it("opens each single door in one place", () => {
    const doors: [name: string, pattern: RegExp, allowed: RegExp][] = [
      ["time", /\b(Date\.now|performance\.now|new Date\(\))/, /^src\/base\/clock\.ts$/],
      [
        "randomness",
        /\b(Math\.random|randomBytes|randomInt|randomUUID|getRandomValues)\b/,
        /^src\/base\/(random|seal)\.ts$/,
      ],
      ["environment", /process\.env\b/, /^src\/config\.ts$/],
      ["sql", /\.query\(|\bsql`/, /(-store\.ts$|^src\/storage\/)/],
      [
        "upstream calls",
        /\bfetch\(|\.dispatch\(/,
        /^src\/(upstreams\/(transport\/|one-request)|base\/fetch\/safe-fetch)/,
      ],
      ["callers' URLs", /from "node:(dns|https)/, /^src\/base\/fetch\/safe-fetch\.ts$/],
      // A bundle has all modules in one folder: what is looked for beside one of them would not be found from there.
      [
        "files of the package",
        /\bimport\.meta\b/,
        /^src\/(base\/(package-files|async\/worker-pool|json\/large-json)|http\/body\/body-codings|relay\/(mode\/(response-reader|translator)|settle\/token-counts)|reconcile\/reconcile-thread|storage\/embedded\/installation)\.ts$/,
      ],
      // Each costs two hundred bytes beside its own and keeps the read that brought it: small ones are packed.
      ["chunks that strangers send", /\b(chunks|waiting)\.push\(chunk\b/, /^src\/base\/pack-chunk\.ts$/],
      ["console", /\bconsole\.(log|info|warn|error|debug|trace|dir|table)\b/, /^src\/cli\//],
    ];
    for (const [name, pattern, allowed] of doors) {
      const outside = production.filter((file) => !allowed.test(file));
      expect(places(outside, pattern), name).toEqual([]);
    }
  });

  it("puts no getter on an object literal: each such object costs a hidden class that only a full collection frees", () => {
    expect(places(production, /^ {4,}get \w+\(\)/m)).toEqual([]);
  });

  it("spreads no condition and no literal into an object: a field that may be absent is assigned, and may be undefined", () => {
    const among = production.filter((file) => /\.\.\.\s*[({]/.test(text(file)));
    expect(among.flatMap(conditionalSpreads)).toEqual([]);
  });

  it("spreads no list into `push`: callers write longer lists than a call takes arguments (`base/append-all.ts`)", () => {
    const allowed = /^(dashboard|sandbox)\/|append-all\.ts$/;
    const inside = production.filter((file) => !allowed.test(file));
    expect(places(inside, /\.(push|unshift)\(\.\.\./)).toEqual([]);
  });

  it("has no barrel, no default export and no note left behind", () => {
    expect(sources.filter((file) => file.endsWith("/index.ts"))).toEqual([]);
    expect(places(production, /^export default /m)).toEqual([]);
    expect(places(sources, /\b(TODO|FIXME|XXX|HACK)\b/)).toEqual([]);
  });

  it("keeps an Unreleased section in the changelog", () => {
    expect(text("CHANGELOG.md")).toMatch(/^## \[?Unreleased\]?$/m);
  });

  it("names only files and folders that exist, in the documentation and in the READMEs of src", () => {
    const readmes = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith("README.md"))
      .map((file) => `src/${file}`);
    const docs = readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md"));
    const pages = [
      "README.md",
      "AGENTS.md",
      "dashboard/README.md",
      ...docs.map((file) => `docs/${file}`),
      ...readmes,
    ];
    const named = pages.flatMap((page) =>
      [...text(page).matchAll(/`(\w[\w.-]*(?:\/[\w.-]+)*\/?)`/g)].map(([, path = ""]) => ({ page, path })),
    );
    expect(named.length).toBeGreaterThan(500);
    // What a build writes need not be there.
    const written = named.filter(({ path }) => !/(^|\/)dist(\/|$)/.test(path));
    expect(written.filter(({ page, path }) => !isFound(page, path))).toEqual([]);
  });

  it("links in the documentation only to pages that exist, and to headings that they have", () => {
    const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md"))
      .map((file) => `docs/${file}`);
    const linked = ["README.md", "AGENTS.md", "CHANGELOG.md", ...docs].flatMap((page) =>
      [...text(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, path = "", anchor]) => ({
        page,
        target: path === "" ? page : join(dirname(page), path),
        anchor,
      })),
    );
    expect(linked.filter(({ anchor }) => anchor !== undefined).length).toBeGreaterThan(50);
    const broken = linked.filter(
      ({ target, anchor }) =>
        !existsSync(join(root, target)) ||
        (anchor !== undefined && !anchorsOf(text(target)).includes(anchor)),
    );
    expect(broken).toEqual([]);
  });

  it("names in each README of src every source file beside it", () => {
    const readmes = files("src", /^README\.md$/);
    expect(readmes.length).toBeGreaterThan(40);
    const missing = readmes.flatMap((readme) => {
      const page = text(readme);
      return production
        .filter((file) => dirname(file) === dirname(readme) && !page.includes(`\`${basename(file)}\``))
        .map((file) => `${readme}: ${basename(file)}`);
    });
    expect(missing).toEqual([]);
  });

  it("begins with test files that are there", () => {
    expect(LONGEST.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it("numbers migrations without a gap", () => {
    const names = readdirSync(join(root, "migrations"))
      .filter((name) => name !== "functions")
      .sort();
    names.forEach((name, index) => {
      expect(name).toMatch(new RegExp(`^${String(index + 1).padStart(6, "0")}_[a-z_]+\\.sql$`));
    });
  });
});

function files(folder: string, ending = /\.tsx?$/): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && ending.test(entry.name) && !entry.parentPath.includes("node_modules"),
    )
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** A path of this repository, of src or beside the page; the bare name of a source file is one that is anywhere. */
function isFound(page: string, path: string): boolean {
  const [first = ""] = path.split("/");
  const isSource = /\.tsx?$/.test(path);
  const begins = [".", "src", dirname(page)].filter((folder) => existsSync(join(root, folder, first)));
  if (!path.includes("/"))
    return !isSource || begins.length > 0 || sources.some((file) => file.endsWith(`/${path}`));
  if (begins.length === 0) return !isSource;
  return begins.some((folder) => existsSync(join(root, folder, path)));
}

function text(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

/** `file:line` of each spread in an object of `cond ? { a } : {}`, `cond && { a }` or `{ a, b }`. */
function conditionalSpreads(file: string): string[] {
  const source = ts.createSourceFile(file, text(file), ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isSpreadAssignment(node) && isTrick(node.expression)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push(`${file}:${line + 1}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isTrick(spread: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(spread)) return isTrick(spread.expression);
  return (
    ts.isConditionalExpression(spread) ||
    ts.isBinaryExpression(spread) ||
    ts.isObjectLiteralExpression(spread)
  );
}

/** `file:line` of each match outside comments. */
function places(among: readonly string[], pattern: RegExp): string[] {
  return among.flatMap((file) =>
    text(file)
      .split("\n")
      .flatMap((line, index) =>
        pattern.test(line) && !/^\s*(\/\/|\*|\/\*)/.test(line) ? [`${file}:${index + 1}`] : [],
      ),
  );
}

/** Of each heading the anchor that GitHub makes of it: lower case, without punctuation, hyphens for spaces. */
function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}
