import { expect, it } from "vitest";
import { knownType, sourceOfUrl } from "./media.ts";

it("takes a data URL apart however its scheme, type and coding are spelled", () => {
  expect(sourceOfUrl("DATA:Image/PNG;BASE64,iVBORw0KGgo=")).toEqual({
    source: { from: "base64", data: "iVBORw0KGgo=" },
    mimeType: "image/png",
  });
});

it.each([
  ["data:text/plain,Hello%20there.%0A", "text/plain", "Hello there.\n"],
  ["data:,Gr%C3%BC%C3%9Fe, alle", "text/plain", "Grüße, alle"],
  ["data:text/csv;charset=UTF-8,a,b", "text/csv", "a,b"],
  ["data:text/plain;base64,SGVsbG8%3D", "text/plain", "Hello"],
])("reads what a data URL holds where it is spelled by letters: %s", (url, mimeType, text) => {
  const data = Buffer.from(text).toString("base64");
  expect(sourceOfUrl(url)).toEqual({ source: { from: "base64", data }, mimeType });
});

it("calls an image what its bytes are, whatever it is said to be", () => {
  const png = { from: "base64", data: "iVBORw0KGgoAAAANSUhEUg==" } as const;
  const typeOf = (mimeType: string | undefined, data: string) =>
    knownType({ kind: "media", media: "image", mimeType, source: { from: "base64", data } });
  for (const stated of [
    "image/jpeg",
    "IMAGE/JPG",
    "image/webp;q=1",
    "",
    undefined,
    "application/octet-stream",
  ])
    expect(typeOf(stated, png.data)).toBe("image/png");
  expect(typeOf("image/jpg", "AAAA")).toBe("image/jpeg");
  expect(typeOf("application/pdf", png.data)).toBe("application/pdf");
});
