import { expect, it } from "vitest";
import { settingsFile } from "../../../../src/catalog/settings.ts";
import { ABOUT_ZH } from "./about-settings.ts";

it("says in Chinese what each setting is", () => {
  expect(Object.keys(ABOUT_ZH).sort()).toEqual(Object.keys(settingsFile.shape).sort());
});
