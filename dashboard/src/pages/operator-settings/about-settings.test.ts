import { expect, it } from "vitest";
import { z } from "zod";
import { settingsFile } from "../../../../src/catalog/settings.ts";
import { aboutParts, aboutSettings } from "./about-settings.ts";
import { partsOf, shapeOf } from "./values.ts";

const SHOWN = Object.entries(z.toJSONSchema(settingsFile).properties ?? {}) as [
  string,
  Parameters<typeof shapeOf>[0],
][];

it.each(["en", "zh"] as const)("says what each setting does, and each number of it, in %s", (language) => {
  expect(Object.keys(aboutSettings[language]).sort()).toEqual(SHOWN.map(([name]) => name).sort());
  const parts = SHOWN.filter(([, schema]) => shapeOf(schema) === "numbers").flatMap(([, schema]) =>
    partsOf(schema),
  );
  expect(Object.keys(aboutParts[language]).sort()).toEqual(parts.sort());
});

it("leaves the default to the page, which says it once", () => {
  for (const [name, text] of Object.entries(aboutSettings.en))
    if (name !== "foreign_ids") expect(text, name).not.toMatch(/default/i);
});
