import { expect, it } from "vitest";
import { inheritedVariables, readConfig } from "./config.ts";

const OWN = { DATABASE_URL: "postgresql://localhost/faregate", FAREGATE_MASTER_KEY: "m".repeat(32) };

function setIn(env: Readonly<Record<string, string>>): readonly string[] {
  return readConfig(env)
    .variables.filter(({ isSet }) => isSet)
    .map(({ name }) => name);
}

it("says that a variable is set only if the operator set it, not the primary of several processes", () => {
  expect(setIn({ ...inheritedVariables({}, OWN), PORT: "8080" })).toEqual(["PORT"]);
  expect(setIn(inheritedVariables(OWN, OWN))).toEqual(["DATABASE_URL", "FAREGATE_MASTER_KEY"]);
  expect(setIn(inheritedVariables({ FAREGATE_MASTER_KEY: "x" }, OWN))).toEqual(["FAREGATE_MASTER_KEY"]);
});

it("gives the processes what the primary found all the same", () => {
  expect(readConfig(inheritedVariables({}, OWN))).toMatchObject({ databaseUrl: OWN.DATABASE_URL });
});
