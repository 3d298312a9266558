import { expect, it } from "vitest";
import { z } from "zod";
import { settingsFile } from "../../../../src/catalog/settings.ts";
import { aboutParts, aboutSettings, choiceWords } from "./about-words.ts";
import { kindsOf, partsOf, type Schema, shapeOf, variantParts } from "./values.ts";

const SHOWN = Object.entries(z.toJSONSchema(settingsFile).properties ?? {}) as [string, Schema][];

/** The paths of everything below a setting that the form has words for. */
function below(name: string, schema: Schema): { readonly parts: string[]; readonly choices: string[] } {
  const within = ([part, inner]: [string, Schema]) => {
    const path = `${name}.${part}`;
    const found = below(path, inner);
    return { parts: [path, ...found.parts], choices: found.choices };
  };
  switch (shapeOf(schema)) {
    case "choice":
      return { parts: [], choices: (schema.enum ?? []).map((value) => `${name}.${value}`) };
    case "group":
      return joined(partsOf(schema).map(within));
    case "list":
      return below(name, schema.items ?? {});
    case "variants": {
      const kinds = kindsOf(schema);
      const parts = new Map(kinds.flatMap((kind) => variantParts(schema, kind)));
      const found = joined([...parts].map(within));
      const choices = kinds.map((kind) => `${name}.kind.${kind}`);
      return { parts: [`${name}.kind`, ...found.parts], choices: [...choices, ...found.choices] };
    }
    default:
      return { parts: [], choices: [] };
  }
}

function joined(all: readonly ReturnType<typeof below>[]): ReturnType<typeof below> {
  return { parts: all.flatMap(({ parts }) => parts), choices: all.flatMap(({ choices }) => choices) };
}

it.each(["en", "zh"] as const)("names every setting, part and choice, in %s", (language) => {
  const { parts, choices } = joined(SHOWN.map(([name, schema]) => below(name, schema)));
  expect(Object.keys(aboutSettings[language]).sort()).toEqual(SHOWN.map(([name]) => name).sort());
  expect(Object.keys(aboutParts[language]).sort()).toEqual(parts.sort());
  expect(Object.keys(choiceWords[language]).sort()).toEqual(choices.sort());
});

it("leaves the default to the page, which says it once", () => {
  for (const [name, { help }] of Object.entries(aboutSettings.en))
    if (name !== "foreign_ids") expect(help, name).not.toMatch(/default/i);
});
