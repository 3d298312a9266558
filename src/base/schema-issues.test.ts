import { describe, expect, it } from "vitest";
import { z } from "zod";
import { flattenIssues, issueMessage } from "./schema-issues.ts";

function issuesOf(value: unknown) {
  const result = z.strictObject({ size: z.number().optional() }).safeParse(value, { error: issueMessage });
  return flattenIssues(result.error?.issues ?? []);
}

describe("the issues of an object with unknown keys", () => {
  it("name each key as it is written", () => {
    for (const key of ["siz", "$&", "$1", "<key>", "a.b", "toString"])
      expect(issuesOf({ [key]: 1 })[0]).toMatchObject({
        path: [key],
        message: expect.stringMatching(/^unknown key ".*"; allowed: size/),
        atKey: true,
      });
    expect(issuesOf({ siz: 1 })[0]?.message).toBe('unknown key "siz"; allowed: size; did you mean size?');
    expect(issuesOf({ $_: 1 })[0]?.message).toBe('unknown key "$_"; allowed: size');
    expect(issuesOf({ "$&": 1 })[0]?.message).toBe('unknown key "$&"; allowed: size');
  });

  it("name the first hundred of any number of them", () => {
    const keys = Array.from({ length: 90_000 }, (_, at) => `f${at}`);
    const issues = issuesOf(Object.fromEntries(keys.map((key) => [key, 1])));
    expect(issues.map(({ path }) => path[0])).toEqual(keys.slice(0, 100));
  });
});
