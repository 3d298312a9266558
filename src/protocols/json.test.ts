import { expect, it } from "vitest";
import { parseLoosely } from "./json.ts";

it("reads bare NaN and Infinity as words, beside what is JSON anyway", () => {
  expect(parseLoosely('{"a": NaN, "b":[-Infinity ,Infinity], "c":"NaN"}')).toEqual({
    a: "NaN",
    b: ["-Infinity", "Infinity"],
    c: "NaN",
  });
  for (const text of ["NaN", '{"a": --Infinity}', '{"a": NaNo}', '{"a" NaN}', "[1 NaN]"])
    expect([text, parseLoosely(text)]).toEqual([text, undefined]);
});

it("takes no more time for much white space than for as many letters", () => {
  // Callers write the arguments of calls: time that grows with the square of this would be minutes.
  const blanks = " ".repeat(200_000);
  expect(parseLoosely(`[1${blanks}NaN`)).toBe(undefined);
  expect(parseLoosely(`[${blanks}NaN${blanks}]`)).toEqual(["NaN"]);
});
