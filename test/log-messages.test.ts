import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = readdirSync(`${root}src`, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
);
const page = readFileSync(`${root}docs/log-messages.md`, "utf8");

interface Line {
  readonly file: string;
  readonly level: string;
  /** undefined = the code puts it together, so that nobody can search for it. */
  readonly message: string | undefined;
}

const LEVELS = /^(trace|debug|info|warn|error|fatal)$/;
const isDocumented = ({ level }: Line): boolean => /^(warn|error|fatal)$/.test(level);
const lines = sources.flatMap(linesOf);

describe("log messages", () => {
  it("are fixed texts, with everything that varies in fields", () => {
    expect(lines.length).toBeGreaterThan(100);
    expect(lines.filter(({ message }) => message === undefined)).toEqual([]);
  });

  it("begin with the thing that the line is about, without an article", () => {
    expect(
      lines.filter(({ message = "" }) => /^(an?|the|some|every|what|how|whether) /i.test(message)),
    ).toEqual([]);
  });

  it("of warn and above are on docs/log-messages.md, one entry each", () => {
    const entries = [...page.matchAll(/^- `([^`]+)`/gm)].map(([, message]) => message ?? "");
    expect(entries).toEqual([...new Set(entries)]);
    const logged = new Set(lines.filter(isDocumented).map(({ message }) => message ?? ""));
    expect(entries.toSorted()).toEqual([...logged].toSorted());
  });
});

function linesOf(file: string): Line[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(`${root}src/${file}`, "utf8"),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: Line[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.arguments.length === 2) {
      const { expression, arguments: given } = node;
      if (ts.isPropertyAccessExpression(expression) && /\blog$/.test(expression.expression.getText())) {
        const level = expression.name.text;
        if (LEVELS.test(level))
          for (const message of textsOf(source, given[1] as ts.Expression))
            found.push({ file, level, message });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The texts that an expression can have: a literal, a choice, a constant, a row of a table, or what callers pass. */
function textsOf(source: ts.SourceFile, given: ts.Expression): (string | undefined)[] {
  if (ts.isStringLiteralLike(given)) return [given.text];
  if (ts.isAsExpression(given)) return textsOf(source, given.expression);
  if (ts.isConditionalExpression(given))
    return [given.whenTrue, given.whenFalse].flatMap((each) => textsOf(source, each));
  if (ts.isObjectLiteralExpression(given))
    return given.properties.flatMap((each) =>
      ts.isPropertyAssignment(each) ? textsOf(source, each.initializer) : [undefined],
    );
  if (ts.isElementAccessExpression(given) || ts.isPropertyAccessExpression(given))
    return textsOf(source, given.expression);
  if (!ts.isIdentifier(given)) return [undefined];
  const passed = passedAs(source, given);
  if (passed !== undefined) return passed.flatMap((each) => textsOf(source, each));
  const value = find(source, (node) =>
    ts.isVariableDeclaration(node) && node.name.getText() === given.text ? node.initializer : undefined,
  );
  return value.length === 0 ? [undefined] : value.flatMap((each) => textsOf(source, each));
}

/** What this file's calls pass for a parameter, and its default; undefined = it is no parameter. */
function passedAs(source: ts.SourceFile, name: ts.Identifier): ts.Expression[] | undefined {
  for (let scope: ts.Node = name; scope !== source; scope = scope.parent) {
    if (!ts.isFunctionLike(scope)) continue;
    const at = scope.parameters.findIndex((each) => each.name.getText() === name.text);
    if (at === -1) continue;
    const called = scope.name?.getText() ?? "";
    const passed = find(source, (node) =>
      ts.isCallExpression(node) && node.expression.getText().replace(/^this\./, "") === called
        ? node.arguments[at]
        : undefined,
    );
    const byDefault = scope.parameters[at]?.initializer;
    return byDefault === undefined ? passed : [...passed, byDefault];
  }
  return undefined;
}

function find(source: ts.SourceFile, pick: (node: ts.Node) => ts.Expression | undefined): ts.Expression[] {
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    const picked = pick(node);
    if (picked !== undefined) found.push(picked);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
