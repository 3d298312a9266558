import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Family } from "./family.ts";
import type { Field } from "./field.ts";
import { FAMILIES } from "./table.ts";

const page = readFileSync(new URL("../../docs/media.md", import.meta.url), "utf8");

/** A row of the page's table for a field; `fields` are those of every variant, in the variants' order. */
function row(name: string, fields: readonly Field[]): string {
  const alias = fields[0]?.alias;
  const names = alias === undefined ? `\`${name}\`` : `\`${name}\`, \`${alias}\``;
  const needed = fields[0]?.required ? "required" : each(fields, byDefault);
  return `| ${names} | ${each(fields, values)} | ${needed} | ${fields[0]?.about} |`;
}

/** What is said of a field: once where all variants agree. */
function each(fields: readonly Field[], say: (field: Field) => string): string {
  return [...new Set(fields.map(say))].join("; ");
}

function values(field: Field): string {
  switch (field.type) {
    case "text": {
      const most = field.maxCharacters?.toLocaleString("en");
      return most === undefined ? "text" : `text, ${field.cut ? "cut at" : "at most"} ${most} characters`;
    }
    case "choice":
      return field.values.map((word) => `\`${word}\``).join(" ") + (field.anyCase ? ", in any case" : "");
    case "whole": {
      const also = field.also === undefined ? "" : ` or ${field.also}`;
      const bounded = Number.isSafeInteger(field.most) && field.most < Number.MAX_SAFE_INTEGER;
      return bounded ? `${field.least} to ${field.most}${also}` : "a whole number";
    }
    case "flag":
      return "true or false";
    case "url":
      return "a public URL";
    case "urls":
      return `URLs${field.most === undefined ? "" : `, at most ${field.most}`}`;
    case "objects":
      return `objects${field.most === undefined ? "" : `, at most ${field.most}`}`;
  }
}

function byDefault(field: Field): string {
  return "byDefault" in field && field.byDefault !== null ? `\`${field.byDefault}\`` : "";
}

function tableOf(family: Family): string {
  const tables = family.variants.map((variant) => family.fields({ id: "", variant }));
  const rows = Object.keys(tables[0] ?? {}).map((name) =>
    row(
      name,
      tables.flatMap((table) => table[name] ?? []),
    ),
  );
  return ["| Field | Values | Default | Description |", "| - | - | - | - |", ...rows].join("\n");
}

describe("docs/media.md", () => {
  it.each(Object.values(FAMILIES))("says of $name what its table says", (family) => {
    const section = page.split(`### ${family.name}\n`)[1]?.split("\n### ")[0] ?? "";
    const start = section.indexOf("| Field |");
    const table = section.slice(start).split("\n\n")[0];
    expect(table).toBe(tableOf(family));
  });
});
