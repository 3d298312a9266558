import { describe, expect, it } from "vitest";
import { keysCreateCommand } from "./keys.ts";

describe("keys create", () => {
  it("makes no key where --models names none, as from a variable of a script that is not set", async () => {
    for (const models of ["", " , "]) {
      const given: Readonly<Record<string, string>> = { account: "acme", models };
      const input = { config: undefined as never, positionals: [], flag: () => false };
      const made = keysCreateCommand.run({ ...input, text: (option) => given[option] });
      await expect(made).rejects.toThrow("--models takes model ids");
    }
  });
});
