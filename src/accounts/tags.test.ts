import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyAndValue, readTags, withEndUser } from "./tags.ts";

const caller = { tagKeys: ["team", "env", "end_user", ..."abcdefghijk"] };

describe("a request's tags", () => {
  it("are read in one order, whatever the header's, and are none without it", () => {
    expect(readTags("team=search, env=prod", caller)).toEqual(["env=prod", "team=search"]);
    expect(readTags("env=prod,team=search,", caller)).toEqual(["env=prod", "team=search"]);
    expect(readTags(undefined, caller)).toBeUndefined();
    expect(readTags(" , ", caller)).toBeUndefined();
  });

  it.each([
    ["team", "has no value"],
    ["team=", "the value of"],
    ["=search", "the key"],
    ["Team=search", "the key"],
    ["team=a b", "the value of"],
    ["team=é", "the value of"],
    [`team=${"x".repeat(65)}`, "1 to 64"],
    [`${"t".repeat(33)}=x`, "1 to 32"],
    ["team=a,team=b", "given twice"],
    ["a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1,j=1,k=1", "at most 10 tags, and there are 11"],
    ["project=x", "does not allow the key"],
  ])("are refused by what is wrong with them: %s", (header, fault) => {
    expect(() => readTags(header, caller)).toThrow(fault);
  });

  it("say which keys the account allows", () => {
    expect(() => readTags("x=1", { tagKeys: ["team", "env"] })).toThrow("It allows team, env");
    expect(() => readTags("x=1", { tagKeys: [] })).toThrow("It allows none");
  });

  it("are bounded and plain, or refused, whatever the header", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (header) => {
        let tags: readonly string[] = [];
        try {
          tags = readTags(header, caller) ?? [];
        } catch (error) {
          expect(String(error)).toContain("x-faregate-tags");
        }
        expect(tags.length).toBeLessThanOrEqual(10);
        for (const tag of tags) expect(tag).toMatch(/^[a-z][a-z0-9_-]{0,31}=[\w.:@/+-]{1,64}$/);
      }),
    );
  });
});

describe("the end user of a request", () => {
  it("is a tag where the account counts end users, unless the header names one", () => {
    expect(withEndUser(undefined, "u-1", caller)).toEqual(["end_user=u-1"]);
    expect(withEndUser(["team=a"], 'u,1="x"', caller)).toEqual(['end_user=u,1="x"', "team=a"]);
    expect(withEndUser(["end_user=told"], "u-1", caller)).toEqual(["end_user=told"]);
    expect(withEndUser(undefined, "u-1", { tagKeys: ["team"] })).toBeUndefined();
  });

  it.each([[undefined], [7], [""], ["x".repeat(257)], ["a\tb"], ["\ud800"], ["a\0"]])(
    "is left out where it is %j",
    (named) => {
      expect(withEndUser(["team=a"], named, caller)).toEqual(["team=a"]);
    },
  );

  it("may contain what parts a tag", () => {
    expect(keyAndValue("end_user=a=b")).toEqual(["end_user", "a=b"]);
  });
});
