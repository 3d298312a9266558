import { expect, it } from "vitest";
import { sourceOfUrl } from "./media.ts";

it("takes a data URL apart however its scheme, type and coding are spelled", () => {
  expect(sourceOfUrl("DATA:Image/PNG;BASE64,iVBORw0KGgo=")).toEqual({
    source: { from: "base64", data: "iVBORw0KGgo=" },
    mimeType: "image/png",
  });
});
