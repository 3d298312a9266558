import { describe, expect, it } from "vitest";
import { z } from "zod";
import { listOperations } from "../../test/support/console-operations.ts";
import { json, type Operation } from "./operation.ts";
import type { Policy } from "./policy.ts";
import { checkOperation } from "./table.ts";

const sound = {
  method: "POST" as const,
  path: "/things",
  policy: "person" as const,
  tag: "things",
  summary: "Make a thing",
  answer: z.object({}),
  run: () => ({}),
};

describe("the table of operations", () => {
  it("refuses to start with an operation that nobody could be kept out of", () => {
    const { policy: _, ...open } = sound;
    expect(() => checkOperation(json(open as typeof sound))).toThrow("POST /things has no policy");
    expect(() => checkOperation(json({ ...sound, policy: "everyone" as Policy }))).toThrow("has no policy");
    expect(() => checkOperation(json({ ...sound, policy: "owner" }))).toThrow(
      "belong to paths of an account",
    );
    expect(() => checkOperation(json({ ...sound, path: "/accounts/{account}/things" }))).toThrow(
      "belong to paths of an account",
    );
    expect(() => checkOperation({ ...json(sound), kind: "text" } as Operation)).toThrow("only JSON");
    expect(() => checkOperation(json(sound))).not.toThrow();
  });

  it("has every method of a path once", () => {
    const names = listOperations().map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
