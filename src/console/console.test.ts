import { describe, expect, it } from "vitest";
import { z } from "zod";
import { listOperations } from "../../test/support/console-operations.ts";
import { checkOperation } from "./console.ts";
import { json, type Operation, type Policy } from "./operation.ts";

const audio = {
  method: "POST" as const,
  path: "/things",
  policy: "user" as const,
  tag: "things",
  summary: "Make a thing",
  response: z.object({}),
  run: () => ({}),
};

describe("the table of operations", () => {
  it("refuses to start with an operation that nobody could be kept out of", () => {
    const { policy: _, ...open } = audio;
    expect(() => checkOperation(json(open as typeof audio))).toThrow("POST /things has no policy");
    expect(() => checkOperation(json({ ...audio, policy: "everyone" as Policy }))).toThrow("has no policy");
    expect(() => checkOperation(json({ ...audio, policy: "owner" }))).toThrow(
      "belong to paths of an account",
    );
    expect(() => checkOperation(json({ ...audio, path: "/accounts/{account}/things" }))).toThrow(
      "belong to paths of an account",
    );
    expect(() => checkOperation({ ...json(audio), kind: "text" } as Operation)).toThrow("only JSON");
    expect(() => checkOperation(json(audio))).not.toThrow();
  });

  it("has every method of a path once", () => {
    const names = listOperations().map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
