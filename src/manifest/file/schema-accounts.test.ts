import { expect, it } from "vitest";
import { key } from "./schema-accounts.ts";

it("a key of the catalog file ends in a year that an export gives back", () => {
  const faultOf = (expires_at: string) =>
    key.safeParse({ name: "ci", key: "0123456789abcdef", expires_at }).error?.issues[0]?.message ?? "";
  expect(faultOf("9999-12-31T23:59:59Z")).toBe("");
  for (const at of ["9999-12-31T23:59:59-08:00", "0000-01-01T00:00:00+05:00"])
    expect(faultOf(at)).toContain("four digits in UTC");
  expect(faultOf("soon")).toContain("must be a time with its zone");
});
