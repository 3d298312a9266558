import { expect, it } from "vitest";
import { cleaned, kindsOf, type Schema, shapeOf, variantParts, withPart } from "./values.ts";

const MIRROR: Schema = {
  oneOf: [
    { properties: { kind: { enum: ["none", "disk"] } } },
    { properties: { kind: { const: "s3" }, bucket: { type: "string" } } },
  ],
};

it("offers the kinds of a setting, and the fields of the chosen one", () => {
  expect(shapeOf(MIRROR)).toBe("variants");
  expect(kindsOf(MIRROR)).toEqual(["none", "disk", "s3"]);
  expect(variantParts(MIRROR, "s3").map(([name]) => name)).toEqual(["bucket"]);
  expect(variantParts(MIRROR, "disk")).toEqual([]);
  expect(variantParts(MIRROR, undefined)).toEqual([]);
});

it("refuses a schema that it has no control for", () => {
  expect(() => shapeOf({})).toThrow("no control");
});

it.each([
  ["", undefined],
  [" text ", "text"],
  [
    ["a", " b ", ""],
    ["a", "b"],
  ],
  [["", " "], undefined],
  [{ image: undefined }, undefined],
  [{ oidc: [{ id: "" }, { id: "a", name: "" }] }, { oidc: [{}, { id: "a" }] }],
  [false, false],
  [0, 0],
  [null, undefined],
])("sends %j as %j", (typed, sent) => {
  expect(cleaned(typed)).toEqual(sent);
});

it("unsets a group with its last part", () => {
  expect(withPart({ image: 3 }, "image", undefined)).toBeUndefined();
  expect(withPart(undefined, "video", 5)).toEqual({ video: 5 });
  expect(withPart({ image: 3, video: 5 }, "image", 4)).toEqual({ image: 4, video: 5 });
});
