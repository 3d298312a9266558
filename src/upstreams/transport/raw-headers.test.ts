import { describe, expect, it } from "vitest";
import { RawHeaders } from "./raw-headers.ts";

const headers = new RawHeaders(
  ["Content-Type", "text/plain", "X-One", "1", "x-one", "2", "__proto__", "odd", "Name", "J\xfcrgen"].map(
    (text) => Buffer.from(text, "latin1"),
  ),
);

describe("headers of an answer", () => {
  it("are found by their names, however they are spelled, and joined where they come twice", () => {
    expect(headers.get("content-type")).toBe("text/plain");
    expect(headers.get("x-one")).toBe("1, 2");
    expect(headers.get("name")).toBe("J\xfcrgen");
    expect(headers.get("x-two")).toBeUndefined();
    expect(headers.get("content-typ_")).toBeUndefined();
  });

  it("come all at once too, whatever their names", () => {
    expect(Object.entries(headers.all())).toEqual([
      ["content-type", "text/plain"],
      ["x-one", "1, 2"],
      ["__proto__", "odd"],
      ["name", "J\xfcrgen"],
    ]);
  });

  it("are the same with another value of one", () => {
    const others = headers.with("x-one", "3");
    expect(others.get("x-one")).toBe("3");
    expect(others.get("name")).toBe("J\xfcrgen");
    expect(headers.get("x-one")).toBe("1, 2");
  });
});
